// What is said of turns that come back: the same as of a switch, for the model that goes on with the original.
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { findOperation } from "../../src/storage/operations.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { coded } from "./directions.ts";
import { entriesOf } from "./over.ts";
import { begun, carried, goesOn, named, newWorld, returned } from "./world.ts";

const able = adapters.filter(({ canExtend }) => canExtend).map(({ id }) => id);
const pairs = able.map((id, at) => [id, able[(at + 1) % able.length] ?? id] as const);

describe.each(pairs)("from %s to %s and back", (first, second) => {
  async function both(other = second) {
    const world = await newWorld();
    const a = await begun(world, named(first), [user("u1"), assistant("a1")]);
    return { world, b: await carried(world, a, named(other)) };
  }

  it("a call that had no result yet is named, and that stands in the record", async () => {
    // What is written for OpenCode here has no open calls: its rows say how each of them ended.
    const { world, b } = await both(second === "opencode" ? "claude" : second);
    await goesOn(world, b, [user("u2"), assistant("a2"), call("c2")]);
    const back = await returned(world, b);
    const sentence = "1 tool call had no result yet: abandoned, and marked as interrupted.";
    expect(coded(back.analysis?.warnings ?? [], "calls_unfinished")).toEqual([`warning: ${sentence}`]);
    const { facts } = await findOperation(world.batonHome, back.operation ?? "");
    expect(facts).toMatchObject({ switch: { warnings: [sentence] } });
    const entries = await entriesOf(world, back.there);
    expect(entries.findLast(({ type }) => type === "switch")).toMatchObject({
      switch: { warnings: [sentence] },
    });
    expect(entries.findLast(({ type }) => type === "tool_result")).toMatchObject({ success: false });
  });

  it("what comes back is counted, what all of it takes is weighed, and no more is said", async () => {
    const { world, b } = await both();
    const before = (await returned(world, b, { dryRun: true })).analysis;
    expect(before).toBeUndefined();
    await goesOn(world, b, [user("u2"), call("c2"), result("c2"), assistant("a2")]);
    const { analysis, operation } = await returned(world, b);
    expect(analysis).toMatchObject({
      canSwitch: true,
      requiresSummarization: false,
      lossyFeatures: [],
      from: { agent: second },
      to: { agent: first },
      kept: { messages: 4, of: 4, toolCalls: 1, toolResults: 1 },
    });
    expect(analysis?.tokens.before).toBeGreaterThan(analysis?.tokens.overhead ?? 0);
    expect(analysis?.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["context_fits", "cache_reset"]),
    );
    expect((await findOperation(world.batonHome, operation ?? "")).facts).toMatchObject({
      switch: { warnings: [] },
    });
  });
});
