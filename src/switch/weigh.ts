// How many tokens a session takes, entry by entry: what an agent recorded where it did, otherwise an estimate, which
// is all that can be had of another vendor's tokenizer.
import { batchesOf } from "../session/batches.ts";
import type { Entry, Part, ToolCall, Usage } from "../session/session.ts";
import { callText } from "../session/text.ts";
import { newMessageCounter } from "./message-count.ts";

export type Count = (text: string) => number;

/** By the entry's place in the stream. */
export interface Weights {
  tokens: number[];
  /** The share of them that is a tool's output or argument, which can be shortened. */
  payload: number[];
  /** Where a prompt begins a turn. */
  prompts: number[];
  /** Whether a message begins here and every call before it is answered, so that the history may begin here. */
  isSafe: boolean[];
  /** Of each entry's message, -1 for none: of the stream itself, or of the list that it was made from. */
  messages: number[];
  types: Entry["type"][];
  /** How many entries at the very beginning are instructions. */
  instructions: number;
  /** The sum of all tokens. */
  estimate: number;
  /** What the last request had, by the agent's own count, and the place of the reply that says so. */
  recorded?: { tokens: number; at: number };
}

/** What a message, a call and a result take beside their texts. */
const MESSAGE = 4;
const CALL = 20;
/** An image of the size that agents send. */
const IMAGE = 1_500;
/** A page of a document, and about how many bytes one has. */
const PAGE = 2_000;
const PAGE_BYTES = 50_000;

export async function weigh(entries: AsyncIterable<Entry>, count: Count): Promise<Weights> {
  const weights: Weights = {
    tokens: [],
    payload: [],
    prompts: [],
    isSafe: [],
    messages: [],
    types: [],
    instructions: 0,
    estimate: 0,
  };
  const open = new Set<string>();
  const counter = newMessageCounter();
  let last: number | undefined;
  for await (const batch of batchesOf(entries))
    for (const entry of batch) {
      const { tokens, payload } = tokensOf(entry, count);
      const at = weights.tokens.push(tokens) - 1;
      weights.payload.push(payload);
      const message = counter.add(entry);
      weights.isSafe.push(open.size === 0 && message !== undefined && message !== last);
      weights.messages.push(message ?? -1);
      last = message ?? last;
      weights.estimate += tokens;
      weights.types.push(entry.type);
      if (entry.type === "system" && weights.instructions === at) weights.instructions++;
      if (entry.type === "user" && !entry.injected) weights.prompts.push(at);
      if (entry.type === "tool_call") open.add(entry.id);
      if (entry.type === "tool_result") open.delete(entry.callId);
      if (entry.usage && !entry.usage.estimated) weights.recorded = { tokens: contextOf(entry.usage), at };
    }
  return weights;
}

function contextOf({ input, output, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input + cacheRead + cacheWrite + output;
}

/** What one entry takes. */
export function tokensOf(entry: Entry, count: Count): { tokens: number; payload: number } {
  switch (entry.type) {
    case "user":
    case "assistant":
    case "system":
      return { tokens: MESSAGE + contentTokens(entry.content, entry.parts, count), payload: 0 };
    case "tool_call": {
      const payload = count(argumentText(entry));
      return { tokens: CALL + payload, payload };
    }
    case "tool_result": {
      const text = entry.output === "" ? (entry.error ?? "") : entry.output;
      const payload = count(text);
      return { tokens: MESSAGE + payload + mediaTokens(entry.parts), payload };
    }
    case "compaction":
      return { tokens: MESSAGE + count(entry.summary ?? ""), payload: 0 };
    case "switch":
      return { tokens: 0, payload: 0 };
    default:
      return entry satisfies never;
  }
}

function argumentText({ originalTool, tool, originalInput, input }: ToolCall): string {
  return callText(originalTool ?? tool, originalInput ?? input);
}

function contentTokens(content: string, parts: readonly Part[] | undefined, count: Count): number {
  if (!parts) return count(content);
  return parts.reduce((sum, part) => sum + count(textIn(part)), mediaTokens(parts));
}

function textIn(part: Part): string {
  switch (part.type) {
    case "text":
    case "thinking":
    case "artifact":
    case "error":
      return part.text;
    case "code":
      return part.code;
    case "image":
    case "document":
      return "";
    default:
      return part satisfies never;
  }
}

function mediaTokens(parts: readonly Part[] = []): number {
  return parts.reduce((sum, part) => sum + mediaPart(part), 0);
}

function mediaPart(part: Part): number {
  if (part.type === "image") return IMAGE;
  if (part.type !== "document") return 0;
  const bytes = (part.data?.length ?? 0) * 0.75;
  // Text in bytes is about four characters a token, whatever it is called.
  return part.mimeType?.startsWith("text/")
    ? Math.ceil(bytes / 4)
    : PAGE * Math.ceil(bytes / PAGE_BYTES + 0.01);
}

export interface Size {
  /** Of everything that the model would read. */
  total: number;
  /** recorded: as the agent counted its last request, with an estimate of what came after it. */
  source: "recorded" | "estimated";
  /** What the target's CLI says by itself: part of an estimate. */
  overhead: number;
  /** How much more each entry takes than was estimated, where the agent's count tells. */
  scale: number;
}

/** A count that has little to do with the content is of something else, such as what stood before a compaction. */
const PLAUSIBLE = { least: 0.5, most: 3, own: 60_000, said: 0.3 };

/** `overhead`: what the target's CLI says by itself; `before`: what the source's does, which its count includes. */
export function sizeOf(weights: Weights, overhead: number, before = overhead): Size {
  const estimated = weights.estimate + overhead;
  const { recorded } = weights;
  if (!recorded) return { total: estimated, source: "estimated", overhead, scale: 1 };
  const covered = weights.tokens.slice(0, recorded.at + 1).reduce((sum, tokens) => sum + tokens, 0);
  const isPlausible =
    recorded.tokens >= covered * PLAUSIBLE.least + before * PLAUSIBLE.said &&
    recorded.tokens <= covered * PLAUSIBLE.most + PLAUSIBLE.own;
  if (!isPlausible) return { total: estimated, source: "estimated", overhead, scale: 1 };
  // Both are the most that a CLI says, so that it is more is certain, and that it is less is not.
  const more = Math.max(0, overhead - before);
  const total = recorded.tokens + (weights.estimate - covered) + more;
  return { total, source: "recorded", overhead, scale: Math.max(1, total / estimated) };
}
