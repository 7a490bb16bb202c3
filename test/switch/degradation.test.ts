// What is announced before a switch, cell by cell: each direction and each thing that a conversation may hold. A cell
// names the warnings that this thing brings about, and nothing else may be said because of it.
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import type { SwitchWarning } from "../../src/switch/warnings.ts";
import { analysed, DIRECTIONS, type Direction } from "./directions.ts";
import { around, FEATURES } from "./featured.ts";

/** Where each feature is: messages, entries. */
const WHERE: Record<string, [messages: number[], entries: string[]]> = {
  "thinking blocks": [
    [3, 5],
    ["a2", "a3"],
  ],
  "hidden reasoning": [[3], ["a2"]],
  artifacts: [[3], ["a2"]],
  "MCP tools": [
    [3, 5],
    ["c1", "c2"],
  ],
  "PDF input": [[2], ["u2"]],
  "images in input": [[2], ["u2"]],
  "images in output": [[3], ["a2"]],
  "grounding results": [[3], ["a2"]],
  "browsing results": [[3], ["c1"]],
  "code that ran at the provider": [[3], ["c1"]],
  "unfinished calls": [[5], ["c2"]],
};

/** About the target as such, not about what the conversation holds. */
const NOWHERE = new Set(["tool_format", "output_length", "reasoning_own", "model_unknown"]);

/** About every conversation; `analysis.test.ts` looks at them. */
const ALWAYS = new Set(["context_fits", "cache_reset"]);

type Said = `${"info" | "warning" | "error"} ${string}: ${string}`;

const DROPPED = "warning thinking_dropped: 3 thinking blocks will be dropped:";
const REPLACED = "info thinking_dropped: 3 thinking blocks will be dropped:";
const SIGNED = `${DROPPED} Sonnet 4.5 takes only thinking that it has signed itself.`;
const HIDDEN =
  "info thinking_hidden: 1 block of reasoning never had a text that was shown: nothing of it can cross.";
const INLINED = "warning artifact_inlined: 2 artifacts will be inlined as code or text.";
const WEB = "warning web_results: 1 web search or page: results are preserved as context only.";
const MADE =
  "info image_generated: 1 generated image preserved as images where they are there, otherwise as addresses.";
const OPEN = "warning calls_unfinished: 1 tool call had no result yet: abandoned, and marked as interrupted.";
const A_FILE =
  "warning document_dropped: A document could not be carried inline; a file and a note stand in for it: a.pdf (application/pdf): ";
const FAR = "warning image_dropped: An image could not be carried inline: ";

const server = (agent: string): Said =>
  `warning mcp_missing: 2 calls of the MCP server github (create_issue, list_issues): ${agent} has no such server. Results stay as context; new calls will fail until it is set up there.`;
const format = (type: "info" | "warning", count: number, where: string): Said =>
  `${type} tool_format: ${count} tool call${count === 1 ? "" : "s"} will be translated: the format of ${where} differs.`;
const ran = (vendor: string, agent: string): Said =>
  `info code_execution: 1 tool ran at ${vendor} itself: ${agent} runs code with its own tools.`;
const length = (model: string, now: string, before: string): Said =>
  `info output_length: ${model} can reply with up to ${now} tokens at once (before: ${before}).`;
const own = (model: string): Said => `info reasoning_own: ${model} reasons by itself, and does not show it.`;

/** A text that ends in a space or a colon is the beginning of the message. */
const CELLS: Record<Direction, Record<keyof typeof FEATURES, Said[]>> = {
  "Claude → Gemini": {
    nothing: [length("Gemini 3 Pro Preview", "66K", "64K")],
    "thinking blocks": [`${DROPPED} Gemini 3 Pro Preview has thoughts of its own and takes nobody else's.`],
    "hidden reasoning": [HIDDEN],
    artifacts: [INLINED],
    "MCP tools": [server("Gemini CLI"), format("info", 2, "Gemini 3 Pro Preview in Gemini CLI")],
    "tool calls": [format("info", 2, "Gemini 3 Pro Preview in Gemini CLI")],
    "PDF input": [],
    "images in input": [],
    "images in output": [MADE, `${FAR}https://images.example/dot.png is not at hand; a note `],
    "grounding results": [WEB],
    "browsing results": [WEB, format("info", 1, "Gemini 3 Pro Preview in Gemini CLI")],
    "code that ran at the provider": [
      ran("anthropic", "Gemini CLI"),
      format("info", 1, "Gemini 3 Pro Preview in Gemini CLI"),
    ],
    "unfinished calls": [OPEN, format("info", 3, "Gemini 3 Pro Preview in Gemini CLI")],
  },
  "Claude → GPT-4o": {
    nothing: [length("GPT-4o", "16K", "64K")],
    "thinking blocks": [`${DROPPED} GPT-4o does not support thinking.`],
    "hidden reasoning": [HIDDEN],
    artifacts: [INLINED],
    "MCP tools": [server("Codex CLI"), format("info", 2, "GPT-4o in Codex CLI")],
    "tool calls": [format("info", 2, "GPT-4o in Codex CLI")],
    // The model reads them by now; its agent has no place for them.
    "PDF input": [A_FILE],
    "images in input": [],
    "images in output": [MADE],
    "grounding results": [WEB],
    "browsing results": [WEB, format("info", 1, "GPT-4o in Codex CLI")],
    "code that ran at the provider": [
      ran("anthropic", "Codex CLI"),
      format("info", 1, "GPT-4o in Codex CLI"),
    ],
    "unfinished calls": [OPEN, format("info", 3, "GPT-4o in Codex CLI")],
  },
  "Claude → O3 Mini": {
    nothing: [own("O3 Mini"), length("O3 Mini", "100K", "64K")],
    "thinking blocks": [`${REPLACED} O3 Mini generates reasoning of its own, which takes its place.`],
    "hidden reasoning": [HIDDEN],
    artifacts: [INLINED],
    "MCP tools": [server("Codex CLI"), format("warning", 2, "O3 Mini in Codex CLI")],
    "tool calls": [format("warning", 2, "O3 Mini in Codex CLI")],
    "PDF input": [
      "warning pdf_unsupported: 1 PDF document: O3 Mini does not support PDF attachments.",
      A_FILE,
    ],
    "images in input": ["warning image_unsupported: 1 image: O3 Mini cannot see images."],
    "images in output": ["warning image_unsupported: 1 image: O3 Mini cannot see images.", MADE],
    "grounding results": [WEB],
    "browsing results": [WEB, format("warning", 1, "O3 Mini in Codex CLI")],
    "code that ran at the provider": [
      ran("anthropic", "Codex CLI"),
      format("warning", 1, "O3 Mini in Codex CLI"),
    ],
    "unfinished calls": [OPEN, format("warning", 3, "O3 Mini in Codex CLI")],
  },
  "Claude → O1": {
    nothing: [own("O1"), length("O1", "100K", "64K")],
    "thinking blocks": [`${REPLACED} O1 generates reasoning of its own, which takes its place.`],
    "hidden reasoning": [HIDDEN],
    artifacts: [INLINED],
    "MCP tools": [server("Codex CLI"), format("warning", 2, "O1 in Codex CLI")],
    "tool calls": [format("warning", 2, "O1 in Codex CLI")],
    "PDF input": [A_FILE],
    "images in input": [],
    "images in output": [MADE],
    "grounding results": [WEB],
    "browsing results": [WEB, format("warning", 1, "O1 in Codex CLI")],
    "code that ran at the provider": [ran("anthropic", "Codex CLI"), format("warning", 1, "O1 in Codex CLI")],
    "unfinished calls": [OPEN, format("warning", 3, "O1 in Codex CLI")],
  },
  "Claude → O3": {
    nothing: [own("O3"), length("O3", "100K", "64K")],
    "thinking blocks": [`${REPLACED} O3 generates reasoning of its own, which takes its place.`],
    "hidden reasoning": [HIDDEN],
    artifacts: [INLINED],
    "MCP tools": [server("Codex CLI"), format("warning", 2, "O3 in Codex CLI")],
    "tool calls": [format("warning", 2, "O3 in Codex CLI")],
    "PDF input": [A_FILE],
    "images in input": [],
    "images in output": [MADE],
    "grounding results": [WEB],
    "browsing results": [WEB, format("warning", 1, "O3 in Codex CLI")],
    "code that ran at the provider": [ran("anthropic", "Codex CLI"), format("warning", 1, "O3 in Codex CLI")],
    "unfinished calls": [OPEN, format("warning", 3, "O3 in Codex CLI")],
  },
  "Gemini → Claude": {
    nothing: [length("Sonnet 4.5", "64K", "66K")],
    "thinking blocks": [SIGNED],
    "hidden reasoning": [HIDDEN],
    artifacts: [INLINED],
    "MCP tools": [server("Claude Code"), format("info", 2, "Sonnet 4.5 in Claude Code")],
    "tool calls": [format("info", 2, "Sonnet 4.5 in Claude Code")],
    "PDF input": [],
    "images in input": [],
    "images in output": [MADE],
    "grounding results": [WEB],
    "browsing results": [WEB, format("info", 1, "Sonnet 4.5 in Claude Code")],
    "code that ran at the provider": [
      ran("google", "Claude Code"),
      format("info", 1, "Sonnet 4.5 in Claude Code"),
    ],
    "unfinished calls": [OPEN, format("info", 3, "Sonnet 4.5 in Claude Code")],
  },
  "OpenAI → Claude": {
    nothing: [length("Sonnet 4.5", "64K", "128K")],
    "thinking blocks": [SIGNED],
    "hidden reasoning": [HIDDEN],
    artifacts: [INLINED],
    "MCP tools": [server("Claude Code"), format("info", 2, "Sonnet 4.5 in Claude Code")],
    "tool calls": [format("info", 2, "Sonnet 4.5 in Claude Code")],
    "PDF input": [],
    "images in input": [],
    "images in output": [MADE],
    "grounding results": [WEB],
    "browsing results": [WEB, format("info", 1, "Sonnet 4.5 in Claude Code")],
    "code that ran at the provider": [
      ran("openai", "Claude Code"),
      format("info", 1, "Sonnet 4.5 in Claude Code"),
    ],
    "unfinished calls": [OPEN, format("info", 3, "Sonnet 4.5 in Claude Code")],
  },
  "Claude → OpenCode": {
    nothing: [],
    "thinking blocks": [SIGNED],
    "hidden reasoning": [HIDDEN],
    artifacts: [INLINED],
    "MCP tools": [server("OpenCode"), format("info", 2, "Sonnet 4.5 in OpenCode")],
    "tool calls": [format("info", 2, "Sonnet 4.5 in OpenCode")],
    "PDF input": [],
    "images in input": [],
    "images in output": [MADE, `${FAR}its bytes are not recorded: https://images.example/dot.png`],
    "grounding results": [WEB],
    "browsing results": [WEB, format("info", 1, "Sonnet 4.5 in OpenCode")],
    "code that ran at the provider": [
      ran("anthropic", "OpenCode"),
      format("info", 1, "Sonnet 4.5 in OpenCode"),
    ],
    "unfinished calls": [OPEN, format("info", 3, "Sonnet 4.5 in OpenCode")],
  },
  // The same agent has its own records as they are, whichever model goes on.
  "Opus → Sonnet": {
    nothing: [],
    "thinking blocks": [],
    "hidden reasoning": [],
    artifacts: [],
    "MCP tools": [server("Claude Code")],
    "tool calls": [],
    "PDF input": [],
    "images in input": [],
    "images in output": [],
    "grounding results": [],
    "browsing results": [],
    "code that ran at the provider": [],
    "unfinished calls": ["warning calls_unfinished: 1 tool call had no result yet: abandoned."],
  },
  // Of what nobody knows nothing is claimed, except what is assumed.
  "Claude → unknown": {
    nothing: [
      "info model_unknown: Nothing is known of mystery-1: a window of 128K, replies of 8K and text are assumed.",
    ],
    "thinking blocks": [`${DROPPED} thinking is bound to the model that wrote it.`],
    "hidden reasoning": [HIDDEN],
    artifacts: [INLINED],
    "MCP tools": [server("Codex CLI"), format("info", 2, "mystery-1 in Codex CLI")],
    "tool calls": [format("info", 2, "mystery-1 in Codex CLI")],
    "PDF input": [A_FILE],
    "images in input": [],
    "images in output": [MADE],
    "grounding results": [WEB],
    "browsing results": [WEB, format("info", 1, "mystery-1 in Codex CLI")],
    "code that ran at the provider": [
      ran("anthropic", "Codex CLI"),
      format("info", 1, "mystery-1 in Codex CLI"),
    ],
    "unfinished calls": [OPEN, format("info", 3, "mystery-1 in Codex CLI")],
  },
};

const said = ({ type, code, message }: SwitchWarning): string => `${type} ${code}: ${message}`;

describe.each(Object.entries(DIRECTIONS))("%s", (direction, way) => {
  const cells = CELLS[direction as Direction];
  const standing = (warnings: readonly SwitchWarning[]) => warnings.filter(({ code }) => !ALWAYS.has(code));

  it("has a cell for everything", () => {
    expect(Object.keys(cells)).toEqual(Object.keys(FEATURES));
  });

  it.each(Object.entries(cells))("with %s", async (feature, expected) => {
    const plain = standing((await analysed(way, around([]))).warnings).map(said);
    const analysis = await analysed(way, around(FEATURES[feature] ?? []));
    const found = standing(analysis.warnings);
    const fresh = feature === "nothing" ? found : found.filter((one) => !plain.includes(said(one)));
    expect(fresh.map(said)).toEqual(
      expected.map((one) => (one.endsWith(" ") ? expect.stringMatching(beginning(one)) : one)),
    );
    // What is always said is said here too.
    for (const one of plain) expect(found.map(said)).toContain(one);
    for (const { code, affectedMessages, entries } of fresh.filter((one) => !NOWHERE.has(one.code)))
      expect([code, affectedMessages, entries]).toEqual([code, ...(WHERE[feature] ?? [])]);
    expect(analysis.canSwitch).toBe(true);
  });
});

function beginning(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
}

it("every agent that is known is the target or the source of a direction, or is only read", () => {
  const named = Object.values(DIRECTIONS).flatMap(({ from, to }) => [from.agent, to]);
  for (const { id, write } of adapters) expect(named.includes(id) || !write).toBe(true);
});

describe("the features that do not translate", () => {
  const LOSSY: [keyof typeof FEATURES, Direction, string[]][] = [
    ["nothing", "Claude → Gemini", []],
    ["thinking blocks", "Claude → Gemini", ["thinking"]],
    ["thinking blocks", "Claude → O1", ["thinking"]],
    ["thinking blocks", "Opus → Sonnet", []],
    ["hidden reasoning", "OpenAI → Claude", ["thinking"]],
    ["artifacts", "Claude → GPT-4o", ["artifacts"]],
    ["MCP tools", "Claude → GPT-4o", ["mcp"]],
    ["tool calls", "Claude → O1", []],
    ["PDF input", "Claude → O3 Mini", ["pdf", "documents"]],
    ["PDF input", "Claude → Gemini", []],
    ["images in input", "Claude → O3 Mini", ["images"]],
    ["images in output", "OpenAI → Claude", []],
    ["grounding results", "Gemini → Claude", ["grounding"]],
    ["browsing results", "OpenAI → Claude", ["grounding"]],
    ["code that ran at the provider", "OpenAI → Claude", []],
    ["unfinished calls", "Claude → Gemini", ["unfinished_calls"]],
  ];

  it.each(LOSSY)("of %s, %s", async (feature, direction, expected) => {
    const { lossyFeatures } = await analysed(DIRECTIONS[direction], around(FEATURES[feature] ?? []));
    expect(lossyFeatures).toEqual(expected);
  });

  it("are named once, however many there are", async () => {
    const all = Object.values(FEATURES).map((entries, part) =>
      entries.map((entry) => ({
        ...entry,
        id: `${entry.id}-${part}`,
        ...("callId" in entry && { callId: `${entry.callId}-${part}` }),
      })),
    );
    const { lossyFeatures, kept } = await analysed(DIRECTIONS["Claude → Gemini"], around(all.flat()));
    expect(lossyFeatures).toEqual([
      "thinking",
      "artifacts",
      "mcp",
      "grounding",
      "unfinished_calls",
      "images",
    ]);
    expect(kept).toMatchObject({ toolCalls: 9, toolResults: 6 });
  });
});
