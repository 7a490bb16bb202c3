// A prompt over the Agent Client Protocol and its answer, which ends the turn: why it stopped, what it used, what failed.
import type { StopReason } from "@agentclientprotocol/sdk";
import { leaveDenied } from "./acp-calls.ts";
import { failureOf, REQUEST_CANCELLED } from "./acp-failure.ts";
import { type AcpOptions, type AcpState, say, type Usage } from "./acp-state.ts";
import type { DriverFailure, Output } from "./driver.ts";
import { count, filled, isObject, type Json } from "./json.ts";
import { notify, reply, request } from "./rpc.ts";

export function prompted(state: AcpState, text: string): Output[] {
  state.turn = { prompt: text.slice(0, 100), hasText: false, hasCalls: false };
  state.isCancelled = false;
  if (state.cost.now !== undefined) state.cost.before = state.cost.now;
  const prompt = [{ type: "text", text }];
  return [request(state.rpc, "session/prompt", { sessionId: state.session, prompt })];
}

export function interrupted(state: AcpState): Output[] {
  if (!state.turn) return [];
  state.isCancelled = true;
  const asked = state.asks.map(({ rpcId, form }) =>
    reply(state.rpc, rpcId, form ? { action: "cancel" } : { outcome: { outcome: "cancelled" } }),
  );
  state.asks = [];
  return [...asked, notify(state.rpc, "session/cancel", { sessionId: state.session })];
}

export function answered(state: AcpState, options: AcpOptions, result: Json): Output[] {
  const { turn, isCancelled } = state;
  if (!turn) return [];
  const stop = filled(result.stopReason) as StopReason | undefined;
  const isStopped = stop === "cancelled" || isCancelled;
  const failure = isStopped ? undefined : (options.verdict?.(result, turn) ?? FAILURES.get(stop ?? ""));
  return [
    ...closed(state),
    ...used(state, options, result),
    ...(failure ? [say({ type: "error", ...failure })] : []),
    say({
      type: "result",
      ...(isStopped && { interrupted: true }),
      ...(stop === "refusal" && { refused: true }),
      ...(stop !== undefined && { stop_reason: stop }),
    }),
  ];
}

export function notAnswered(state: AcpState, options: AcpOptions, error: Json): Output[] {
  if (!state.turn) return [];
  const isStopped = state.isCancelled || error.code === REQUEST_CANCELLED;
  return [
    ...closed(state),
    ...used(state, options, {}),
    ...(isStopped ? [] : [say({ type: "error", ...failureOf(state, error) })]),
    say({ type: "result", ...(isStopped ? { interrupted: true } : { is_error: true }) }),
  ];
}

/** Calls that nothing came of are ended by the run. */
function closed(state: AcpState): Output[] {
  const outputs = leaveDenied(state);
  outputs.push(...state.asks.map(({ id }) => say({ type: "unask", id })));
  state.asks = [];
  state.calls = [];
  delete state.turn;
  return outputs;
}

/** The agent stopped before it was done. */
const FAILURES: ReadonlyMap<string, DriverFailure> = new Map([
  [
    "max_tokens",
    {
      code: "failed",
      provider_code: "max_tokens",
      message: "The answer has as many tokens as it may have, and breaks off there.",
      hint: "Ask it to go on.",
    },
  ],
  [
    "max_turn_requests",
    {
      code: "failed",
      provider_code: "max_turn_requests",
      message: "The agent made as many requests as it may for one prompt.",
      hint: "Ask it to go on.",
    },
  ],
]);

function used(state: AcpState, options: AcpOptions, result: Json): Output[] {
  const usage = options.usage?.(result) ?? usageOf(result.usage);
  const { before, now } = state.cost;
  const cost = before !== undefined && now !== undefined && now > before ? now - before : undefined;
  if (now !== undefined) state.cost.before = now;
  if (!usage && cost === undefined) return [];
  return [say({ type: "usage", ...usage, ...(cost !== undefined && { total_cost_usd: cost }) })];
}

/** A draft of the protocol, of the turn. Whether the cache is part of the input shows in the total. */
function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const [input, output] = [count(usage.inputTokens), count(usage.outputTokens)];
  if (input === undefined || output === undefined) return undefined;
  const read = count(usage.cachedReadTokens) ?? 0;
  const written = count(usage.cachedWriteTokens) ?? 0;
  const thoughts = count(usage.thoughtTokens) ?? 0;
  const total = count(usage.totalTokens);
  const rest = total === undefined ? undefined : total - input - output;
  const isCacheInside = read + written > 0 && (rest === 0 || rest === thoughts);
  const isThoughtApart = thoughts > 0 && (rest === thoughts || rest === thoughts + read + written);
  return {
    input_tokens: Math.max(0, isCacheInside ? input - read - written : input),
    output_tokens: output + (isThoughtApart ? thoughts : 0),
    ...(read > 0 && { cache_read_input_tokens: read }),
    ...(written > 0 && { cache_creation_input_tokens: written }),
    ...(thoughts > 0 && { reasoning_tokens: thoughts }),
  };
}
