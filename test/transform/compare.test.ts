// Two sessions are aligned by their prompts, and told apart by what was done, not by how an agent names it.

import { describe, expect, it } from "vitest";
import type { Entry, Session } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { align, type Pair } from "../../src/transform/align.ts";
import { compare } from "../../src/transform/compare.ts";
import { turnFacts } from "../../src/transform/turn-facts.ts";
import { fc } from "../property.ts";
import { session } from "../session/build.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString();
const prompt = (content: string, second = 0): Entry => ({
  id: `u${content}`,
  timestamp: at(second),
  type: "user",
  content,
});
const reply = (content: string, second = 0, fields: Partial<Entry> = {}): Entry =>
  ({ id: `a${content}`, timestamp: at(second), type: "assistant", content, ...fields }) as Entry;
type Tool = Extract<Entry, { type: "tool_call" }>["tool"];
const used = (
  id: string,
  tool: Tool,
  input: Record<string, unknown>,
  success = true,
  fields = {},
): Entry[] => [
  { id, timestamp: at(1), type: "tool_call", tool, input, ...fields },
  { id: `${id}r`, timestamp: at(2), type: "tool_result", callId: id, success, output: "" },
];
const of = (timeline: Entry[], fields: Partial<Session> = {}) => sourceOf(session(timeline, fields));

const shown = (pairs: readonly Pair[]) => pairs.map(({ a, b }) => `${a ?? "-"}${b ?? "-"}`).join(" ");

describe("alignment", () => {
  it("equal prompts belong together, whatever stands between them", () => {
    expect(shown(align(["one", "two", "three"], ["one", "two", "three"]))).toBe("00 11 22");
    expect(shown(align(["one", "two", "three"], ["zero!", "one", "three"]))).toBe("-0 01 1- 22");
    expect(shown(align(["yes", "yes", "yes"], ["yes", "yes"]))).toBe("00 11 2-");
    expect(align([], [])).toEqual([]);
  });

  it("white space, case and letters that look alike make no difference", () => {
    expect(align(["Fix  the\nBUG"], ["fix the bug "])).toEqual([{ a: 0, b: 0, similarity: 1 }]);
  });

  it("similar prompts belong together, others do not", () => {
    const [pair] = align(["Please fix the failing parser test"], ["Please fix the failing lexer test"]);
    expect(pair).toMatchObject({ a: 0, b: 0 });
    expect(pair?.similarity).toBeGreaterThan(0.5);
    expect(pair?.similarity).toBeLessThan(1);
    expect(shown(align(["Write a poem"], ["Run the tests now"]))).toBe("0- -0");
    expect(shown(align(["把这个函数重命名为总和"], ["请把这个函数重命名为总和！"]))).toBe("00");
  });

  it("a prompt that an agent put something before is still the same", () => {
    expect(
      shown(align(["Look at this"], ['<image name="1" path="/p/a-long-path/dot.png"></image>Look at this'])),
    ).toBe("00");
  });

  it("the best pair is taken, not the first that would do", () => {
    const other = ["fix the parser in src/a.ts please", "fix the parser in src/b.ts please"];
    expect(shown(align(["fix the parser in src/b.ts please"], other))).toBe("-0 01");
  });

  it("every prompt stands once and in order", () => {
    const prompts = fc.array(
      fc.constantFrom("yes", "go on", "fix the bug", "fix the bugs", "run it", "日本"),
    );
    fc.assert(
      fc.property(prompts, prompts, (a, b) => {
        const pairs = align(a, b);
        expect(pairs.flatMap((pair) => pair.a ?? [])).toEqual([...a.keys()]);
        expect(pairs.flatMap((pair) => pair.b ?? [])).toEqual([...b.keys()]);
        const together = pairs.filter((pair) => pair.a !== undefined && pair.b !== undefined);
        for (const pair of together) expect(pair.similarity).toBeGreaterThanOrEqual(0.5);
      }),
    );
  });

  it("thousands of prompts with some missing are aligned", () => {
    const many = Array.from({ length: 5000 }, (_, index) => `prompt number ${index} of many`);
    const fewer = many.filter((_, index) => index % 7 !== 3);
    const pairs = align(many, fewer);
    expect(pairs.filter(({ similarity }) => similarity === 1)).toHaveLength(fewer.length);
    const strangers = Array.from({ length: 2500 }, (_, index) => `${index * 7919} ganz anders`);
    expect(align(strangers, many).filter(({ a }) => a !== undefined)).toHaveLength(2500);
  });
});

describe("what came of a prompt", () => {
  it("files, tools, tokens, cost, time, errors and the answer", async () => {
    const usage = { input: 10, output: 5, cacheRead: 100, cost: 0.5 };
    const [turn, ...others] = await Array.fromAsync(
      turnFacts(
        of([
          { id: "s", timestamp: at(0), type: "system", content: "before" },
          prompt("do it", 0),
          ...used("c1", "read", { path: "/project/src/a.ts" }),
          ...used("c2", "edit", { path: "src/a.ts", edits: [{ old: "a\nb", new: "a\nc\nd" }] }),
          ...used("c3", "write", { path: "/elsewhere/b.ts", content: "x\ny\n" }),
          ...used("c4", "edit", { path: "src/c.ts", edits: [{ old: "1", new: "2" }] }, false),
          ...used("c5", "unknown", {}, true, { originalTool: "mcp__files__stat" }),
          { ...reply("Done.", 30, { usage, model: "m-1" }) },
        ]),
      ),
    );
    expect(others).toEqual([]);
    expect(turn).toEqual({
      entry: "udo it",
      prompt: "do it",
      start: at(0),
      end: at(30),
      ms: 30_000,
      models: ["m-1"],
      tools: { edit: 2, files_stat: 1, read: 1, write: 1 },
      files: [
        { path: "/elsewhere/b.ts", read: false, changed: true, added: 2, removed: null },
        { path: "src/a.ts", read: true, changed: true, added: 2, removed: 1 },
      ],
      errors: 1,
      unanswered: 0,
      answer: "Done.",
      replies: 1,
      tokens: { input: 10, output: 5, cacheRead: 100, cacheWrite: 0, reasoning: 0 },
      cost: 0.5,
      computed: 0,
    });
  });

  it("a price stands in where no cost was recorded, and says so", async () => {
    const stream = of([
      prompt("p"),
      reply("one", 1, { usage: { input: 1, output: 1, cost: 0.25 } }),
      reply("two", 2, { usage: { input: 1, output: 1 } }),
      reply("three", 3, { usage: { input: 0, output: 1 } }),
    ]);
    const priceOf = ({ input }: { input: number }) => (input > 0 ? 0.5 : undefined);
    expect(await Array.fromAsync(turnFacts(stream, priceOf))).toMatchObject([{ cost: 0.75, computed: 0.5 }]);
    expect(await Array.fromAsync(turnFacts(stream))).toMatchObject([{ cost: 0.25, computed: 0 }]);
  });

  it("a recorded zero beside tokens is no cost, but what cost nothing did", async () => {
    const spentOn = (usage: { input: number; output: number }) =>
      of([prompt("go"), reply("one", 1, { usage: { ...usage, cost: 0 } })]);
    const used = spentOn({ input: 9, output: 1 });
    expect(await Array.fromAsync(turnFacts(used, () => 0.5))).toMatchObject([{ cost: 0.5, computed: 0.5 }]);
    expect(await Array.fromAsync(turnFacts(used))).toMatchObject([{ cost: null, computed: 0 }]);
    const aborted = spentOn({ input: 0, output: 0 });
    expect(await Array.fromAsync(turnFacts(aborted, () => 0.5))).toMatchObject([{ cost: 0, computed: 0 }]);
  });

  it("what an agent kept of a change counts more than what was asked for", async () => {
    const [call, result] = used("c1", "edit", { path: "a", edits: [{ old: "o", new: "0", all: true }] });
    const details = { patch: "@@ -1,2 +1,2 @@\n-one\n+0ne\n-four\n+f0ur\n x" };
    const stream = of([prompt("p"), call as Entry, { ...result, details } as Entry]);
    expect((await Array.fromAsync(turnFacts(stream)))[0]?.files).toEqual([
      { path: "a", read: false, changed: true, added: 2, removed: 2 },
    ]);
  });

  it("a patch touches several files, a move two", async () => {
    const changes = [
      { kind: "update", path: "a", diff: "@@\n one\n-two\n+2\n three\n+four" },
      { kind: "add", path: "b", content: "first\nlast\n" },
      { kind: "delete", path: "c" },
      { kind: "move", path: "d", to: "e", diff: "@@\n-x\n+y" },
    ];
    const stream = of([prompt("p"), ...used("c1", "edit", { path: "a", changes })]);
    expect(
      (await Array.fromAsync(turnFacts(stream)))[0]?.files.map(({ path, added, removed }) => [
        path,
        added,
        removed,
      ]),
    ).toEqual([
      ["a", 2, 1],
      ["b", 2, 0],
      ["c", null, null],
      ["d", null, null],
      ["e", 1, 1],
    ]);
  });
});

describe("a comparison", () => {
  it("says what differs, and what stands alone", async () => {
    const a = of([
      prompt("first"),
      ...used("c1", "read", { path: "a" }),
      reply("A"),
      prompt("only here"),
      reply("B"),
    ]);
    const b = of([
      prompt("first"),
      ...used("c1", "bash", { command: "cat a" }, false),
      reply("A"),
      prompt("and here"),
    ]);
    const { turns, totals } = await compare(a, b);
    expect(
      turns.map(({ a: one, b: other, same, differs }) => [one?.prompt, other?.prompt, same, differs]),
    ).toEqual([
      ["first", "first", false, ["files", "tools", "errors"]],
      ["only here", undefined, false, []],
      [undefined, "and here", false, []],
    ]);
    expect(totals).toMatchObject({ both: 1, onlyA: 1, onlyB: 1, same: false });
    expect(totals.a).toMatchObject({ turns: 2, replies: 2, tools: { read: 1 }, read: 1, errors: 0 });
    expect(totals.b).toMatchObject({ turns: 2, replies: 1, tools: { bash: 1 }, read: 0, errors: 1 });
  });

  it("a patch of two files equals an edit and a new file, in a project that has moved", async () => {
    const changes = [
      { kind: "update", path: "a.ts", diff: "@@\n-x\n+y" },
      { kind: "add", path: "b.ts", content: "new" },
    ];
    const a = of([prompt("p"), ...used("c1", "edit", { path: "a.ts", changes }), reply("ok")]);
    const b = of(
      [
        prompt("p"),
        ...used("c1", "edit", { path: "/moved/a.ts", edits: [{ old: "x", new: "y" }] }),
        ...used("c2", "write", { path: "/moved/b.ts", content: "new" }),
        reply("ok", 50, { usage: { input: 1, output: 1 } }),
      ],
      { project: { path: "/moved" } },
    );
    expect(await compare(a, b)).toMatchObject({ totals: { same: true, both: 1 } });
  });

  it("notes and injected context are no prompts, and a preamble without replies is no turn", async () => {
    const a = of([
      { ...prompt("context"), injected: true } as Entry,
      prompt("p"),
      { ...prompt("n"), note: true } as Entry,
    ]);
    expect(await compare(a, of([prompt("p")]))).toMatchObject({ totals: { same: true, both: 1 } });
  });
});
