// What somebody who switches in the middle of the work goes through, from store to store: a plain talk, tools, a context
// that is too large, thinking, a call that still runs, switching to and fro, and a network that fails.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { BatonError, EXIT_STATUS } from "../../src/session/error.ts";
import type { Entry, ToolCall, ToolResult } from "../../src/session/session.ts";
import { lineageOf } from "../../src/switch/lineage.ts";
import type { Strategy } from "../../src/switch/reduction.ts";
import type { Summarizer } from "../../src/switch/summarize.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { CLAUDE, OPENAI, replied, sourceWith, text } from "./featured.ts";
import { contents, entriesOf, over, story } from "./over.ts";
import { windowed } from "./prepared.ts";
import { begun, find, goesOn, named, newWorld, type There, type World } from "./world.ts";

const AGENTS = ["claude", "gemini", "codex", "opencode"];
const PROVIDERS: Record<string, string> = {
  claude: "claude",
  gemini: "gemini",
  codex: "openai",
  opencode: "opencode",
};
const WAYS = AGENTS.flatMap((from) => AGENTS.filter((to) => to !== from).map((to) => [from, to] as const));

/** The call as OpenCode has it while its tool is at work. */
function runs({ home }: World, callId: string): void {
  const database = new DatabaseSync(join(home.dir, ".local/share/opencode/opencode.db"));
  const state = { status: "running", input: { command: "sleep 9" }, time: { start: Date.now() } };
  const { changes } = database
    .prepare("UPDATE part SET data = json_set(data, '$.state', json(?)) WHERE data ->> '$.callID' = ?")
    .run(JSON.stringify(state), callId);
  database.close();
  expect(changes).toBe(1);
}

const told = async (world: World, there: There) => story(await entriesOf(world, there));

describe.each(WAYS)("from %s to %s", (from, to) => {
  const mark = `${PROVIDERS[from]} → ${PROVIDERS[to]}`;

  it("1. a simple conversation goes on with all that was said", async () => {
    const world = await newWorld();
    const there = await begun(world, named(from), [user("u1"), assistant("a1"), user("u2"), assistant("a2")]);
    const before = await contents(world);
    const said = ["user: says u1", "assistant: replies a1", "user: says u2", "assistant: replies a2"];
    const switched = await over(world, there, to, { reason: "the other one is cheaper" });
    expect(await told(world, switched.there)).toEqual([...said, mark]);
    expect(switched.analysis).toMatchObject({ canSwitch: true, kept: { messages: 4, of: 4 } });
    // The source is as it was.
    const { path } = (await find(world, there)).ref;
    if (from !== "opencode") expect((await contents(world))[path]).toBe(before[path]);
    expect(await told(world, there)).toEqual(said);
    const { hops } = await lineageOf(world.batonHome, `${from}:${there.id}`);
    expect(hops.map((hop) => hop.switch)).toEqual([
      expect.objectContaining({
        fromProvider: PROVIDERS[from],
        toProvider: PROVIDERS[to],
        messageIndex: 4,
        reason: "the other one is cheaper",
      }),
    ]);
    await goesOn(world, switched.there, [user("u3"), assistant("a3")]);
    expect((await told(world, switched.there)).slice(-2)).toEqual(["user: says u3", "assistant: replies a3"]);
  });

  it("2. tool calls, several at once and one that failed, keep their results", async () => {
    const world = await newWorld();
    const timeline: Entry[] = [
      user("u1"),
      call("c1", { turn: "t1" }),
      call("c2", { turn: "t1" }),
      result("c1"),
      { ...result("c2"), success: false, output: "it broke" } as Entry,
      { ...call("c3"), turn: "t2", tool: "read", input: { path: "/project/a.ts" } } as Entry,
      { ...result("c3"), output: "const a = 1;" } as Entry,
      assistant("a1", { turn: "t3" }),
    ];
    const there = await begun(world, named(from), timeline);
    const switched = await over(world, there, to);
    const entries = await entriesOf(world, switched.there);
    const calls = entries.filter((one): one is ToolCall => one.type === "tool_call");
    const results = entries.filter((one): one is ToolResult => one.type === "tool_result");
    const answers = new Map(results.map(({ callId, output, error }) => [callId, output || error]));
    expect(calls.map(({ id, tool }) => [tool, answers.get(id)])).toEqual([
      ["bash", "output of c1"],
      ["bash", expect.stringContaining("it broke")],
      ["read", expect.stringContaining("const a = 1;")],
    ]);
    expect(results).toHaveLength(3);
    expect(switched.analysis.kept).toMatchObject({ toolCalls: 3, toolResults: 3 });
    expect(story(entries).at(-2)).toBe("assistant: replies a1");
  });

  it("4. thinking is dropped and announced, or becomes text, and never reaches the new model as thinking", async () => {
    const world = await newWorld();
    const thoughtful = [
      user("u1"),
      replied("a1", [{ type: "thinking", text: "hm", signature: "c2ln" }, text("done")], {
        model: "claude-opus-4-5-20251101",
      }),
    ];
    const there = await begun(world, named(from), thoughtful);
    const hasThinking = JSON.stringify(await entriesOf(world, there)).includes('"hm"');
    const dropped = await over(world, there, to);
    expect(await told(world, dropped.there)).toEqual(["user: says u1", "assistant: done", mark]);
    const codes = dropped.analysis.warnings.map(({ code }) => code);
    expect(codes.includes("thinking_dropped")).toBe(hasThinking);
    const converted = await over(world, there, to, { options: { thinking: "convert" } });
    const words = (await told(world, converted.there)).join("\n");
    expect(words.includes("[Previous reasoning]\nhm\n[End reasoning]")).toBe(hasThinking);
    // What was asked differently is another session.
    expect(converted.originalId).not.toBe(dropped.originalId);
  });

  it("5. a call without a result is closed as interrupted, and the new provider begins clean", async () => {
    const world = await newWorld();
    const there = await begun(world, named(from), [user("u1"), call("c1"), result("c1"), assistant("a1")]);
    await goesOn(world, there, [user("u2"), call("c2")]);
    if (from === "opencode") runs(world, "c2");
    const pending = (await entriesOf(world, there)).findLast(({ type }) => type === "tool_call");
    const switched = await over(world, there, to);
    const found = await entriesOf(world, switched.there);
    const calls = found.filter((one): one is ToolCall => one.type === "tool_call");
    const results = found.filter((one): one is ToolResult => one.type === "tool_result");
    expect(results.map(({ callId }) => callId).toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
    expect(results.at(-1)).toMatchObject({
      success: false,
      output: expect.stringMatching(/^\[Tool (?:call|execution) was interrupted/),
    });
    expect(switched.analysis.warnings.find(({ code }) => code === "calls_unfinished")).toMatchObject({
      type: "warning",
      message: "1 tool call had no result yet: abandoned, and marked as interrupted.",
      entries: [pending?.id],
    });
    await goesOn(world, switched.there, [user("u3"), assistant("a3")]);
    const { losses } = await over(world, switched.there, from);
    expect(losses.map(({ kind }) => kind)).not.toContain("call_completed");
  });
});

describe("3. a context that is too large", () => {
  const long = (at: number): Entry[] => [
    { ...user(`u${at}`), content: `question ${at}` } as Entry,
    { ...assistant(`a${at}`), content: `answer ${at} ${"words ".repeat(12_000)}` } as Entry,
  ];
  const TIMELINE = [
    ...Array.from({ length: 10 }, (_, at) => long(at + 10)).flat(),
    user("u1"),
    assistant("a1"),
  ];
  const model = "gpt-4o";

  it("is refused without a strategy, nothing is written, and it goes when that is wanted", async () => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), TIMELINE);
    const before = await contents(world);
    const refused = await over(world, there, "codex", { model }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BatonError);
    const { code, message, hint } = refused as BatonError;
    expect([code, EXIT_STATUS[code]]).toEqual(["refused", 5]);
    expect(message).toMatch(/^1\d\d,\d\d\d tokens → more than 80 % of 128K\./);
    expect(hint).toContain("--strategy hybrid");
    expect(await contents(world)).toEqual(before);
    const { there: all } = await over(world, there, "codex", { model, yes: true });
    expect((await told(world, all)).filter((one) => one.startsWith("user: question"))).toHaveLength(10);
  });

  it("is refused to a dry run too, which says what would happen", async () => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), TIMELINE);
    const before = await contents(world);
    await expect(over(world, there, "codex", { model, dryRun: true })).rejects.toMatchObject({
      code: "refused",
    });
    const { analysis, operation } = await over(world, there, "codex", { model, dryRun: true, yes: true });
    expect(analysis).toMatchObject({ requiresSummarization: true, targetContextLimit: 128_000 });
    expect(operation).toBeNull();
    expect(await contents(world)).toEqual(before);
  });

  const REDUCED: [Strategy, opening: RegExp, kept: number][] = [
    ["truncate", /^user: \[Earlier conversation left out - 10 messages; all of it: baton show claude:/, 12],
    ["summarize", /^user: \[Previous conversation summary - 20 messages\]\n\n/, 2],
    ["hybrid", /^user: \[Previous conversation summary - 10 messages\]\n\n/, 12],
  ];

  it.each(REDUCED)("goes with %s, the newest turns whole", async (summarizationStrategy, opening, kept) => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), TIMELINE);
    const switched = await over(world, there, "codex", { model, options: { summarizationStrategy } });
    const said = await told(world, switched.there);
    expect(said[0]).toMatch(opening);
    expect(said.slice(1, -3)).toEqual(
      TIMELINE.slice(TIMELINE.length - kept, -2).map(
        (one) => `${one.type}: ${"content" in one && one.content}`,
      ),
    );
    expect(said.slice(-3)).toEqual(["user: says u1", "assistant: replies a1", "claude → openai"]);
    expect(switched.analysis.kept).toMatchObject({ messages: kept, of: 22 });
    const { after } = switched.analysis.tokens;
    expect(after).toBeLessThanOrEqual(128_000 * 0.6 + 8_000);
    // Now it fits, and needs no strategy any more.
    const next = await over(world, switched.there, "claude");
    expect(next.analysis.requiresSummarization).toBe(false);
    // The source has all of it.
    expect(await told(world, there)).toHaveLength(22);
  });

  it("says why it cannot be where it cannot, however large it is", async () => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), TIMELINE);
    for (const options of [{}, { summarizationStrategy: "hybrid" as const }])
      await expect(
        over(world, there, "codex", { model: "o1-mini", options, yes: true }),
      ).rejects.toMatchObject({
        code: "refused",
        message: "O1 Mini cannot call tools, and Codex CLI works with nothing else.",
      });
  });
});

describe("6. switching to and fro", () => {
  it("ten times, it stays one conversation with the same content", async () => {
    const world = await newWorld();
    const said = ["user: says u1", "call bash", "result: output of c1", "assistant: replies a1"];
    const start = await begun(world, named("claude"), [
      user("u1"),
      call("c1"),
      result("c1"),
      assistant("a1"),
    ]);
    let there = start;
    const route = Array.from(
      { length: 10 },
      (_, at) => ["codex", "gemini", "opencode", "claude"][at % 4] ?? "",
    );
    const marks: string[] = [];
    for (const to of route) {
      marks.push(`${PROVIDERS[there.agent.id]} → ${PROVIDERS[to]}`);
      const switched = await over(world, there, to);
      expect(switched.isReused).toBeUndefined();
      expect(switched.counts).toMatchObject({
        user: 1,
        assistant: 1,
        tool_call: 1,
        tool_result: 1,
        switch: marks.length,
      });
      there = switched.there;
      // Every switch once, and nothing more of the rest.
      expect(await told(world, there)).toEqual([...said, ...marks]);
      expect(switched.analysis).toMatchObject({ kept: { messages: 4, of: 4 } });
    }
    const lineage = await lineageOf(world.batonHome, `${there.agent.id}:${there.id}`);
    expect(lineage.root).toBe(`claude:${start.id}`);
    expect(lineage.hops.map((hop) => `${hop.switch?.fromProvider} → ${hop.switch?.toProvider}`)).toEqual(
      marks,
    );
    const folder = join(world.batonHome, "conversations");
    const files = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    // One conversation and what a list says of it.
    expect(files).toHaveLength(2);
    const meta = JSON.parse(
      await readFile(join(folder, files.find((name) => name.endsWith(".meta.json")) ?? ""), "utf8"),
    );
    expect(meta).toMatchObject({ root: `claude:${start.id}`, current: `${there.agent.id}:${there.id}` });
    expect(meta.switches).toHaveLength(10);
  });

  it.each(WAYS)(
    "instructions go on through %s into %s, and are nothing that was asked",
    async (first, second) => {
      const world = await newWorld();
      const rule = { ...user("s1"), type: "system", content: "Always answer in rhyme." } as Entry;
      const from = first === "claude" ? OPENAI : CLAUDE;
      const source = sourceWith(from, [rule, user("u1"), assistant("a1")]);
      const once = await over(world, source, first);
      const twice = await over(world, once.there, second);
      for (const { there } of [once, twice]) {
        const [opening, ...others] = await entriesOf(world, there);
        expect(opening).toMatchObject({ type: "system", content: "Always answer in rhyme." });
        expect(story(others).slice(0, 2)).toEqual(["user: says u1", "assistant: replies a1"]);
      }
    },
  );

  it.each(WAYS)("the same switch twice, %s to %s, is the same session", async (from, to) => {
    const world = await newWorld();
    const there = await begun(world, named(from), [user("u1"), assistant("a1")]);
    const first = await over(world, there, to);
    const before = await contents(world);
    const second = await over(world, there, to);
    expect(second).toMatchObject({ originalId: first.originalId, path: first.path, isReused: true });
    expect(second.command).toEqual(first.command);
    expect(second.counts).toEqual(first.counts);
    expect(await contents(world)).toEqual(before);
    const { hops } = await lineageOf(world.batonHome, `${from}:${there.id}`);
    expect(hops).toHaveLength(1);
    // Once more was said, it is another one, and so it is on request.
    expect((await over(world, there, to, { anew: true })).originalId).not.toBe(first.originalId);
    await goesOn(world, there, [user("u2"), assistant("a2")]);
    const third = await over(world, there, to);
    expect(third.originalId).not.toBe(first.originalId);
    expect(await told(world, third.there)).toContain("user: says u2");
  });
});

describe("7. a network that fails during the switch", () => {
  const long = { ...assistant("a0"), content: "words ".repeat(60_000) } as Entry;
  const TIMELINE = [user("u0"), long, user("u1"), assistant("a1")];
  const options = { summarizationStrategy: "hybrid" as const };
  const overrides = windowed(60_000);

  const FAILURES: [string, Summarizer, AbortSignal | undefined, RegExp][] = [
    [
      "a request that fails",
      () => Promise.reject(new Error("fetch failed", { cause: new Error("ECONNRESET") })),
      undefined,
      /fetch failed: ECONNRESET/,
    ],
    ["an answer without words", async () => "  \n", undefined, /the model's answer was empty/],
    ["an answer that is none", async () => undefined as never, undefined, /the model's answer was empty/],
    [
      "a user who stops it before",
      async () => "never",
      AbortSignal.abort(new Error("no more")),
      /it was stopped \(no more\)/,
    ],
    [
      "a time that is over",
      () => Promise.withResolvers<string>().promise,
      AbortSignal.timeout(20),
      /it was stopped/,
    ],
  ];

  it.each(FAILURES)(
    "%s: nothing is written, and the summary that needs no network is offered",
    async (_, summarizer, signal, why) => {
      const world = await newWorld();
      const there = await begun(world, named("claude"), TIMELINE);
      const before = await contents(world);
      const failed = await over(world, there, "codex", {
        options,
        overrides,
        summarizer,
        ...(signal && { signal }),
        yes: true,
      }).catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: "failed", message: expect.stringMatching(why) });
      expect((failed as BatonError).hint).toMatch(/^Nothing was written\..*a summary that no model makes/);
      expect(await contents(world)).toEqual(before);
      // Both ways on.
      const again = await over(world, there, "codex", {
        options,
        overrides,
        summarizer: async () => "They spoke of words.",
      });
      expect((await told(world, again.there))[0]).toBe(
        "user: [Previous conversation summary - 2 messages]\n\nThey spoke of words.",
      );
      const extracted = await over(world, there, "codex", { options, overrides });
      expect((await told(world, extracted.there))[0]).toMatch(
        /^user: \[Previous conversation summary - 2 messages\]\n\n.*says u0/s,
      );
      expect((await lineageOf(world.batonHome, `claude:${there.id}`)).hops).toHaveLength(2);
    },
  );

  it("in the middle of a long summary, after some answers", async () => {
    const world = await newWorld();
    const there = await begun(world, named("claude"), [
      ...Array.from(
        { length: 40 },
        (_, at) => ({ ...user(`q${at}`), content: `${at} ${"words ".repeat(1_500)}` }) as Entry,
      ),
      assistant("a0"),
      user("u1"),
      assistant("a1"),
    ]);
    const before = await contents(world);
    let asked = 0;
    const summarizer: Summarizer = async () => {
      if (++asked === 2) throw new Error("socket hang up");
      return "so far";
    };
    await expect(over(world, there, "gemini", { options, overrides, summarizer })).rejects.toMatchObject({
      code: "failed",
    });
    expect(asked).toBe(2);
    expect(await contents(world)).toEqual(before);
  });
});
