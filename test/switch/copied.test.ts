// Another model of the same agent, for which the session is too long: it goes on as a copy that fits.
import { describe, expect, it } from "vitest";
import { assistant, call, user } from "../session/build.ts";
import { entriesOf, MODELS, over } from "./over.ts";
import { NAMES, sample } from "./samples.ts";
import { begun, named, newWorld } from "./world.ts";

describe.each(NAMES)("the same agent, %s", (name) => {
  const small = { summarizationStrategy: "hybrid" as const, budget: 1_500 };

  it("goes on with a copy that begins with the summary and has every call answered", async () => {
    const { world, original } = await sample(name);
    const { there, analysis } = await over(world, original, name, {
      options: small,
      cwd: world.home.dir,
      yes: true,
    });
    expect(there.id).not.toBe(original.id);
    expect(analysis.requiresSummarization).toBe(true);
    const entries = await entriesOf(world, there);
    const told = entries.filter(({ type, injected }) => type === "user" || (type === "system" && !injected));
    expect(told[0]).toMatchObject({
      content: expect.stringMatching(/^\[Previous conversation summary - \d+ messages\]/),
    });
    const calls = entries.flatMap((entry) => (entry.type === "tool_call" ? [entry.id] : []));
    const answers = entries.flatMap((entry) => (entry.type === "tool_result" ? [entry.callId] : []));
    expect(answers.toSorted()).toEqual(calls.toSorted());
    expect(entries.length).toBeLessThan(60);
  });

  it("leaves out what was asked for, also where that alone makes it fit", async () => {
    const world = await newWorld();
    const long = { ...call("c1"), input: { command: `echo ${"word ".repeat(4_000)}` } };
    const there = await begun(world, named(name), [
      user("u1"),
      long,
      assistant("a1"),
      user("u2"),
      assistant("a2"),
    ]);
    const options = { ...small, summarizationStrategy: "truncate" as const, includeToolHistory: false };
    const made = await over(world, there, name, { options, model: MODELS[name] ?? "", yes: true });
    const entries = await entriesOf(world, made.there);
    expect(entries.filter(({ type }) => type === "tool_call")).toEqual([]);
    expect(JSON.stringify(entries)).toContain("says u2");
  });
});
