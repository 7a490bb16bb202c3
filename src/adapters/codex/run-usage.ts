// Tokens of a turn. Codex tells the thread's total after every response, again whenever anything else changes, and once
// for the past when a thread is resumed.
import type { Output } from "../driver.ts";
import { count, isObject, type JsonObject, word } from "./native.ts";
import { keep, kept, type RunState, tell } from "./run-state.ts";

const FIELDS = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWriteInputTokens",
  "outputTokens",
  "reasoningOutputTokens",
] as const;

/** Nothing where nothing was spent in this turn. */
export function usageOf(state: RunState, params: JsonObject): Output[] {
  const usage = isObject(params.tokenUsage) ? params.tokenUsage : {};
  const thread = word(params.threadId) ?? state.thread;
  const before = kept(state.totals, thread);
  const total = numbersOf(usage.total);
  keep(state.totals, thread, total);
  const isNow = thread !== state.thread || word(params.turnId) === state.turn;
  // A total that has shrunk is counted anew; of one that nobody has seen before, only the last response is new.
  const isOn = before !== undefined && total.every((number, at) => number >= (before[at] ?? 0));
  const spent = isOn ? total.map((number, at) => number - (before[at] ?? 0)) : numbersOf(usage.last);
  if (!state.isTurn || !isNow || spent.every((number) => number === 0)) return [];
  return [tell(usageEvent(spent))];
}

/** A thread that begins has spent nothing. */
export function noTokens(): number[] {
  return FIELDS.map(() => 0);
}

function numbersOf(breakdown: unknown): number[] {
  return FIELDS.map((field) => (isObject(breakdown) ? (count(breakdown[field]) ?? 0) : 0));
}

function usageEvent([input = 0, cached = 0, written = 0, output = 0, reasoning = 0]: readonly number[]) {
  return {
    type: "usage" as const,
    input_tokens: Math.max(0, input - cached - written),
    output_tokens: output,
    ...(cached > 0 && { cache_read_input_tokens: cached }),
    ...(written > 0 && { cache_creation_input_tokens: written }),
    ...(reasoning > 0 && { reasoning_tokens: reasoning }),
  };
}
