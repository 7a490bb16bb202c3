// What an analysis says beside the cells of the matrix: its shape, how much it is and whether it fits, what the cache,
// the MCP servers and the options change.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import type { Strategy } from "../../src/switch/reduction.ts";
import { assistant, call, compaction, result, user } from "../session/build.ts";
import { analysed, coded, DIRECTIONS, type Setting, type Way } from "./directions.ts";
import { around, FEATURES, replied, text } from "./featured.ts";
import { named } from "./world.ts";

const TO_GEMINI = DIRECTIONS["Claude → Gemini"];
const TO_GPT = DIRECTIONS["Claude → GPT-4o"];
const TO_CLAUDE = DIRECTIONS["Gemini → Claude"];
const OWN = DIRECTIONS["Opus → Sonnet"];

/** What the target says by itself more than the source: part of its window that the source's count does not hold. */
const more = ({ from, to }: Way) =>
  Math.max(0, (named(to).ownTokens ?? 0) - (named(from.agent).ownTokens ?? 0));

/** A conversation that its agent has counted. */
const counted = (tokens: number, words = "word ".repeat(Math.ceil(tokens / 3))): Entry[] => [
  { ...user("u1"), content: words } as Entry,
  assistant("a1"),
  user("u8"),
  { ...assistant("a8"), usage: { input: tokens - 30, cacheRead: 10, cacheWrite: 10, output: 10 } } as Entry,
];

it("has the fields that were specified, with their types", async () => {
  const analysis = await analysed(TO_GEMINI, around(FEATURES["thinking blocks"] ?? []));
  const { canSwitch, warnings, requiresSummarization, estimatedTokens, targetContextLimit, lossyFeatures } =
    analysis;
  expect({ canSwitch, requiresSummarization, targetContextLimit, lossyFeatures }).toEqual({
    canSwitch: true,
    requiresSummarization: false,
    targetContextLimit: 1_048_576,
    lossyFeatures: ["thinking"],
  });
  expect(Number.isInteger(estimatedTokens)).toBe(true);
  for (const { type, code, message, affectedMessages, entries } of warnings) {
    expect(["info", "warning", "error"]).toContain(type);
    expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
    expect(message).toMatch(/\.$/);
    expect(affectedMessages === undefined).toBe(entries === undefined);
  }
  expect(analysis.from).toEqual({
    agent: "claude",
    provider: "claude",
    model: "claude-opus-4-5-20251101",
    modelDisplay: "Opus 4.5",
  });
  expect(analysis.to).toMatchObject({
    agent: "gemini",
    provider: "gemini",
    modelDisplay: "Gemini 3 Pro Preview",
  });
  expect(analysis.kept).toEqual({ messages: 8, of: 8, toolCalls: 0, toolResults: 0, changedFiles: 0 });
});

it("survives as JSON", async () => {
  const analysis = await analysed(TO_GPT, around(FEATURES["MCP tools"] ?? []));
  expect(JSON.parse(JSON.stringify(analysis))).toEqual(analysis);
});

describe("the context", () => {
  it.each([
    [TO_GEMINI, 45_230, "45,230 tokens → fits in 1M."],
    [TO_GPT, 102_400, "102,400 tokens → fits in 128K."],
    [TO_CLAUDE, 160_000, "160,000 tokens → fits in 200K."],
    [DIRECTIONS["Claude → unknown"], 102_400, "102,400 tokens → fits in 128K."],
  ] as const)("fits up to 80 % of the window: %#", async (way, tokens, message) => {
    const analysis = await analysed(way, counted(tokens - more(way)));
    expect(analysis).toMatchObject({
      estimatedTokens: tokens,
      requiresSummarization: false,
      canSwitch: true,
    });
    expect(analysis.tokens).toMatchObject({
      before: tokens,
      after: tokens,
      source: "recorded",
      estimated: true,
    });
    expect(coded(analysis.warnings, "context_fits")).toEqual([`info: ${message}`]);
    expect(coded(analysis.warnings, "context_too_large")).toEqual([]);
  });

  it.each([
    [TO_GPT, 102_401, "102,401 tokens → more than 80 % of 128K."],
    [TO_GPT, 150_000, "150,000 tokens → more than 80 % of 128K."],
    [TO_CLAUDE, 160_001, "160,001 tokens → more than 80 % of 200K."],
    [TO_CLAUDE, 800_000, "800,000 tokens → more than 80 % of 200K."],
  ] as const)(
    "above that it does not, and without a strategy that is an error: %#",
    async (way, tokens, said) => {
      const analysis = await analysed(way, counted(tokens - more(way)));
      expect(analysis).toMatchObject({
        estimatedTokens: tokens,
        requiresSummarization: true,
        canSwitch: true,
      });
      expect(coded(analysis.warnings, "context_too_large")).toEqual([
        `error: ${said} Choose how to reduce it: truncate, summarize or hybrid.`,
      ]);
      expect(coded(analysis.warnings, "context_fits")).toEqual([]);
      expect(analysis.lossyFeatures).toEqual([]);
    },
  );

  it.each(["truncate", "summarize", "hybrid"] as const)("is reduced with %s", async (strategy: Strategy) => {
    const options = { summarizationStrategy: strategy };
    const analysis = await analysed(TO_GPT, counted(150_000), { options });
    expect(analysis).toMatchObject({ estimatedTokens: 150_000, requiresSummarization: true });
    const { after } = analysis.tokens;
    expect(after).toBeLessThanOrEqual(128_000 * 0.6 + 8_000);
    expect(coded(analysis.warnings, "context_reduced")).toEqual([
      `warning: 150,000 tokens → too many for 128K: reduced to ${after.toLocaleString("en")}, 2 of 4 messages stay.`,
    ]);
    expect(coded(analysis.warnings, "context_too_large")).toEqual([]);
    // Said once, in one sentence.
    expect(coded(analysis.warnings, "history_summarized")).toEqual([]);
    expect(coded(analysis.warnings, "history_truncated")).toEqual([]);
    expect(analysis.lossyFeatures).toEqual(["history"]);
    expect(analysis.kept).toMatchObject({ messages: 2, of: 4 });
  });

  it.each(["truncate", "summarize", "hybrid"] as const)(
    "is reduced with %s, and only what stays is told of",
    async (summarizationStrategy) => {
      const [first, ...others] = counted(150_000);
      const [before, after] = ["MCP tools", "thinking blocks"].map((name) => FEATURES[name] ?? []);
      // In the long first turn, and behind it.
      const timeline = [first, ...(before ?? []).slice(1), ...others, ...(after ?? [])] as Entry[];
      const { warnings, kept } = await analysed(TO_GPT, timeline, { options: { summarizationStrategy } });
      expect(warnings.find(({ code }) => code === "mcp_missing")).toBeUndefined();
      const reduced = warnings.find(({ code }) => code === "context_reduced");
      expect(reduced?.affectedMessages).toEqual(expect.arrayContaining([0, 1, 2, 3]));
      expect(reduced?.affectedMessages).not.toContain(11);
      expect(warnings.find(({ code }) => code === "thinking_dropped")).toMatchObject({
        affectedMessages: expect.arrayContaining([11]),
        message: expect.stringMatching(/thinking blocks? will be dropped/),
      });
      // Of the calls only those that stay.
      expect(kept).toMatchObject({ of: 12, toolCalls: 0, toolResults: 0 });
      const { kept: all } = await analysed({ ...TO_GPT, to: "gemini", model: "gemini-2.5-pro" }, timeline);
      expect(all).toMatchObject({ messages: 12, of: 12, toolCalls: 2, toolResults: 2 });
    },
  );

  it("may have to fit into less than the window", async () => {
    const { estimatedTokens, tokens, targetContextLimit } = await analysed(TO_GEMINI, around([]));
    // The conversation alone, to the token: what the target says by itself does not count.
    const budget = estimatedTokens - tokens.overhead;
    const fits = await analysed(TO_GEMINI, around([]), { options: { budget } });
    expect(fits).toMatchObject({ requiresSummarization: false, targetContextLimit });
    const less = await analysed(TO_GEMINI, around([]), { options: { budget: budget - 1 } });
    expect(less).toMatchObject({ requiresSummarization: true, targetContextLimit });
  });

  it("is estimated where nobody has counted, with what the target says by itself", async () => {
    const { tokens, estimatedTokens } = await analysed(TO_GEMINI, around([]));
    expect(tokens).toMatchObject({ source: "estimated", before: estimatedTokens, estimated: true });
    expect(tokens.overhead).toBeGreaterThan(0);
    expect(estimatedTokens).toBeGreaterThan(tokens.overhead);
  });

  it("without tool calls is not what the agent counted with them", async () => {
    const timeline: Entry[] = [
      user("u1"),
      call("c1"),
      { ...result("c1"), output: "word ".repeat(50_000) } as Entry,
      { ...assistant("a1"), usage: { input: 60_000, output: 10 } } as Entry,
    ];
    expect((await analysed(TO_GPT, timeline)).tokens).toMatchObject({ before: 60_010, source: "recorded" });
    const without = await analysed(TO_GPT, timeline, { options: { includeToolHistory: false } });
    expect(without.tokens.source).toBe("estimated");
    expect(without.estimatedTokens).toBeLessThan(20_000);
  });

  it("with thinking as text is not what the agent counted without it", async () => {
    const [first, second] = counted(45_230);
    const thought = { ...assistant("a7"), thinking: "hm ".repeat(9_000) } as Entry;
    const plain = counted(45_230);
    const told = [first, second, user("u7"), thought, ...plain.slice(2)] as Entry[];
    const convert = { options: { thinking: "convert" as const } };
    expect((await analysed(TO_GEMINI, told)).tokens).toMatchObject({ before: 45_230, source: "recorded" });
    const { tokens } = await analysed(TO_GEMINI, told, convert);
    expect(tokens.source).toBe("estimated");
    // Where there is none, nothing is converted.
    expect((await analysed(TO_GEMINI, plain, convert)).tokens).toMatchObject({
      before: 45_230,
      source: "recorded",
    });
  });

  it("with all of the history is not what the agent counted of the rest", async () => {
    const before = [user("u0"), { ...assistant("a0"), content: "word ".repeat(9_000) } as Entry];
    const told = [...before, compaction("k1", { summary: "They spoke." }), ...counted(45_230)];
    const visible = await analysed(TO_GEMINI, told);
    expect(visible.tokens).toMatchObject({ before: 45_230, source: "recorded" });
    const { tokens } = await analysed(TO_GEMINI, told, { options: { history: "full" } });
    expect(tokens.source).toBe("estimated");
  });
});

describe("the cache", () => {
  const price: Setting["price"] = () => ({
    prices: { input: 2, output: 10, cacheWrite: 2.5 },
    tiers: [],
    matched: "x",
    source: "table",
  });

  it("is reset, which costs what it costs to read everything once", async () => {
    const plain = await analysed(TO_GEMINI, counted(45_230));
    expect(coded(plain.warnings, "cache_reset")).toEqual([
      "info: The prompt cache will reset: 45,230 tokens are read anew.",
    ]);
    expect(plain.rereadCost).toBeNull();
    const priced = await analysed(TO_GEMINI, counted(45_230), { price });
    expect(coded(priced.warnings, "cache_reset")).toEqual([
      "info: The prompt cache will reset: 45,230 tokens are read anew, about $0.11.",
    ]);
    expect(priced.rereadCost).toBeCloseTo(0.113075);
  });

  it("is said not to be there, where there is none", async () => {
    const { warnings } = await analysed({ ...TO_GPT, model: "llama3.3" }, counted(45_230));
    expect(coded(warnings, "cache_reset")).toEqual([
      "info: The prompt cache will reset: 45,230 tokens are read anew. Llama 3.3 has no cache: every turn reads all of it.",
    ]);
  });

  it("of a model that nobody knows is not talked about", async () => {
    const { warnings } = await analysed(DIRECTIONS["Claude → unknown"], counted(45_230));
    expect(coded(warnings, "cache_reset")).toEqual([
      "info: The prompt cache will reset: 45,230 tokens are read anew.",
    ]);
    expect(coded(warnings, "model_unknown")).toEqual([
      expect.stringMatching(/: Nothing is known of mystery-1: a window of 128K, .* are assumed\.$/),
    ]);
  });

  it("stays where the same agent goes on with the same model, and is another one with another", async () => {
    const same = await analysed({ ...OWN, model: OWN.from.model }, counted(45_230), { price });
    expect(coded(same.warnings, "cache_reset")).toEqual([]);
    expect(same.rereadCost).toBeGreaterThan(0);
    const other = await analysed(OWN, counted(45_230));
    expect(coded(other.warnings, "cache_reset")).toHaveLength(1);
  });
});

describe("MCP servers", () => {
  const SERVERS = {
    claude: [DIRECTIONS["OpenAI → Claude"], ".claude.json", { mcpServers: { github: { command: "x" } } }],
    codex: [TO_GPT, ".codex/config.toml", '[mcp_servers.github]\ncommand = "x"\n'],
    gemini: [TO_GEMINI, ".gemini/settings.json", { mcpServers: { github: { command: "x" } } }],
    opencode: [
      DIRECTIONS["Claude → OpenCode"],
      ".config/opencode/opencode.json",
      { mcp: { github: { type: "local", command: ["x"] } } },
    ],
  } as const;

  it.each(Object.entries(SERVERS))("that %s has as well are not missed", async (_, [way, file, content]) => {
    const timeline = around(FEATURES["MCP tools"] ?? []);
    const without = await analysed(way, timeline);
    expect(coded(without.warnings, "mcp_missing")).toHaveLength(1);
    const there = await analysed(way, timeline, { files: { [file]: content } });
    expect(coded(there.warnings, "mcp_missing")).toEqual([]);
    expect(there.lossyFeatures).toEqual([]);
    const other = JSON.parse(JSON.stringify(content).replace("github", "gitlab"));
    const another = await analysed(way, timeline, { files: { [file]: other } });
    expect(coded(another.warnings, "mcp_missing")).toHaveLength(1);
  });

  it("are each named with their own calls, in whatever spelling", async () => {
    const timeline = [
      ...(FEATURES["MCP tools"] ?? []),
      { ...call("c3"), tool: "unknown", originalTool: "mcp__my_db__query" } as Entry,
      result("c3"),
    ];
    const both = await analysed(TO_GEMINI, around(timeline));
    expect(coded(both.warnings, "mcp_missing")).toEqual([
      expect.stringContaining("2 calls of the MCP server github (create_issue, list_issues)"),
      expect.stringContaining("1 call of the MCP server my_db (query)"),
    ]);
    const files = { ".gemini/settings.json": { mcpServers: { "my-db": { command: "x" } } } };
    const one = await analysed(TO_GEMINI, around(timeline), { files });
    expect(coded(one.warnings, "mcp_missing")).toEqual([expect.stringContaining("server github")]);
  });

  it("are missed all the same when their calls are left out", async () => {
    const options = { includeToolHistory: false };
    const { warnings } = await analysed(TO_GEMINI, around(FEATURES["MCP tools"] ?? []), { options });
    expect(coded(warnings, "mcp_missing")).toEqual([expect.stringContaining("They are left out; new calls")]);
  });
});

describe("thinking", () => {
  const signed = (id: string, model: string) =>
    replied(
      id,
      [
        { type: "thinking", text: "hm", signature: "s" },
        { type: "thinking", text: "so", signature: "s" },
        text("done"),
      ],
      { model },
    );
  const way = { ...DIRECTIONS["Claude → OpenCode"], model: "anthropic/claude-opus-4-5" };
  const [mine, theirs] = ["claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929"];

  it("that stays as it is is not counted", async () => {
    const timeline = [user("u1"), signed("a1", mine), user("u2"), signed("a2", theirs)];
    const { warnings } = await analysed({ ...way, model: theirs, to: "codex" }, timeline);
    expect(coded(warnings, "thinking_dropped")[0]).toContain("4 thinking blocks");
    const claude = { ...DIRECTIONS["OpenAI → Claude"], model: mine };
    const kept = await analysed(claude, timeline);
    expect(coded(kept.warnings, "thinking_dropped")).toEqual([
      "warning: 2 thinking blocks will be dropped: Opus 4.5 takes only thinking that it has signed itself.",
    ]);
    const [{ affectedMessages, entries } = {}] = kept.warnings.filter(
      ({ code }) => code === "thinking_dropped",
    );
    expect([affectedMessages, entries]).toEqual([[3], ["a2"]]);
    const all = await analysed(claude, [user("u1"), signed("a1", mine)]);
    expect(all.warnings.map(({ code }) => code)).not.toContain("thinking_dropped");
    expect(all.lossyFeatures).toEqual([]);
  });

  it.each([
    ["drop", "warning: 3 thinking blocks will be dropped: GPT-4o does not support thinking."],
    ["convert", "warning: 3 thinking blocks will be converted to text: GPT-4o does not support thinking."],
    [
      "ask",
      "warning: 3 thinking blocks will be dropped or converted: you choose: GPT-4o does not support thinking.",
    ],
  ] as const)("is announced as the policy says: %s", async (thinking, message) => {
    const options = { thinking };
    const { warnings } = await analysed(TO_GPT, around(FEATURES["thinking blocks"] ?? []), { options });
    const code = thinking === "convert" ? "thinking_converted" : "thinking_dropped";
    expect(coded(warnings, code)).toEqual([message]);
  });
});

describe("what is left out on request", () => {
  it("is said once, and nothing is claimed of it any more", async () => {
    const options = { includeToolHistory: false };
    for (const feature of ["unfinished calls", "browsing results", "code that ran at the provider"]) {
      const { warnings, kept, lossyFeatures } = await analysed(TO_GEMINI, around(FEATURES[feature] ?? []), {
        options,
      });
      const codes = warnings.map(({ code }) => code);
      expect(codes.filter((code) => code === "tools_omitted")).toHaveLength(1);
      for (const code of ["calls_unfinished", "web_results", "code_execution", "tool_format"])
        expect(codes).not.toContain(code);
      expect(kept).toMatchObject({ toolCalls: 0, toolResults: 0 });
      expect(lossyFeatures).toEqual(["tool_history"]);
    }
  });

  it("counts as messages that do not stay", async () => {
    const timeline = around(FEATURES["tool calls"] ?? []);
    const { kept } = await analysed(TO_GEMINI, timeline, { options: { includeToolHistory: false } });
    expect(kept).toMatchObject({ messages: 5, of: 9 });
  });

  it("an invented result is no message that was there", async () => {
    const { kept } = await analysed(TO_GEMINI, around(FEATURES["unfinished calls"] ?? []));
    expect(kept).toMatchObject({ messages: 9, of: 9, toolCalls: 3, toolResults: 2 });
  });

  it("may be the system prompt", async () => {
    const told = { ...user("s0"), type: "system", content: "Be brief." } as Entry;
    const options = { preserveSystemPrompt: false };
    const { warnings, lossyFeatures } = await analysed(TO_GEMINI, [told, ...around([])], { options });
    expect(coded(warnings, "instructions_omitted")).toEqual([expect.stringMatching(/^warning: /)]);
    expect(lossyFeatures).toEqual(["system_prompt"]);
    const kept = await analysed(TO_GEMINI, [told, ...around([])]);
    expect(coded(kept.warnings, "instructions_omitted")).toEqual([]);
  });
});
