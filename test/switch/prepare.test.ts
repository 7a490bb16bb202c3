// Content made ready for its target: thinking by policy, unanswered calls completed, lost results left out.

import { describe, expect, it } from "vitest";
import type { Loss } from "../../src/session/losses.ts";
import type { Compaction, Entry, Session } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { type PrepareOptions, prepare } from "../../src/switch/prepare.ts";
import { visible } from "../../src/transform/visible.ts";
import { fc } from "../property.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";

async function prepared(timeline: Entry[], thinking: PrepareOptions["thinking"] = "drop") {
  const stream = prepare(sourceOf(session(timeline)), { thinking });
  const entries = await Array.fromAsync(stream.entries());
  return { entries, ids: entries.map(({ id }) => id).join(" "), losses: stream.losses.map(named) };
}

const named = ({ kind, at }: Loss) => `${kind} ${at.entry}`;

const thought = (text: string) => ({ type: "thinking" as const, text, signature: "signed" });
const said = (text: string) => ({ type: "text" as const, text });

describe("thinking", () => {
  const asParts = assistant("a1", { parts: [thought("hm"), said("replies a1")] });
  const asField = assistant("a1", { thinking: "hm" });
  const only = { ...assistant("a2", { parts: [thought("hm")] }), content: "" } as Entry;
  const hidden = { ...assistant("a3", { parts: [{ ...thought(""), hidden: true }] }), content: "" } as Entry;

  it.each([
    ["a part", asParts],
    ["a field", asField],
  ])("in %s is dropped with a loss", async (_, entry) => {
    const { entries, losses } = await prepared([entry], "drop");
    expect(JSON.stringify(entries)).not.toContain("hm");
    expect(entries[0]).toMatchObject({ content: "replies a1" });
    expect(losses).toEqual(["thinking_dropped a1"]);
  });

  it.each([
    ["a part", asParts],
    ["a field", asField],
    ["a field beside parts", assistant("a1", { thinking: "hm", parts: [said("replies a1")] })],
  ])("in %s is converted to marked text before the reply", async (_, entry) => {
    const { entries, losses } = await prepared([entry], "convert");
    const text = "[Previous reasoning]\nhm\n[End reasoning]";
    expect(entries[0]).toMatchObject({
      content: `${text}\n\nreplies a1`,
      parts: [said(text), said("replies a1")],
    });
    expect(entries[0]).not.toHaveProperty("thinking");
    expect(losses).toEqual(["thinking_converted a1"]);
  });

  it("is kept as it is when it is to be kept", async () => {
    const { entries, losses } = await prepared([asParts, asField, only], "keep");
    expect(entries).toEqual([asParts, asField, only]);
    expect(losses).toEqual([]);
  });

  it("alone leaves no empty entry or part behind", async () => {
    expect(await prepared([only, hidden], "drop")).toMatchObject({
      entries: [],
      losses: ["thinking_dropped a2", "thinking_dropped a3"],
    });
    const silent = { ...assistant("a4", { thinking: "hm" }), content: "" } as Entry;
    const { entries } = await prepared([silent], "convert");
    expect(entries[0]).toMatchObject({ parts: [said("[Previous reasoning]\nhm\n[End reasoning]")] });
  });

  it("that the vendor withheld cannot be converted and counts as dropped", async () => {
    const beside = assistant("a5", { parts: [{ ...thought(""), hidden: true }, said("replies a5")] });
    expect(await prepared([beside], "convert")).toMatchObject({
      entries: [{ content: "replies a5", parts: [said("replies a5")] }],
      losses: ["thinking_dropped a5"],
    });
    expect(await prepared([hidden], "convert")).toMatchObject({
      entries: [],
      losses: ["thinking_dropped a3"],
    });
  });

  it("of the model that goes on stays, all of a message or none of it", async () => {
    const model = "claude-opus-4-5-20251101";
    const unsigned = { type: "thinking" as const, text: "so" };
    const signed = {
      ...assistant("a6", { parts: [thought("hm"), thought("so"), said("done")] }),
      model,
    } as Entry;
    const partly = { ...assistant("a7", { parts: [thought("hm"), unsigned, said("done")] }), model } as Entry;
    const to = { model, keeps: () => true };
    for (const thinking of ["drop", "convert"] as const) {
      const stream = prepare(sourceOf(session([signed, partly])), { thinking, to });
      const [first, second] = await Array.fromAsync(stream.entries());
      expect(first).toEqual(signed);
      const asText = ["hm", "so"].map((text) => said(`[Previous reasoning]\n${text}\n[End reasoning]`));
      expect(second?.parts).toEqual([...(thinking === "convert" ? asText : []), said("done")]);
      expect(stream.losses.map(named)).toEqual([
        thinking === "convert" ? "thinking_converted a7" : "thinking_dropped a7",
      ]);
    }
  });

  it("follows the policy in subagents too, and their losses are reported", async () => {
    const whole: Session = session([user("u1")], { children: [session([asField], { id: "child" })] });
    const stream = prepare(sourceOf(whole), { thinking: "drop" });
    for await (const child of stream.children())
      expect(JSON.stringify(await Array.fromAsync(child.entries()))).not.toContain("hm");
    expect(stream.losses.map(named)).toEqual(["thinking_dropped a1"]);
    // Whoever has them all before reading any hears of the same.
    const later = prepare(sourceOf(whole), { thinking: "drop" });
    for (const child of await Array.fromAsync(later.children())) await Array.fromAsync(child.entries());
    expect(later.losses.map(named)).toEqual(["thinking_dropped a1"]);
  });
});

describe("calls", () => {
  it("without a result are completed before the next message", async () => {
    const { entries, ids, losses } = await prepared([user("u1"), call("c1"), user("u2"), call("c2")]);
    expect(ids).toBe("u1 c1 c1-result u2 c2 c2-result");
    expect(entries[2]).toMatchObject({
      type: "tool_result",
      callId: "c1",
      success: false,
      interrupted: true,
    });
    expect(losses).toEqual(["call_completed c1", "call_completed c2"]);
  });

  it("of one message may have text between them", async () => {
    const turn = "m1";
    const timeline = [
      call("c1", { turn }),
      assistant("a1", { turn }),
      call("c2", { turn }),
      result("c1"),
      result("c2"),
    ];
    expect((await prepared(timeline)).ids).toBe("c1 a1 c2 r1 r2");
  });

  it("at the end of what a compaction left are answered behind it", async () => {
    const left = [user("s"), call("c1"), call("c2")] as Compaction["replacement"];
    const { ids, losses } = await prepared([compaction("k", { replacement: left }), result("c1"), user("u")]);
    expect(ids).toBe("k r1 c2-result u");
    expect(losses).toEqual(["call_completed c2"]);
  });

  it("that are answered stay as they are", async () => {
    const timeline = [user("u1"), call("c1"), call("c2"), result("c1"), result("c2"), assistant("a1")];
    const { entries, losses } = await prepared(timeline);
    expect(entries).toEqual(timeline);
    expect(losses).toEqual([]);
  });
});

it("results without a call, or a second one for the same call, are left out with a loss", async () => {
  const { ids, losses } = await prepared([result("c9"), call("c1"), result("c1"), result("c1", {}, "again")]);
  expect(ids).toBe("c1 r1");
  expect(losses).toEqual(["result_dropped r9", "result_dropped again"]);
  const twice = prepare(
    sourceOf(session([call("c1"), result("c1"), result("c1", {}, "again"), result("c9")])),
    {
      thinking: "drop",
    },
  );
  await Array.fromAsync(twice.entries());
  // Only what is nowhere else would be missing.
  expect(twice.losses.map(({ severity }) => severity)).toEqual(["warning", "error"]);
});

it("whatever comes in, every call has exactly one result after it and every result a call", async () => {
  const id = fc.constantFrom("c1", "c2", "c3");
  const turn = fc.record({ turn: fc.constantFrom("m1", "m2") }, { requiredKeys: [] });
  const entry = fc.oneof(
    fc.constant(user("u")),
    turn.map((fields) => assistant("a", fields)),
    fc.tuple(id, turn).map(([name, fields]) => call(name, fields)),
    id.map((name) => result(name)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 10 }), async (timeline) => {
      const stream = prepare(visible(sourceOf(session(timeline))), { thinking: "drop" });
      const open: string[] = [];
      for await (const one of stream.entries()) {
        if (one.type === "tool_call") open.push(one.id);
        if (one.type === "tool_result") {
          expect(open).toContain(one.callId);
          open.splice(open.indexOf(one.callId), 1);
        }
        if (one.type === "user") expect(open).toEqual([]);
      }
      expect(open).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

it("what the old agent told its model about itself stays behind", async () => {
  const told: Entry = { ...user("s1"), type: "system", injected: true, subtype: "skills", content: "skills" };
  const meant: Entry = { ...user("s2"), type: "system", content: "be brief" };
  const { ids, losses } = await prepared([told, meant, user("u1")]);
  expect(ids).toBe("s2 u1");
  expect(losses).toEqual(["context_dropped s1"]);
});
