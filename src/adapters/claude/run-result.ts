// How a live turn ends. The CLI may give several results before it is at rest, one for each time that a subagent in
// the background comes back: their tokens add up, and the last one says how the turn ended.
import type { Output } from "../driver.ts";
import { count } from "../json.ts";
import { filled, isObject, type Json } from "./native.ts";
import { failureOf } from "./run-failure.ts";
import { type Ending, newTurn, type State, type Stream, said } from "./run-state.ts";

export function resultLine(state: State, line: Json): Output[] {
  const { turn } = state;
  const isAborted = turn.isInterrupted || (filled(line.terminal_reason) ?? "").startsWith("aborted");
  const isFailed = line.is_error === true || (filled(line.subtype) ?? "success") !== "success";
  const isRefused = line.stop_reason === "refusal";
  turn.ending = endingOf(line, {
    is_error: isFailed,
    ...(isAborted && !turn.isGivenUp && { interrupted: true }),
    ...(isRefused && { refused: true }),
  });
  const outputs = [...sessionOf(state, line), ...usageOf(state, line, isAborted)];
  if (isFailed && !isAborted && !turn.hasFailed && !turn.isGivenUp)
    outputs.push(said({ type: "error", ...failureOf(line, wordsOf(line)) }));
  if (!state.isReady) return [...outputs, ...finish(state), ...stop(state)];
  return turn.isFollowed ? outputs : [...outputs, ...finish(state)];
}

function endingOf(line: Json, ending: Ending): Ending {
  const text = filled(line.result);
  const reason = ending.is_error ? undefined : filled(line.stop_reason);
  return {
    ...ending,
    ...(reason !== undefined && { stop_reason: reason }),
    ...(text !== undefined && { text }),
  };
}

/** The CLI is at rest, or does not say whether it is. */
export function finish(state: State): Output[] {
  const { ending, isPrompted, isOwn } = state.turn;
  state.turn = newTurn();
  state.stream = null;
  return ending || isPrompted || isOwn ? [said({ type: "result", ...ending })] : [];
}

/** The CLI cannot go on, which it says before it is ready: of a session that it does not find. */
export function stop(state: State): Output[] {
  state.isOver = true;
  return [{ type: "stop" }];
}

/** After `/clear` the session goes on under another id, which the result is the first to name. */
function sessionOf(state: State, { session_id }: Json): Output[] {
  const id = filled(session_id);
  if (state.session === null || id === undefined || id === state.session) return [];
  state.session = id;
  state.cost = 0;
  return [said({ type: "init", session_id: id })];
}

function wordsOf({ result, errors, subtype }: Json): string {
  const list = Array.isArray(errors) ? errors.flatMap((error) => filled(error) ?? []) : [];
  return (
    filled(result) ?? (list.join("\n") || `Claude Code ended the turn: ${filled(subtype) ?? "no reason"}.`)
  );
}

interface Found {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  reasoning_tokens: number;
  total_cost_usd?: number;
  model?: string;
  estimated?: boolean;
}

/**
 * Since the last result, of all models and subagents. `modelUsage` and `total_cost_usd` count from the start of the
 * session, `usage` leaves out subagents and compactions: both are only for earlier versions.
 */
function usageOf(state: State, line: Json, isAborted: boolean): Output[] {
  const models = line.model_usage_since_last_result;
  const found = isObject(models) ? byModel(models) : wholly(state, line);
  state.cost = count(line.total_cost_usd) ?? state.cost;
  const { reasoning_tokens, ...rest } = isAborted ? withUnfinished(found, state.stream) : found;
  return [said({ type: "usage", ...rest, ...(reasoning_tokens > 0 && { reasoning_tokens }) })];
}

/** Measured: a message that was interrupted counts for nothing, though it has cost what it has read and said. */
function withUnfinished(found: Found, stream: Stream | null): Found {
  if (!stream?.isOpen) return found;
  stream.isOpen = false;
  const begun = tokensIn(stream.usage);
  const { total_cost_usd: _, ...rest } = found;
  return {
    ...rest,
    input_tokens: found.input_tokens + begun.input_tokens,
    output_tokens: found.output_tokens + Math.ceil(stream.characters / 4),
    cache_read_input_tokens: found.cache_read_input_tokens + begun.cache_read_input_tokens,
    cache_creation_input_tokens: found.cache_creation_input_tokens + begun.cache_creation_input_tokens,
    estimated: true,
  };
}

function byModel(models: Json): Found {
  const list = Object.entries(models).flatMap(([name, facts]) => (isObject(facts) ? [{ name, facts }] : []));
  const sum = (field: string) => list.reduce((total, { facts }) => total + (count(facts[field]) ?? 0), 0);
  // Of a model that it does not know the CLI only guesses what it costs.
  const isKnown = list.every(({ facts }) => facts.costBasis !== "unknown");
  const [first, second] = list;
  return {
    input_tokens: sum("inputTokens"),
    output_tokens: sum("outputTokens"),
    cache_read_input_tokens: sum("cacheReadInputTokens"),
    cache_creation_input_tokens: sum("cacheCreationInputTokens"),
    reasoning_tokens: sum("thinkingTokens"),
    ...(isKnown && { total_cost_usd: sum("costUSD") }),
    ...(first && !second && { model: first.name }),
  };
}

function wholly({ cost }: State, line: Json): Found {
  const total = count(line.total_cost_usd);
  const isKnown = total !== undefined && cost !== null && total >= cost;
  return { ...tokensIn(line.usage), ...(isKnown && { total_cost_usd: total - cost }) };
}

/** As the vendor's API counts. */
function tokensIn(value: unknown): Found {
  const usage = isObject(value) ? value : {};
  const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    input_tokens: count(usage.input_tokens) ?? 0,
    output_tokens: count(usage.output_tokens) ?? 0,
    cache_read_input_tokens: count(usage.cache_read_input_tokens) ?? 0,
    cache_creation_input_tokens: count(usage.cache_creation_input_tokens) ?? 0,
    reasoning_tokens: count(details.thinking_tokens) ?? 0,
  };
}
