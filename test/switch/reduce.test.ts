// What a model reads of a conversation that was too long for it.
import { describe, expect, it } from "vitest";
import { countTokens } from "../../src/models/tokens.ts";
import type { Entry } from "../../src/session/session.ts";
import type { Strategy } from "../../src/switch/reduction.ts";
import { tokensOf } from "../../src/switch/weigh.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { coded } from "./directions.ts";
import { CLAUDE, sourceWith } from "./featured.ts";
import { entriesOf, over, story } from "./over.ts";
import { NOW, prepared, read, windowed } from "./prepared.ts";
import { newWorld } from "./world.ts";

describe("what a model reads", () => {
  const output = "one line of an output that is long enough\n".repeat(700);
  const entries: Entry[] = [
    { ...user("u1"), content: `says u1 ${"words ".repeat(1_500)}` } as Entry,
    call("c1"),
    { ...result("c1"), output } as Entry,
    assistant("a1"),
    { ...user("u2"), content: "words ".repeat(4_000) } as Entry,
    assistant("a2"),
    user("u3"),
    call("c3"),
    result("c3"),
    assistant("a3"),
  ];
  const said = async (strategy: Strategy, window = 9_000) => {
    const made = await prepared(entries, { window, overhead: 500, strategy });
    return { made, kept: await read(made) };
  };

  it("begins with a note where older turns only go", async () => {
    const { made, kept } = await said("truncate");
    expect(made.reduction?.summary).toBeUndefined();
    expect(kept.map(({ id }) => id)).toEqual(["baton-summary", "u2", "a2", "u3", "c3", "r3", "a3"]);
    expect(kept[0]).toMatchObject({
      content: "[Earlier conversation left out - 4 messages; all of it: baton show claude:one]",
    });
    expect(made).toMatchObject({ originalMessageCount: 10, preservedMessageCount: 6 });
  });

  it("begins with a summary where they are summed up", async () => {
    for (const [strategy, first, count] of [
      ["hybrid", "u2", 4],
      ["summarize", "u3", 6],
    ] as const) {
      const { made, kept } = await said(strategy);
      expect(kept[1]).toMatchObject({ id: first });
      const summary = made.reduction?.summary ?? "";
      expect(summary).toContain("says u1");
      expect(kept[0]).toMatchObject({
        timestamp: NOW.toISOString(),
        content: `[Previous conversation summary - ${count} messages]\n\n${summary}`,
      });
    }
  });

  it("has shorter payloads where that is enough, with where all of it is", async () => {
    const { made, kept } = await said("hybrid", 15_000);
    expect(kept.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
    expect(made.after).toBeLessThan(9_000);
    const clipped = kept[2] as Extract<Entry, { type: "tool_result" }>;
    expect(clipped.output).toContain("the full text: baton show claude:one --entry r1");
    expect(tokensOf(clipped, countTokens).payload).toBeLessThanOrEqual(300);
    expect(kept.filter((_, at) => at !== 2)).toEqual(entries.filter((_, at) => at !== 2));
  });

  it("has a note instead of arguments of which none is long", async () => {
    const numbers = Array.from({ length: 5_000 }, (_, at) => at);
    const many = (input: object): Entry[] => [
      user("u1"),
      { ...call("c1"), tool: "unknown", originalTool: "sum", ...input } as Entry,
      result("c1"),
      user("u2"),
      assistant("a2"),
    ];
    const note = expect.stringMatching(
      /^\[… [\d,]+ characters left out; .*baton show claude:one --entry c1 …\]$/,
    );
    for (const [given, left] of [
      [{ input: { numbers } }, { input: { arguments: note } }],
      [
        { input: {}, originalInput: { numbers } },
        { input: {}, originalInput: { arguments: note } },
      ],
      [
        { input: {}, originalInput: JSON.stringify(numbers) },
        { originalInput: expect.stringMatching(/^\{"arg/) },
      ],
    ] as const) {
      const made = await prepared(many(given), { window: 9_000, overhead: 500, strategy: "hybrid" });
      const kept = await read(made);
      expect(kept).toHaveLength(5);
      expect(kept[1]).toMatchObject(left);
    }
  });

  it("is counted by what was recorded: neither answers that calls were given, nor results without calls", async () => {
    const found: Entry[] = [
      { ...user("u1"), content: "words ".repeat(4_000) } as Entry,
      ...["c1", "c2", "c3"].map((id) => call(id, { turn: "t" })),
      user("u2"),
      result("c9"),
      assistant("a2"),
    ];
    const all = await prepared(found, { window: 100_000, overhead: 500, strategy: "truncate" });
    expect(all).toMatchObject({ isFitting: true, originalMessageCount: 5, preservedMessageCount: 4 });
    const made = await prepared(found, { window: 5_000, overhead: 500, strategy: "truncate" });
    expect(made).toMatchObject({ originalMessageCount: 5, preservedMessageCount: 2 });
    const kept = await read(made);
    expect(kept.map(({ id }) => id)).toEqual(["baton-summary", "u2", "a2"]);
    expect(kept[0]).toMatchObject({ content: expect.stringContaining(" - 2 messages;") });
  });

  it("never has half a message", async () => {
    const turn = { turn: "t" };
    const long = { content: "words ".repeat(5_000) };
    const found: Entry[] = [
      user("u1"),
      { ...assistant("a1", turn), ...long } as Entry,
      call("c1", turn),
      result("c1"),
      assistant("a2", { turn: "t2" }),
    ];
    const made = await prepared(found, { window: 5_000, overhead: 500, strategy: "truncate" });
    const kept = await read(made);
    expect(kept.map(({ id }) => id)).toEqual(["baton-summary", "u1", "a2"]);
    expect(kept[0]).toMatchObject({ content: expect.stringContaining("2 messages") });
  });
});

describe("what could not be carried", () => {
  const long = (id: string) => ({ ...user(id), content: "words ".repeat(30_000) }) as Entry;
  /** A result without its call, in the turn that is left out or in the one that stays. */
  const told = (before: readonly Entry[], after: readonly Entry[]): Entry[] => [
    long("u1"),
    ...before,
    assistant("a1"),
    user("u2"),
    ...after,
    assistant("a2"),
  ];
  const GONE = told([result("c9")], []);
  const KEPT = told([], [result("c9")]);

  it.each(["truncate", "summarize", "hybrid"] as const)(
    "is no loss where it is left out anyway, and one where it would have stayed: %s",
    async (strategy) => {
      const lost = async (entries: readonly Entry[]) => {
        const stream = (await prepared(entries, { window: 20_000, overhead: 500, strategy })).stream();
        await Array.fromAsync(stream.entries());
        return stream.losses.flatMap(({ kind, at }) => (kind === "result_dropped" ? [at.entry] : []));
      };
      expect(await lost(GONE)).toEqual([]);
      expect(await lost(KEPT)).toEqual(["r9"]);
    },
  );

  it("is no loss within a turn of which only the newest steps stay", async () => {
    const steps = (id: string): Entry[] => [
      { ...assistant(id, { turn: id }), content: "words ".repeat(3_000) } as Entry,
      result(`c${id}`),
    ];
    const entries = [user("u1"), ...["a1", "a2", "a3", "a4", "a5"].flatMap(steps)];
    const made = await prepared(entries, { window: 17_000, overhead: 500, strategy: "truncate" });
    const kept = (await read(made)).map(({ id }) => id);
    expect(kept).toEqual(["baton-summary", "u1", "a2", "a3", "a4", "a5"]);
    const stream = made.stream();
    await Array.fromAsync(stream.entries());
    const lost = stream.losses.flatMap(({ kind, at }) => (kind === "result_dropped" ? [at.entry] : []));
    expect(lost).toEqual(["ra2", "ra3", "ra4", "ra5"]);
  });

  it("refuses a switch only where it would have stayed", async () => {
    const world = await newWorld();
    const request = {
      options: { summarizationStrategy: "truncate" as const },
      overrides: windowed(30_000),
    };
    const { there, losses, analysis } = await over(world, sourceWith(CLAUDE, GONE), "codex", request);
    expect(losses.map(({ kind }) => kind)).not.toContain("result_dropped");
    expect(analysis.warnings.map(({ code }) => code)).not.toContain("result_dropped");
    expect(story(await entriesOf(world, there)).slice(1, 3)).toEqual([
      "user: says u2",
      "assistant: replies a2",
    ]);
    await expect(over(world, sourceWith(CLAUDE, KEPT), "codex", request)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("result_dropped: its call c9 is not there"),
    });
    const nevertheless = await over(world, sourceWith(CLAUDE, KEPT), "codex", { ...request, yes: true });
    expect(coded(nevertheless.analysis.warnings, "result_dropped")).toHaveLength(1);
  });
});
