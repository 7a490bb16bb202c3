// Messages in Gemini CLI's own form, made from entries. Every result stands in one place only: what stands in two
// is sent twice.
import { type Loss, loss } from "../../session/losses.ts";
import type { AssistantEntry, SystemEntry, ToolResult, Usage, UserEntry } from "../../session/session.ts";
import { callText, entryText } from "../../session/text.ts";
import type { WrittenRecord } from "../adapter.ts";
import { INSTRUCTIONS_MARK, isInstructions } from "../instructions.ts";
import type { Json } from "../json.ts";
import { type SwitchEntry, switchMark, switchWords } from "../switched.ts";
import { contextName, isLeftOut, SHOWN } from "./native.ts";
import { piecesFor } from "./pieces.ts";
import { UNSEEN } from "./settle.ts";

export interface Made {
  message: Json;
  says: WrittenRecord["says"][number][];
  losses: Loss[];
}

type Prompt = UserEntry | SystemEntry;

/** Undefined when there is nothing in it that the vendor would take. */
export function userMessage(entry: Prompt, id: string): Made | undefined {
  const { pieces, losses } = piecesFor(entry.parts ?? [{ type: "text", text: entry.content }], entry.id);
  if (entry.type === "system") losses.push(loss("role_changed", { entry: entry.id }, "system → user"));
  const isBlank = pieces.every(({ text }) => typeof text === "string" && text.trim() === "");
  if (isBlank) return undefined;
  const message = {
    id,
    timestamp: entry.timestamp,
    type: "user",
    content: protectedFrom(pieces),
    // What the CLI shows; without it a protected text would be shown in brackets.
    ...(isDropped(pieces) && { displayContent: pieces }),
    // Instructions are nothing that the user asked.
    ...((entry.injected || entry.type === "system") && { injected: true }),
    ...(isInstructions(entry) && INSTRUCTIONS_MARK),
  };
  return { message, says: [[isInstructions(entry) ? "system" : "user", textOf(pieces)]], losses };
}

/** A note of the CLI's own kind, which it shows and never sends, with a field that it does not know. */
export function switchMessage(entry: SwitchEntry, id: string): Made {
  const { timestamp } = entry;
  const message = { id, timestamp, type: "info", content: switchWords(entry), ...switchMark(entry) };
  return { message, says: [["switch", entryText(entry)]], losses: [] };
}

function textOf(pieces: readonly Json[]): string {
  return pieces.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}

function isDropped(pieces: readonly Json[]): boolean {
  return isLeftOut(pieces) || contextName(pieces) !== undefined;
}

/**
 * A prompt that begins like a command is left out of the history. One whose first piece says that it is no thought
 * is not (0.61.0), and the vendor is told the same words.
 */
function protectedFrom(pieces: readonly Json[]): Json[] {
  if (!isDropped(pieces)) return [...pieces];
  const [first, ...rest] = pieces;
  return [{ thought: false, ...first }, ...rest];
}

/** A call in Gemini's own terms, with its result. */
export interface NativePair {
  id: string;
  name: string;
  input: Json;
  result: ToolResult | undefined;
  agent?: string;
}

interface ModelFacts {
  timestamp: string;
  model?: string;
  usage?: Usage;
}

/**
 * A model message, and the results of its calls in a message of their own. Calls stand among the pieces: where the
 * CLI finds them beside the message, with their results, it writes the results down a second time when it resumes
 * the session and sends both from then on (0.61.0).
 */
export function modelMessages(
  ids: { message: string; results: string },
  said: AssistantEntry | undefined,
  pairs: readonly NativePair[],
  facts: ModelFacts,
): Made[] {
  const { timestamp } = facts;
  const parts = said?.parts ?? (said ? [{ type: "text" as const, text: said.content }] : []);
  const thought = said?.thinking !== undefined && !said.parts ? [said.thinking] : [];
  const { pieces, thoughts, losses } = piecesFor(parts, said?.id ?? ids.message);
  const thinking = [...thought, ...thoughts];
  if (pieces.length === 0 && thinking.length === 0 && pairs.length === 0) return [];
  const message = {
    id: ids.message,
    timestamp,
    type: "gemini",
    content: contentFor(pieces, pairs),
    ...(pairs.length > 0 && { displayContent: pieces.length > 0 ? pieces : UNSEEN }),
    thoughts: thinking.map((description) => ({ subject: "", description, timestamp })),
    ...(facts.usage && { tokens: tokensOf(facts.usage) }),
    ...(facts.model !== undefined && { model: facts.model }),
    ...(pairs.length > 0 && { toolCalls: pairs.map(shownCall) }),
  };
  const says: Made["says"] = pieces.length + thinking.length > 0 ? [["assistant", textOf(pieces)]] : [];
  for (const { name, input } of pairs) says.push(["tool_call", callText(name, input)]);
  const results = resultMessage(ids.results, pairs, timestamp);
  return results ? [{ message, says, losses }, results] : [{ message, says, losses }];
}

function contentFor(pieces: readonly Json[], pairs: readonly NativePair[]): unknown {
  const [only] = pieces;
  const isPlain = pieces.length === 0 || (pieces.length === 1 && typeof only?.text === "string");
  if (pairs.length === 0 && isPlain) return only?.text ?? "";
  return [...pieces, ...pairs.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }))];
}

const MOST_SHOWN = 2000;

/** For the CLI's own view. It has an id of its own, so that it is not taken for the call. */
function shownCall({ id, name, input, result, agent }: NativePair): Json {
  const [described = ""] = Object.values(input).filter((value) => typeof value === "string");
  return {
    id: `${SHOWN}${id}`,
    name,
    args: {},
    status: statusOf(result),
    ...(result && { timestamp: result.timestamp, resultDisplay: result.output.slice(0, MOST_SHOWN) }),
    ...(agent !== undefined && { agentId: agent }),
    description: described.slice(0, MOST_SHOWN / 10),
    displayName: name,
    renderOutputAsMarkdown: false,
  };
}

function statusOf(result: ToolResult | undefined): string {
  if (!result || result.interrupted) return "cancelled";
  return result.success ? "success" : "error";
}

function resultMessage(id: string, pairs: readonly NativePair[], timestamp: string): Made | undefined {
  const made: Made & { message: { content: Json[] } } = {
    message: { id, timestamp, type: "user", content: [], displayContent: UNSEEN },
    says: [],
    losses: [],
  };
  for (const { id: call, name, result } of pairs) {
    if (!result) continue;
    const { pieces, says, losses } = resultPieces(result, call, name);
    made.message.content.push(...pieces);
    made.says.push(["tool_result", says]);
    made.losses.push(...losses);
  }
  return made.says.length > 0 ? made : undefined;
}

function resultPieces(result: ToolResult, id: string, name: string) {
  const { output, success, error, parts } = result;
  const given = output === "" && !success && error !== undefined ? error : output;
  const { pieces, losses } = piecesFor(parts ?? [{ type: "text", text: given }], result.id);
  const beside = pieces.filter(({ text }) => typeof text !== "string");
  const words = textOf(pieces);
  const response = success ? { output: words } : { error: words };
  return { pieces: [{ functionResponse: { id, name, response } }, ...beside], says: words, losses };
}

/** The prompt's tokens include cached ones; thoughts are counted apart from the answer. */
function tokensOf({ input, output, cacheRead = 0, cacheWrite = 0, reasoning = 0 }: Usage): Json {
  const prompt = input + cacheRead + cacheWrite;
  return {
    input: prompt,
    output: output - reasoning,
    cached: cacheRead,
    thoughts: reasoning,
    tool: 0,
    total: prompt + output,
  };
}
