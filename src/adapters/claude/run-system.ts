// What the CLI says of itself while it runs: who it is, what it tries again, what it compacted, which subagents are at
// work, and when it is at rest.
import type { Output } from "../driver.ts";
import { count } from "../json.ts";
import { filled, isObject, type Json } from "./native.ts";
import { retryFailure } from "./run-failure.ts";
import { finish, stop } from "./run-result.ts";
import { control, notice, remember, type State, said, take } from "./run-state.ts";

export function systemLine(state: State, line: Json): Output[] {
  switch (line.subtype) {
    case "init":
      return introduced(state, line);
    case "session_state_changed":
      return stateChanged(state, line);
    case "api_retry":
      return retried(state, line);
    case "compact_boundary": {
      const metadata = isObject(line.compact_metadata) ? line.compact_metadata : {};
      state.boundary = { trigger: filled(metadata.trigger) ?? null };
      return [];
    }
    case "task_started":
      return started(state, line);
    case "task_notification":
      take(state.tasks, ({ id }) => id === line.task_id);
      return [];
    case "local_command_output":
      return filled(line.content) === undefined ? [] : [said({ type: "text", text: String(line.content) })];
    case "status":
      return notice(filled(line.compact_error) ?? "");
    case "informational":
      // What is only for the transcript is not for people.
      return line.level === "info" ? [] : notice(filled(line.content) ?? "");
    default:
      return notice(filled(line.content) ?? filled(line.text) ?? "");
  }
}

/** Again at every turn; what has changed since is an event of its own. */
function introduced(state: State, line: Json): Output[] {
  const session = filled(line.session_id);
  const lost = otherSession(state, session);
  if (lost) return lost;
  state.expected = null;
  state.session = session ?? state.session;
  const tools = Array.isArray(line.tools) ? line.tools.filter((tool) => typeof tool === "string") : [];
  const [model, version] = [filled(line.model), filled(line.claude_code_version)];
  return [
    said({
      type: "init",
      ...(session !== undefined && { session_id: session }),
      ...(model !== undefined && { model }),
      ...(tools.length > 0 && { tools }),
      ...(version !== undefined && { version }),
    }),
  ];
}

/** It went on with another session than the one that was asked for, or began a new one. */
function otherSession(state: State, session: string | undefined): Output[] | undefined {
  const { expected } = state;
  if (expected === null || session === undefined || session === expected) return undefined;
  const message = `Claude Code did not go on with ${expected}, but with ${session}.`;
  return [
    said({ type: "error", code: "session_missing", message }),
    said({ type: "result", is_error: true }),
    ...stop(state),
  ];
}

function stateChanged(state: State, line: Json): Output[] {
  const lost = otherSession(state, filled(line.session_id));
  if (lost) return lost;
  const isResting = line.state === "idle";
  const wasFollowed = state.turn.isFollowed;
  state.turn.isFollowed = !isResting;
  if (isResting) return wasFollowed ? finish(state) : [];
  if (wasFollowed || state.turn.isPrompted || !state.isReady) return [];
  // Something in the background has come to its end.
  state.turn.isOwn = true;
  return [said({ type: "begin" })];
}

/** Measured with 2.1.325: a key that is not accepted is tried ten times more, for minutes. Nothing comes of it. */
const MOST_UNAUTHORIZED = 3;

function retried(state: State, line: Json): Output[] {
  const { turn, stream } = state;
  const failure = retryFailure(line, stream?.isOpen === true);
  if (stream) stream.isOpen = false;
  const attempt = count(line.attempt) ?? 1;
  const most = count(line.max_retries);
  const delay = count(line.retry_delay_ms);
  const retry = said({
    type: "retry",
    attempt,
    ...(most !== undefined && { max_attempts: most }),
    ...(delay !== undefined && { delay_ms: delay }),
    error: failure,
  });
  const isHopeless = failure.status === 401 && attempt >= MOST_UNAUTHORIZED;
  if (!isHopeless || turn.isGivenUp || turn.isInterrupted) return [retry];
  turn.isGivenUp = true;
  return [said({ type: "error", ...failure }), control(state, { subtype: "interrupt" })];
}

function started(state: State, { task_id, tool_use_id, task_type }: Json): Output[] {
  const [id, call] = [filled(task_id), filled(tool_use_id)];
  if (id !== undefined && call !== undefined && task_type === "local_agent")
    remember(state.tasks, { id, call });
  return [];
}

/** A compaction is told with its summary, which is the line after it, or without one. */
export function boundaryOf(state: State, summary?: string): Output[] {
  const { boundary } = state;
  if (!boundary) return [];
  state.boundary = null;
  return [
    said({
      type: "system",
      subtype: "compact_boundary",
      ...(boundary.trigger !== null && { trigger: boundary.trigger }),
      ...(summary !== undefined && { summary }),
    }),
  ];
}
