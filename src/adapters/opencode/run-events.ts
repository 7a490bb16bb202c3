// OpenCode's events, one after the other: what a session does, what its replies say, and when a turn is over.
import { jsonIn } from "../../session/json.ts";
import type { Output } from "../driver.ts";
import { count, isObject, type JsonObject, objectOf, text, word } from "./native.ts";
import { permissionAsked, questionAsked, settled } from "./run-asking.ts";
import { delayOf, failureOf, retryFailure } from "./run-failure.ts";
import { isFollowed, partDelta, partUpdated } from "./run-parts.ts";
import { rulesIn } from "./run-rules.ts";
import { ask, find, finished, introduced, keep, newTurn, type State, said } from "./run-state.ts";

export function heard(state: State, line: string): Output[] {
  const event = jsonIn(line);
  if (!isObject(event) || text(event.type) === undefined || !isShallow(event))
    return [said({ type: "raw", text: line })];
  const properties = objectOf(event.properties);
  const session = properties.sessionID;
  if (event.type === "session.created") return created(state, objectOf(properties.info));
  if (event.type === "session.error") return sessionError(state, properties);
  if (!isFollowed(state, session)) return [];
  switch (event.type) {
    case "session.status":
      return status(state, event, properties);
    case "session.idle":
      return session === state.session ? idle(state) : [];
    case "session.compacted":
      return compacted(state, String(session));
    case "message.updated":
      return messageUpdated(state, objectOf(properties.info), String(session));
    case "message.part.updated":
      return partUpdated(state, objectOf(properties.part));
    case "message.part.delta":
      return partDelta(state, properties);
    case "permission.asked":
      return permissionAsked(state, properties);
    case "question.asked":
      return questionAsked(state, properties);
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      return settled(state, word(properties.requestID));
    default:
      return [];
  }
}

/** Deeper ones would be too much for whoever writes them down. */
const DEEPEST = 100;

function isShallow(value: unknown, depth = DEEPEST): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((one) => isShallow(one, depth - 1));
}

/** A subagent's session; which call it belongs to is told by the call. */
function created(state: State, { id, parentID, agent, permission }: JsonObject): Output[] {
  const session = word(id);
  if (session !== undefined && session !== state.session && isFollowed(state, parentID))
    keep(state.subagents, session, {
      call: null,
      agent: word(agent) ?? null,
      rules: rulesIn(permission),
    });
  return [];
}

function status(state: State, { id }: JsonObject, { sessionID, status: now }: JsonObject): Output[] {
  const { type, attempt, message, next, action } = objectOf(now);
  if (type === "retry") {
    const error = retryFailure(text(message) ?? "", word(objectOf(action).reason));
    const delay = delayOf(id, next);
    const times = { attempt: count(attempt) ?? 1, ...(delay !== undefined && { delay_ms: delay }) };
    return [said({ type: "retry", ...times, error })];
  }
  if (sessionID !== state.session) return [];
  if (type === "idle") return idle(state);
  return type === "busy" ? busy(state) : [];
}

/** Also without a prompt: a subagent in the background wakes its session when it is done. */
function busy(state: State): Output[] {
  state.turn ??= newTurn(true);
  const { turn } = state;
  Object.assign(turn, { isBusy: true, isIdle: false });
  if (!turn.needsAbort) return [];
  turn.needsAbort = false;
  return aborted(state);
}

export function aborted(state: State): Output[] {
  if (state.session === null) return [];
  const path = `/session/${encodeURIComponent(state.session)}/abort`;
  return [ask(state, { purpose: "abort" }, { method: "POST", path })];
}

/**
 * A turn that fails is idle twice: at once, and when its reply is closed (1.18.33); one that is over has no reply open.
 * One without any reply says why after it is idle.
 */
function idle(state: State): Output[] {
  const { turn } = state;
  const isOpen = Object.values(state.messages).some(({ session }) => session === state.session);
  if (!turn?.isBusy || isOpen) return [];
  if (turn.hasReply || turn.failure || turn.isInterrupted) return finished(state);
  turn.isIdle = true;
  return [];
}

function sessionError(state: State, { sessionID, error }: JsonObject): Output[] {
  const failure = failureOf(error);
  if (sessionID === undefined && failure) return [said({ type: "system", subtype: "error", ...failure })];
  const { turn, echo } = state;
  if (sessionID !== state.session || !turn) return [];
  if (failure && echo !== null && failure.message.includes(echo)) {
    state.echo = null;
    return [];
  }
  turn.failure = failure;
  turn.isInterrupted ||= failure === null;
  turn.isRefused ||= failure?.code === "refused";
  // It has not begun to work, or it has already ended: nothing more comes.
  return !turn.isBusy || turn.isIdle ? finished(state) : [];
}

function messageUpdated(state: State, info: JsonObject, session: string): Output[] {
  const id = word(info.id);
  if (id === undefined) return [];
  if (info.role !== "assistant") return [];
  if (count(objectOf(info.time).completed) !== undefined) return messageOver(state, info, id);
  if (find(state.messages, id)) return [];
  const isSummary = info.summary === true;
  keep(state.messages, id, { session, isSummary });
  if (session !== state.session) return [];
  return [...(isSummary ? [] : introduced(state, modelOf(info))), ...begun(state)];
}

function modelOf({ providerID, modelID }: JsonObject): string | null {
  return word(providerID) && word(modelID) ? `${providerID}/${modelID}` : null;
}

/** It goes on after a failure: a context that was too long is compacted. */
function begun(state: State): Output[] {
  state.turn ??= newTurn(true);
  const { turn } = state;
  const { failure, isOwn } = turn;
  Object.assign(turn, { hasReply: true, failure: null, isOwn: false });
  state.echo = null;
  return [
    ...(isOwn ? [said({ type: "begin" })] : []),
    ...(failure ? [said({ type: "system", subtype: "error", ...failure })] : []),
  ];
}

function messageOver(state: State, info: JsonObject, id: string): Output[] {
  const { turn } = state;
  const message = find(state.messages, id);
  if (!message) return [];
  delete state.messages[id];
  for (const [part, { message: at }] of Object.entries(state.parts)) if (at === id) delete state.parts[part];
  for (const [call, { message: at }] of Object.entries(state.calls)) if (at === id) delete state.calls[call];
  if (message.session !== state.session || !turn) return [];
  turn.finish = word(info.finish) ?? turn.finish;
  if (!isObject(info.error)) return [];
  const failure = failureOf(info.error);
  turn.isInterrupted ||= failure === null;
  turn.isRefused ||= failure?.code === "refused";
  turn.failure = failure ?? turn.failure;
  return [];
}

function compacted(state: State, session: string): Output[] {
  const { trigger, summary } = find(state.compactions, session) ?? { trigger: null, summary: null };
  delete state.compactions[session];
  const parent = find(state.subagents, session)?.call;
  return [
    said({
      type: "system",
      subtype: "compact_boundary",
      ...(trigger !== null && { trigger }),
      ...(summary !== null && { summary }),
      ...(parent && { parent_tool_use_id: parent }),
    }),
  ];
}
