// Another model or permission mode in the middle of a run.
import { describe, expect, it } from "vitest";
import type { Driver, DriverEvent } from "../../src/adapters/driver.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { agent, type Collected, fakeDriver, withArguments } from "./fake.ts";
import { ASK, DONE, mode, resultsOf, scripted, TEXT } from "./scripted.ts";

it("what an agent cannot change while it runs is said", async () => {
  const one = scripted([TEXT, DONE]);
  one.run.setModel("another");
  one.run.setMode("deny");
  one.run.setMode("auto");
  one.run.prompt("One");
  one.run.finish();
  expect(await one.over).toEqual([]);
  const errors = one.events.filter((event) => event.type === "system" && event.subtype === "error");
  expect(errors).toMatchObject([{ code: "unsupported" }, { code: "unsupported" }]);
  expect(one.events).toContainEqual(
    expect.objectContaining({ subtype: "permission_mode", permission_mode: "auto" }),
  );
});

describe("a mode that the agent has to take up", () => {
  const script = [TEXT, ASK, "wait", DONE];
  const changing = (answer: readonly DriverEvent[]) => {
    const driver: Driver<Record<string, never>> = {
      ...withArguments([agent("scripted.mjs"), ...script]),
      changes: { model: true, mode: true },
      step: (state, input) =>
        input.type === "set_mode"
          ? answer.map((event) => ({ type: "event", event }))
          : fakeDriver.step(state, input),
    };
    return scripted(script, { driver, hasApprover: true, ...mode("default") });
  };
  const allowedTurn = async (one: Collected) => {
    const from = one.events.length;
    one.run.prompt("Go");
    await one.until(({ type, seq }) => type === "approval_request" && seq > from);
    one.run.decide("a-1", { allow: true });
    await one.until(({ type, seq }) => type === "message_stop" && seq > from);
  };
  const modesIn = (events: readonly AgentEvent[]) =>
    events.flatMap((event) =>
      event.type === "system" && event.subtype === "permission_mode" ? [event.permission_mode] : [],
    );

  it("decides at once, and is announced once the agent has", async () => {
    const one = changing([]);
    await allowedTurn(one);
    one.run.setMode("deny");
    one.run.prompt("Go");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(modesIn(one.events)).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([
      { permission_denials: [] },
      { permission_denials: [{ name: "Bash" }] },
    ]);
  });

  it("is not the mode where the agent keeps the last one", async () => {
    const one = changing([{ type: "mode", mode: "default" }]);
    await allowedTurn(one);
    one.run.setMode("deny");
    await allowedTurn(one);
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(modesIn(one.events)).toEqual(["default"]);
  });

  it("before the agent has said who it is, stands in its introduction", async () => {
    const one = changing([{ type: "mode", mode: "deny" }]);
    one.run.setMode("deny");
    one.run.prompt("Go");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(one.events[0]).toMatchObject({ subtype: "init", permission_mode: "deny" });
    expect(modesIn(one.events)).toEqual([]);
  });
});
