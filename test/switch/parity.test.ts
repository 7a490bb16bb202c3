// What each provider can do, between each two of them, as content that is really written into the target's store and
// read again from there.
import { describe, expect, it } from "vitest";
import type { Entry, ToolCall, ToolResult } from "../../src/session/session.ts";
import { assistant, call, result, user } from "../session/build.ts";
import {
  around,
  CLAUDE,
  FEATURES,
  GEMINI,
  OPENAI,
  PNG,
  replied,
  type Side,
  sourceWith,
  text,
} from "./featured.ts";
import { entriesOf, type Over, over, partsIn, story } from "./over.ts";
import { windowed } from "./prepared.ts";
import { named, newWorld } from "./world.ts";

const SIDES = { claude: CLAUDE, gemini: GEMINI, codex: OPENAI } satisfies Record<string, Side>;
type Agent = keyof typeof SIDES;

const AGENTS = Object.keys(SIDES) as Agent[];
const WAYS = AGENTS.flatMap((from) => AGENTS.filter((to) => to !== from).map((to) => [from, to] as const));

interface Made extends Over {
  entries: Entry[];
  told: string[];
}

async function made(
  from: Agent,
  to: Agent,
  timeline: readonly Entry[],
  more: Parameters<typeof over>[3] = {},
): Promise<Made> {
  const world = await newWorld();
  const switched = await over(world, sourceWith(SIDES[from], timeline), to, more);
  const entries = await entriesOf(world, switched.there);
  return { ...switched, entries, told: story(entries) };
}

const feature = (name: string) => around(FEATURES[name] ?? []);
const PROVIDERS = { claude: "claude", gemini: "gemini", codex: "openai" } satisfies Record<Agent, string>;

describe.each(WAYS)("from %s to %s", (from, to) => {
  const mark = `${PROVIDERS[from]} → ${PROVIDERS[to]}`;
  const FIRST = ["user: says u1", "assistant: replies a1", "user: says u2"];
  const LAST = ["user: says u9", "assistant: replies a9", mark];

  it("text is the same", async () => {
    const odd = "Grüße 👩‍💻 <tag> `code` \\n {} \u2028 end";
    const timeline = [
      { ...user("u1"), content: odd } as Entry,
      { ...assistant("a1"), content: odd } as Entry,
    ];
    const { told, losses } = await made(from, to, timeline);
    expect(told).toEqual([`user: ${odd}`, `assistant: ${odd}`, mark]);
    expect(losses.filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  it("tool calls keep their arguments and their results, under ids that the target takes", async () => {
    const long = `call|${"x".repeat(120)}#1`;
    const timeline: Entry[] = [
      user("u1"),
      { ...call(long), turn: "t1" } as Entry,
      { ...call("toolu_01ABC"), turn: "t1", tool: "read", input: { path: "/project/a.ts" } } as Entry,
      { ...result(long, {}, "r1"), output: "one" } as Entry,
      { ...result("toolu_01ABC", {}, "r2"), success: false, output: "no such file" } as Entry,
      assistant("a1"),
    ];
    const { entries, counts } = await made(from, to, timeline);
    expect(counts).toMatchObject({ tool_call: 2, tool_result: 2 });
    const calls = entries.filter((one): one is ToolCall => one.type === "tool_call");
    const results = entries.filter((one): one is ToolResult => one.type === "tool_result");
    expect(calls.map(({ tool, input }) => [tool, input.command ?? input.path])).toEqual([
      ["bash", `run ${long}`],
      ["read", "/project/a.ts"],
    ]);
    // Each result belongs to its own call, wherever its id went.
    const said = new Map(results.map(({ callId, output, error }) => [callId, output || error]));
    expect(calls.map(({ id }) => said.get(id))).toEqual(["one", expect.stringContaining("no such file")]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  it("the system prompt is kept as instructions, or left out when asked", async () => {
    const told = { ...user("s1"), type: "system", content: "Always answer in rhyme." } as Entry;
    const kept = await made(from, to, [told, ...around([])]);
    expect(JSON.stringify(kept.entries)).toContain("Always answer in rhyme.");
    const without = await made(from, to, [told, ...around([])], { options: { preserveSystemPrompt: false } });
    expect(JSON.stringify(without.entries)).not.toContain("rhyme");
    expect(without.losses.map(({ kind }) => kind)).toContain("instructions_omitted");
    expect(without.analysis.lossyFeatures).toEqual(["system_prompt"]);
  });

  it("thinking is dropped, or becomes text that says what it was", async () => {
    const dropped = await made(from, to, feature("thinking blocks"));
    expect(dropped.told).toEqual([
      ...FIRST,
      "assistant: done",
      "user: says u3",
      "assistant: replies a3",
      ...LAST,
    ]);
    const converted = await made(from, to, feature("thinking blocks"), { options: { thinking: "convert" } });
    const words = converted.told.join("\n");
    for (const thought of ["hm", "so", "aha"])
      expect(words).toContain(`[Previous reasoning]\n${thought}\n[End reasoning]`);
    expect(partsIn(converted.entries, "thinking")).toEqual([]);
    expect(converted.analysis.warnings.map(({ code }) => code)).toContain("thinking_converted");
  });

  it("reasoning that was never shown stays behind, even when it is to be converted", async () => {
    const { told, losses } = await made(from, to, feature("hidden reasoning"), {
      options: { thinking: "convert" },
    });
    expect(told).toEqual([...FIRST, "assistant: done", ...LAST]);
    expect(losses.filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  it("artifacts are part of the message", async () => {
    const { told, entries } = await made(from, to, feature("artifacts"));
    const words = told.join("\n");
    expect(words).toContain("```typescript\n// one.ts\nconst a = 1;\n```");
    expect(words).toContain("# Notes");
    expect(partsIn(entries, "artifact")).toEqual([]);
  });

  it("images of the user are the same bytes", async () => {
    const { entries } = await made(from, to, feature("images in input"));
    expect(partsIn(entries, "image")).toEqual([
      expect.objectContaining({ type: "image", mimeType: "image/png", data: PNG }),
    ]);
  });

  it("images that a model made are there as bytes, or as their address", async () => {
    const far = await made(from, to, feature("images in output"));
    expect(JSON.stringify(far.entries)).toContain("https://images.example/dot.png");
    const inline = replied("a2", [text("there"), { type: "image", mimeType: "image/png", data: PNG }]);
    const near = await made(from, to, around([user("u2"), inline]));
    expect(partsIn(near.entries, "image")).toEqual([expect.objectContaining({ data: PNG })]);
    for (const one of [far, near])
      expect(one.analysis.warnings.find(({ code }) => code === "image_generated")).toMatchObject({
        type: "info",
        affectedMessages: [3],
      });
  });

  it("code that ran is history, whether it ran here or at the provider", async () => {
    const here = await made(from, to, feature("tool calls"));
    expect(here.told).toEqual([
      ...FIRST,
      ...["call bash", "result: output of c1", "call bash", "result: output of c2"],
      ...LAST,
    ]);
    const there = await made(from, to, feature("code that ran at the provider"));
    const [ran] = there.entries.filter((one) => one.type === "tool_call");
    expect(ran).toMatchObject({ originalTool: "code_interpreter", input: { code: "1+1" } });
    expect(there.told).toContain("result: [This ran at the model's provider; its result was not recorded]");
  });

  it("what was searched stays, and so does the reply that used it", async () => {
    const browsed = await made(from, to, feature("browsing results"));
    expect(browsed.told).toEqual([
      ...FIRST,
      "call web_search",
      "result: [This ran at the model's provider; its result was not recorded]",
      "assistant: replies a2",
      ...LAST,
    ]);
    const grounded = await made(from, to, feature("grounding results"));
    expect(grounded.told).toEqual([...FIRST, "assistant: replies a2", ...LAST]);
    for (const { analysis } of [browsed, grounded])
      expect(analysis.warnings.map(({ code }) => code)).toContain("web_results");
  });

  it("tokens of a cache are nobody's: they neither change what is said nor are they claimed of the new model", async () => {
    const usage = { input: 100, output: 10, cacheRead: 9000, cacheWrite: 500 };
    const timeline = [user("u1"), { ...assistant("a1"), usage, model: SIDES[from].model } as Entry];
    const { told, entries, analysis } = await made(from, to, timeline);
    expect(told).toEqual(["user: says u1", "assistant: replies a1", mark]);
    for (const entry of entries) expect(entry).not.toHaveProperty("usage");
    // And what the new agent says by itself more than the old one.
    const more = Math.max(0, (named(to).ownTokens ?? 0) - (named(from).ownTokens ?? 0));
    expect(analysis.tokens).toMatchObject({ before: 9610 + more, source: "recorded" });
    expect(analysis.warnings.find(({ code }) => code === "cache_reset")?.type).toBe("info");
  });

  it("calls of MCP servers are kept as history, under their own names", async () => {
    const { entries, told } = await made(from, to, feature("MCP tools"));
    const calls = entries.filter((one): one is ToolCall => one.type === "tool_call");
    expect(calls.map(({ originalTool, input }) => [originalTool, input])).toEqual([
      ["mcp__github__create_issue", { title: "a bug" }],
      ["mcp__github__list_issues", {}],
    ]);
    expect(told.filter((one) => one.startsWith("result"))).toEqual([
      "result: output of c1",
      "result: output of c2",
    ]);
  });

  it("a context that is too large is reduced, and the newest turn is whole", async () => {
    const old = { ...assistant("a1"), content: "old words ".repeat(20_000) } as Entry;
    const more = { options: { summarizationStrategy: "hybrid" as const }, overrides: windowed(40_000) };
    const { told, analysis } = await made(from, to, [user("u1"), old, ...around([]).slice(2)], more);
    expect(told).toEqual([
      expect.stringMatching(/^user: \[Previous conversation summary - 2 messages\]/),
      ...LAST,
    ]);
    expect(analysis).toMatchObject({ requiresSummarization: true, kept: { messages: 2, of: 4 } });
  });
});

describe("thinking that a model has signed", () => {
  const mine = "claude-opus-4-5-20251101";
  const thought = { type: "thinking", text: "hm", signature: "c2lnbmVk" } as const;
  const timeline = [user("u1"), replied("a1", [thought, text("done")], { model: mine })];

  it.each([
    ["claude", mine],
    ["opencode", `anthropic/${mine}`],
  ])("is handed back to this very model in %s", async (to, model) => {
    const world = await newWorld();
    const { there, analysis } = await over(world, sourceWith(OPENAI, timeline), to, { model });
    const entries = await entriesOf(world, there);
    expect(partsIn(entries, "thinking")).toEqual([expect.objectContaining(thought)]);
    expect(analysis.lossyFeatures).toEqual([]);
  });

  it("and to no other", async () => {
    for (const [to, model] of [
      ["claude", "claude-sonnet-4-5-20250929"],
      ["gemini", "gemini-2.5-pro"],
      ["codex", "gpt-5.5"],
    ] as const) {
      const world = await newWorld();
      const from = to === "codex" ? GEMINI : OPENAI;
      const { there } = await over(world, sourceWith(from, timeline), to, { model });
      expect(partsIn(await entriesOf(world, there), "thinking")).toEqual([]);
    }
  });
});
