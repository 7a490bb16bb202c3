// Token counts. Codex records them per response, and again in running totals; its input counts include what
// came from the cache.
import type { Usage } from "../../session/session.ts";
import type { Folded } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { count, isObject, type JsonObject, word } from "./native.ts";
import type { CodexState } from "./state.ts";

/** Recorded once per response. A fork's inherited responses belong to the thread that paid for them. */
export function foldUsage(state: CodexState, record: NativeRecord, payload: JsonObject, out: Folded[]): void {
  const usage = usageOf(payload.usage);
  const turn = state.newestTurn ?? `r${record.index}`;
  if (!usage) return;
  state.settled = turn;
  const thread = word(payload.thread_id);
  if (thread !== undefined && thread !== state.id) return;
  const whole = isObject(payload.thread_token_usage)
    ? count(payload.thread_token_usage.total_tokens)
    : undefined;
  const counted = state.count?.turn === turn ? state.count.message : undefined;
  const message =
    counted ?? word(payload.response_id) ?? (whole === undefined ? undefined : messageAt(state, whole));
  out.push(usageFolded(state, turn, usage, message));
}

/** Older rollouts have only running totals, which are repeated whenever something else changes. */
export function foldCount(state: CodexState, record: NativeRecord, event: JsonObject, out: Folded[]): void {
  const counted = countedOf(event);
  if (!counted || counted.total === state.counted) return;
  state.counted = counted.total;
  const turn = state.newestTurn ?? `r${record.index}`;
  if (state.settled === turn) return;
  state.count = { turn, message: messageAt(state, counted.total) };
  out.push(usageFolded(state, turn, counted.usage, state.count.message));
}

/**
 * A fork that copies its parent's lines gives them its own time, but the task's name and the total stay. Where only the
 * link to the parent tells (Baton's own forks of old rollouts), whoever counts takes the parent's id for the fork's.
 */
function messageAt({ root, id, task }: CodexState, total: number): string {
  // Only a UUID is nobody else's.
  return `${task?.length === UUID_LENGTH ? task : (root ?? id)} ${total}`;
}

const UUID_LENGTH = 36;

function usageFolded(
  { model, time }: CodexState,
  turn: string,
  usage: Usage,
  message: string | undefined,
): Folded {
  return {
    type: "usage",
    turn,
    usage,
    ...(message !== undefined && { message }),
    ...(model !== undefined && { model }),
    timestamp: time,
  };
}

function usageOf(raw: unknown): Usage | undefined {
  if (!isObject(raw)) return undefined;
  const input = count(raw.input_tokens);
  const output = count(raw.output_tokens);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = count(raw.cached_input_tokens) ?? 0;
  const cacheWrite = count(raw.cache_write_input_tokens) ?? 0;
  const reasoning = count(raw.reasoning_output_tokens) ?? 0;
  return {
    input: Math.max(0, input - cacheRead - cacheWrite),
    output,
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(reasoning > 0 && { reasoning }),
  };
}

/** The newest response in a token_count event, and the running total that tells a repetition. */
function countedOf(event: JsonObject): { usage: Usage; total: number } | undefined {
  if (!isObject(event.info) || !isObject(event.info.total_token_usage)) return undefined;
  const usage = usageOf(event.info.last_token_usage);
  const total = count(event.info.total_token_usage.total_tokens);
  return usage && total !== undefined ? { usage, total } : undefined;
}
