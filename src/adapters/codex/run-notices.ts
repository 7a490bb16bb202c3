// What the app server tells while it works: notifications, each about a thread. Whatever is not named here says nothing
// of the turn, and grows with every version of Codex.
import type { Output } from "../driver.ts";
import { isObject, type JsonObject, objects, text, word } from "./native.ts";
import { withdrawn } from "./run-asks.ts";
import { attemptOf, failureOf } from "./run-failures.ts";
import {
  itemCompleted,
  itemOf,
  itemStarted,
  leftRunning,
  type Place,
  planned,
  printed,
  rawItem,
  within,
} from "./run-items.ts";
import { closeTurn, keep, kept, type RunState, tell, tellOnceInit } from "./run-state.ts";
import { parentOf } from "./run-threads.ts";
import { usageOf } from "./run-usage.ts";

/** What nobody here needs; the first tells the machine's name. */
export const UNWANTED = [
  "remoteControl/status/changed",
  "thread/started",
  "thread/status/changed",
  "thread/readState/changed",
  "turn/diff/updated",
  "rawResponse/completed",
  "account/rateLimits/updated",
];

export function noticed(state: RunState, method: string, params: JsonObject): Output[] {
  const general = GENERAL[method]?.(state, params);
  if (general) return general;
  const parent = parentOf(state, params);
  const told = parent === undefined ? undefined : OF_THREADS[method];
  if (parent === undefined || !told) return [];
  const place = { thread: word(params.threadId) ?? state.thread, parent };
  // What it still says of a turn that is over belongs to no other.
  return state.isTurn || STARTING.has(method) ? told(state, params, place) : [];
}

type Notice = (state: RunState, params: JsonObject) => Output[];

const GENERAL: Readonly<Record<string, Notice | undefined>> = Object.assign(Object.create(null), {
  warning: (state, { message }) => noticeOf(state, message),
  guardianWarning: (state, { message }) => noticeOf(state, message),
  configWarning: (state, { summary, details }) => noticeOf(state, summary, details),
  deprecationNotice: (state, { summary, details }) => noticeOf(state, summary, details),
  "modelProvider/authRecoveryStarted": (state, { message }) => noticeOf(state, message),
  "mcpServer/startupStatus/updated": serverStatus,
  "serverRequest/resolved": withdrawn,
} satisfies Record<string, Notice>);

function noticeOf(state: RunState, ...texts: readonly unknown[]): Output[] {
  const message = texts.flatMap((one) => word(one) ?? []).join("\n");
  return message === "" ? [] : tellOnceInit(state, { type: "system", subtype: "notice", message });
}

function serverStatus(state: RunState, { name, status, error }: JsonObject): Output[] {
  if (status !== "failed") return [];
  return noticeOf(state, `The MCP server ${text(name) ?? ""} could not be started.`, error);
}

type ThreadNotice = (state: RunState, params: JsonObject, place: Place) => Output[];

/** Codex may begin a turn by itself, for a subagent that has come back. */
const STARTING: ReadonlySet<string> = new Set([
  "turn/started",
  "thread/tokenUsage/updated",
  "thread/settings/updated",
  "model/rerouted",
]);

const OF_THREADS: Readonly<Record<string, ThreadNotice | undefined>> = Object.assign(Object.create(null), {
  "turn/started": turnStarted,
  "turn/completed": turnCompleted,
  "item/started": (state, params, place) => itemStarted(state, itemOf(params), place),
  "item/completed": (state, params, place) => itemCompleted(state, itemOf(params), place),
  "item/agentMessage/delta": (state, params, place) => piece(state, "text", params, place),
  "item/plan/delta": (state, params, place) => piece(state, "text", params, place),
  "item/reasoning/summaryTextDelta": (state, params, place) => piece(state, "thinking", params, place),
  "item/reasoning/textDelta": (state, params, place) => piece(state, "thinking", params, place),
  "item/reasoning/summaryPartAdded": (state, params, place) =>
    params.summaryIndex === 0 ? [] : piece(state, "thinking", { ...params, delta: "\n\n" }, place),
  "item/commandExecution/outputDelta": printed,
  "rawResponseItem/completed": (state, params, place) => rawItem(state, itemOf(params), place),
  "turn/plan/updated": planned,
  "thread/tokenUsage/updated": tokensUsed,
  "thread/settings/updated": (state, { threadSettings }, place) =>
    isObject(threadSettings) ? modelIs(state, threadSettings.model, place) : [],
  "model/rerouted": (state, { toModel }, place) => modelIs(state, toModel, place),
  error: failed,
} satisfies Record<string, ThreadNotice>);

function piece(state: RunState, type: "text" | "thinking", params: JsonObject, place: Place): Output[] {
  const [said, message] = [word(params.delta), word(params.itemId)];
  if (said === undefined) return [];
  if (message !== undefined) keep(state.streamed, message, true);
  return [tell(within({ type, text: said, ...(message !== undefined && { message }) }, place))];
}

function modelIs(state: RunState, name: unknown, { parent }: Place): Output[] {
  const model = word(name);
  return model === undefined || parent !== "" || !state.isInit ? [] : [tell({ type: "init", model })];
}

function tokensUsed(state: RunState, params: JsonObject, { thread }: Place): Output[] {
  const usage = usageOf(state, params);
  return usage.length === 0 ? [] : [...leftRunning(state, thread), ...usage];
}

function turnStarted(state: RunState, params: JsonObject, { thread, parent }: Place): Output[] {
  const turn = idOf(params.turn);
  if (turn === undefined) return [];
  if (parent !== "") keep(state.agentTurns, thread, turn);
  else if (state.turn === "" && !isAsking(state)) {
    state.turn = turn;
    state.isTurn = true;
    return [tell({ type: "begin" })];
  }
  return [];
}

/** The answer to our own request names the turn, and comes first. */
function isAsking({ rpc }: RunState): boolean {
  return Object.values(rpc.pending).includes("turn/start");
}

export function idOf(turn: unknown): string | undefined {
  return isObject(turn) ? word(turn.id) : undefined;
}

function turnCompleted(state: RunState, params: JsonObject, { thread, parent }: Place): Output[] {
  const turn = isObject(params.turn) ? params.turn : {};
  const id = word(turn.id) ?? state.turn;
  if (parent !== "") {
    if (kept(state.agentTurns, thread) === id) delete state.agentTurns[thread];
    return [];
  }
  if (id !== state.turn && (state.turn !== "" || isAsking(state))) return [];
  closeTurn(state);
  const isFailed = turn.status === "failed";
  const failure = isFailed ? failureOf(turn.error) : undefined;
  const said = objects(turn.items).findLast(({ type }) => type === "agentMessage")?.text;
  return [
    ...(failure ? [tell({ type: "error", ...failure })] : []),
    tell({
      type: "result",
      ...(isFailed && { is_error: true }),
      ...(turn.status === "interrupted" && { interrupted: true }),
      ...(failure?.code === "refused" && { refused: true }),
      ...(typeof said === "string" && { text: said }),
    }),
  ];
}

/** What is wrong with a subagent does not end the turn; whether it tries again is its own business. */
function failed(_: RunState, { error, willRetry }: JsonObject, { parent }: Place): Output[] {
  const failure = failureOf(error);
  if (parent !== "")
    return willRetry === true
      ? []
      : [tell(within({ type: "system", subtype: "error", ...failure }, { parent }))];
  if (willRetry !== true) return [tell({ type: "error", ...failure })];
  return [tell({ type: "retry", ...attemptOf(error), error: failure })];
}
