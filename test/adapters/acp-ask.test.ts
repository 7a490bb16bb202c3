// What an agent of the Agent Client Protocol asks of its user, and what it is answered.
import { describe, expect, it } from "vitest";
import type { AcpOptions } from "../../src/adapters/acp-state.ts";
import type { EventOf } from "../../src/session/events.ts";
import { of, start, text, told } from "./acp-told.ts";

describe("an agent that asks", () => {
  it("ends a denied call before it goes on, and takes what options there are", async () => {
    const events = await told({}, "permission twice", { mode: "deny" });
    expect(text(events)).toBe("chosen: o1-reject_once o1-reject_always");
    const order = events.flatMap((event) => {
      if (event.type === "tool_use") return event.id;
      return event.type === "tool_result" ? `end of ${event.tool_use_id}` : [];
    });
    expect(order).toEqual(["p1", "end of p1", "p2", "end of p2"]);
    const why = "The user allows no changes in this run.";
    expect(of(events, "tool_result").map(({ content }) => content)).toEqual([why, why]);
    expect(events.findIndex(({ type }) => type === "text")).toBeGreaterThan(
      events.findLastIndex(({ type }) => type === "tool_result"),
    );
  });

  it("cannot be allowed anything without an option for it", async () => {
    expect(text(await told({}, "no options", { mode: "auto" }))).toBe("chosen: cancelled");
  });

  it("is not allowed for good what was allowed once, and says so", async () => {
    const one = start();
    one.run.prompt("permission twice");
    one.run.finish();
    for (const id of ["ask-1", "ask-2"]) {
      await one.until((event) => event.type === "approval_request" && event.id === id);
      one.run.decide(id, { allow: true });
    }
    expect(await one.over).toEqual([]);
    expect(text(one.events)).toBe("chosen: o0-allow_once o1-reject_always");
    const notices = one.events.filter(({ type }) => type === "system");
    expect(notices).toContainEqual(expect.objectContaining({ message: expect.stringContaining("for good") }));
  });

  it("takes back what it asked", async () => {
    const events = await told({}, "withdrawn");
    expect(of(events, "approval")).toMatchObject([{ decision: "deny", by: "agent" }]);
    expect(text(events)).toBe("Never mind.");
  });

  it("is allowed again what it forgets", async () => {
    const special: Partial<AcpOptions> = { remembered: ({ kind }) => kind };
    const one = start({}, { special });
    one.run.prompt("permission");
    const asked = (await one.until(({ type }) => type === "approval_request")) as EventOf<"approval_request">;
    one.run.decide(asked.id, { allow: true, always: true });
    one.run.prompt("permission twice");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(of(one.events, "approval_request")).toHaveLength(1);
    expect(text(one.events)).toContain("chosen: o0-allow_once o0-allow_always");
  });

  it("asks with a form, whose answers have the types that it wants", async () => {
    const one = start();
    one.run.prompt("form");
    const asked = (await one.until(({ type }) => type === "approval_request")) as EventOf<"approval_request">;
    expect(asked.reason).toBe("Before we begin");
    expect(asked.questions).toEqual([
      { question: "Who are you?", header: "Name" },
      { question: "size", options: [{ label: "Small" }, { label: "Large" }] },
      { question: "age" },
      { question: "Sure?", options: [{ label: "Yes" }, { label: "No" }] },
      { question: "tags", options: [{ label: "a" }, { label: "b" }], multiple: true },
    ]);
    const answers = { "Who are you?": "Ada", size: "Large", age: "36", "Sure?": "Yes", tags: ["a", "b"] };
    one.run.decide(asked.id, { allow: true, answers });
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(JSON.parse(text(one.events))).toEqual({
      action: "accept",
      content: { name: "Ada", size: "l", age: 36, sure: true, tags: ["a", "b"] },
    });
  });

  it("gets no form back that lacks what it needs, and none from nobody", async () => {
    const one = start();
    one.run.prompt("form");
    const asked = (await one.until(({ type }) => type === "approval_request")) as EventOf<"approval_request">;
    one.run.decide(asked.id, { allow: true, answers: { age: "old" } });
    one.run.finish();
    await one.over;
    expect(JSON.parse(text(one.events))).toEqual({ action: "cancel" });
    expect(JSON.parse(text(await told({}, "form", { hasApprover: false })))).toEqual({ action: "decline" });
  });
});
