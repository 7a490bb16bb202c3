// The summary that no model makes: what it quotes, what it counts, and that it fits whatever it is given.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { newExtract } from "../../src/transform/extract.ts";
import { call, compaction, result } from "../session/build.ts";
import { does, replies, runs, says } from "./talk.ts";

const count = (text: string) => Math.ceil(text.length / 4);
const PLENTY = { tokens: 100_000, count };

function extract(timeline: Entry[], limit = PLENTY): string {
  const made = newExtract("/project");
  for (const entry of timeline) made.add(entry);
  return made.text(limit);
}

/** The lines of a section. */
function section(title: string, timeline: Entry[], limit = PLENTY): string[] {
  const found = extract(timeline, limit)
    .split("\n\n")
    .find((one) => one.startsWith(`## ${title}\n`));
  return found?.split("\n").slice(1) ?? [];
}

describe("what was asked", () => {
  it("is each prompt in one line, and nothing that nobody typed", () => {
    const timeline = [
      says("context", { injected: true }),
      says("Fix the login,\n  please"),
      says("API error", { note: true }),
      replies("Done."),
      says("x".repeat(500)),
      says("  \n "),
      says("", { parts: [{ type: "image", data: "AAAA" }] }),
    ];
    expect(section("What was asked", timeline)).toEqual([
      '- "Fix the login, please"',
      `- "${"x".repeat(199)}…"`,
      '- "[image]"',
    ]);
  });

  it("keeps the newest, and says how many are left out", () => {
    const timeline = Array.from({ length: 1200 }, (_, at) => says(`prompt ${at}`));
    const [note, ...lines] = section("What was asked", timeline);
    expect(note).toBe("- [… 700 earlier left out]");
    expect(lines).toHaveLength(500);
    expect(lines.at(-1)).toBe('- "prompt 1199"');
    const [shorter, ...few] = section("What was asked", timeline, { tokens: 100, count });
    expect(shorter).toBe(`- [… ${1200 - few.length} earlier left out]`);
    expect(few.at(-1)).toBe('- "prompt 1199"');
  });
});

describe("decisions", () => {
  it.each([
    ["English", "We decided to keep SQLite."],
    ["English", "I'll use a queue here."],
    ["English", "Let’s go with option B."],
    ["English", "Postgres was chosen; the team chose it last week."],
    ["English", "I switched to pnpm."],
    ["German", "Wir haben uns für SQLite entschieden."],
    ["German", "Wir verwenden jetzt eine Warteschlange."],
    ["French", "J’utilise une file d’attente plutôt que des threads."],
    ["French", "Nous avons choisi Postgres."],
    ["Spanish", "Usaremos SQLite en lugar de Postgres."],
    ["Chinese", "我们决定使用 SQLite。"],
    ["Chinese", "这里改用队列。"],
    ["Japanese", "キューを使うことにしました。"],
    ["Japanese", "Postgres ではなく SQLite を使います。"],
  ])("in %s are quoted: %s", (_, sentence) => {
    const around = /[。]$/.test(sentence)
      ? `读取文件。${sentence}完成。`
      : `I read a.ts first. ${sentence} Done.`;
    expect(section("Decisions", [replies(around)])).toEqual([`- Assistant: "${sentence}"`]);
    expect(section("Decisions", [says(sentence)])).toEqual([`- User: "${sentence}"`]);
  });

  it("are told once, and neither in code nor as a question", () => {
    const timeline = [
      replies("- I'll use Redis.\n"),
      replies("Fine. I'll use *Redis*!"),
      replies("```\n// we decided to leave\n```\nShall we use A instead of B?"),
      replies("The install of the tool and its statement are undecided."),
    ];
    expect(section("Decisions", timeline)).toEqual(['- Assistant: "I\'ll use *Redis*!"']);
  });
});

describe("files", () => {
  it("are told with what became of them, how often and by how many lines", () => {
    const timeline = [
      ...does("read", { path: "/project/src/only-read.ts" }),
      ...does("read", { path: "/project/src/a.ts" }),
      ...does("edit", { path: "/project/src/a.ts", edits: [{ old: "a\nb", new: "a\nc\nd" }] }),
      ...does("edit", { path: "src/a.ts", edits: [{ old: "x", new: "" }] }),
      ...does("write", { path: "/project/new.ts", content: "1\n2\n" }, { output: "File created: new.ts" }),
      ...does("write", { path: "unknown.ts", content: "1\n" }, { output: "ok" }),
      ...does("edit", {
        path: "x",
        changes: [
          { kind: "add", path: "added.ts", content: "1\n2\n3\n" },
          { kind: "delete", path: "gone.ts" },
          { kind: "move", path: "from.ts", to: "to.ts", diff: "@@\n-a\n+b\n+c" },
        ],
      }),
      ...does("write", { path: "failed.ts", content: "1" }, { success: false }),
      ...does("edit", { path: "patched.ts", edits: [] }, { details: { patch: "@@ -1 +1,2 @@\n-a\n+b\n+c" } }),
      ...does("edit", { path: "odd.ts", changes: [null, 5, {}] }),
      ...does("edit", { path: "odd.ts", edits: [null] }),
    ];
    expect(section("Files", timeline)).toEqual([
      "- read src/only-read.ts",
      "- modified src/a.ts (2 changes, +2 −2)",
      "- created new.ts (+2)",
      "- written unknown.ts (+1)",
      "- created added.ts (+3 −0)",
      "- deleted gone.ts",
      "- moved away from.ts",
      "- modified to.ts (+2 −1)",
      "- modified patched.ts (+2 −1)",
      "- modified odd.ts",
    ]);
  });

  it("that were only read go first", () => {
    const reads = Array.from({ length: 400 }, (_, at) => does("read", { path: `r${at}` })).flat();
    const timeline = [...does("write", { path: "w", content: "" }), ...reads];
    const lines = section("Files", timeline);
    expect(lines[0]).toBe("- [… 100 earlier left out]");
    expect(lines.at(-1)).toBe("- written w (+0)");
    expect(section("Files", timeline, { tokens: 50, count }).at(-1)).toBe("- written w (+0)");
  });
});

describe("commands", () => {
  it("are told once, with how they ended and how often they ran", () => {
    const timeline = [
      ...runs("npm test", { success: false, details: { exitCode: 1 } }),
      ...runs("ls", { details: { exitCode: 2 } }),
      ...runs("npm  test"),
      ...runs("make", { output: "Command: make\nOutput: no rule\nExit Code: 2" }),
      ...runs("true", { output: "the Exit Code: 3 of others" }),
      ...runs("false", { success: false, output: "Exit code 127\nnot found" }),
      ...runs("denied", { success: false, output: "" }),
      ...runs("sleep 100", { success: false, interrupted: true }),
      ...runs(`echo ${"x".repeat(500)}1`),
      ...runs(`echo ${"x".repeat(500)}2`),
      ...does("search", { pattern: "TODO" }),
      ...does("bash", { session: "1", stdin: "y" }),
    ];
    const long = `- ok: echo ${"x".repeat(154)}…`;
    expect(section("Commands", timeline)).toEqual([
      "- failed with exit code 2: ls",
      "- ok, run 2 times: npm test",
      "- failed with exit code 2: make",
      "- ok: true",
      "- failed with exit code 127: false",
      "- failed: denied",
      "- interrupted: sleep 100",
      long,
      long,
    ]);
  });
});

describe("what is unfinished", () => {
  it("is the last list's rest, calls without a result, interrupted turns and a last command that failed", () => {
    const list = (...statuses: string[]) => ({
      items: statuses.map((status, at) => ({ text: `item ${at}`, status })),
    });
    const timeline = [
      says("first"),
      replies("I look", { interrupted: true }),
      says("second"),
      ...does("todo", list("pending", "pending", "pending", "pending")),
      ...does("todo", list("completed", "in_progress", "cancelled", "pending")),
      ...does("todo", list("pending"), { success: false }),
      call("open1"),
      { ...call("open2"), tool: "unknown", originalTool: "mcp__server__do", input: {} } as Entry,
      { ...call("open3"), tool: "web_search", hosted: true, input: {} } as Entry,
      ...runs("npm test", { success: false }),
    ];
    expect(section("Unfinished", timeline)).toEqual([
      '- interrupted: "first"',
      "- no result: bash run open1",
      "- no result: mcp__server__do",
      "- the last command failed: npm test",
      '- in progress: "item 1"',
      '- to do: "item 3"',
    ]);
    const finished = [...timeline, result("open1"), result("open2"), ...runs("npm test")];
    const items = '- in progress: "item 1"';
    expect(section("Unfinished", [...finished, ...does("todo", list("completed"))])).toEqual([
      '- interrupted: "first"',
    ]);
    expect(section("Unfinished", finished)).toEqual(['- interrupted: "first"', items, '- to do: "item 3"']);
  });
});

describe("open questions", () => {
  it("are those of the last replies, and those of a user that nobody replied to", () => {
    const asked = replies("Done. Shall I add tests? Or docs？\n```\nwhy?\n```\n???");
    const lines = ['- Assistant: "Shall I add tests?"', '- Assistant: "Or docs？"'];
    expect(section("Open questions", [says("Is it done?"), asked])).toEqual(lines);
    expect(section("Open questions", [asked, says("Yes, both.")])).toEqual([]);
    expect(section("Open questions", [asked, says("Yes. これは何ですか？ 为什么？"), call("c")])).toEqual([
      '- User: "これは何ですか？"',
      '- User: "为什么？"',
    ]);
    const talks = [says("go"), ...[1, 2, 3, 4].map((at) => replies(`Question ${at}?`))];
    expect(section("Open questions", talks)).toHaveLength(3);
  });
});

describe("an earlier summary", () => {
  const earlier = "[Previous conversation summary - 12 messages]\n\n## Files\n> - read a.ts\n\n> > deeper";

  it.each([
    ["a message that hands it over", says(earlier, { injected: true })],
    ["a compaction", compaction("k", { summary: earlier })],
    [
      "what a compaction left",
      compaction("k", { replacement: [says("hi"), says(earlier, { injected: true })] }),
    ],
  ])("in %s comes first and is quoted", (_, entry) => {
    expect(extract([says("before"), entry, says("after")])).toBe(
      '## Technical context\n> ## Files\n> - read a.ts\n> deeper\n\n## What was asked\n- "before"\n- "after"',
    );
  });

  it("is the newest one, shortened from its end", () => {
    const long = Array.from({ length: 500 }, (_, at) => `fact ${at}`).join("\n");
    const timeline = [
      compaction("k1", { summary: "old" }),
      compaction("k2", { summary: long }),
      compaction("k3"),
    ];
    const lines = section("Technical context", timeline);
    expect(lines[0]).toBe("> fact 0");
    expect(lines.at(-1)).toBe("> [… 380 more left out]");
    const few = section("Technical context", timeline, { tokens: 60, count });
    expect(few[0]).toBe("> fact 0");
    expect(few.at(-1)).toBe(`> [… ${500 - few.length + 1} more left out]`);
  });

  it("does not grow when summaries are summarised again and again", () => {
    let text = "";
    for (let round = 0; round < 30; round++) {
      const before = says(`[Previous conversation summary - 9 messages]\n\n${text}`, { injected: true });
      const timeline = [...(text === "" ? [] : [before]), says(`prompt ${round}`), ...runs(`run ${round}`)];
      text = extract(timeline, { tokens: 400, count });
      expect(count(text)).toBeLessThanOrEqual(400);
    }
    expect(text).toContain("prompt 29");
    expect(text).toContain("prompt 28");
    expect(text).not.toContain("> >");
  });
});

describe("its size", () => {
  const timeline = Array.from({ length: 300 }, (_, at) => [
    says(`Prompt number ${at}: please change file ${at}. Why?`),
    replies(`I decided to change file ${at} instead of another one.`),
    ...does("edit", { path: `src/file${at}.ts`, edits: [{ old: "a", new: "b" }] }),
    ...runs(`npm test -- file${at}`),
  ]).flat();

  it.each([50, 100, 500, 2000, 10_000])(
    "is at most %i tokens, well used, without a broken line",
    (tokens) => {
      const text = extract(timeline, { tokens, count });
      expect(count(text)).toBeLessThanOrEqual(tokens);
      expect(count(text)).toBeGreaterThan(tokens * 0.5);
      for (const line of text.split("\n"))
        if (tokens > 50) expect(line).toMatch(/^$|^## |^- .*[\w)"\]]$|^\[Left out for length: .*\]$/);
    },
  );

  it("leaves out whole sections last, and says which", () => {
    expect(extract(timeline, { tokens: 70, count })).toMatch(/\[Left out for length: .*Commands \(300\)/);
  });

  it("cuts one line that is too long for itself", () => {
    const text = extract([says("漢".repeat(300))], { tokens: 50, count: (value) => value.length });
    expect(text).toMatch(/^## What was asked\n- "漢+…$/);
    expect(text.length).toBeLessThanOrEqual(50);
    for (const tokens of [50, 51]) {
      const half = extract([says("😀".repeat(300))], { tokens, count: (value) => value.length });
      expect(half).toContain("😀…");
      expect(half.isWellFormed()).toBe(true);
    }
  });

  it("of nothing is nothing", () => {
    expect(extract([])).toBe("");
    expect(extract([says("hello")], { tokens: 2, count })).toBe("");
  });
});
