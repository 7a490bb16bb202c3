// Claude Code live: `claude -p` with JSON lines both ways and its control protocol, as measured with 2.1.325
// (README.md, "Live"). This file owns the launch, what the user wants, and which line goes where.
import type { PermissionMode } from "../../session/events.ts";
import { jsonIn } from "../../session/json.ts";
import type { Driver, Input, Launch, Output, RunRequest } from "../driver.ts";
import { failureCode } from "../failure.ts";
import { filled, isObject, isShallow, type Json } from "./native.ts";
import { answerControl, decide, withdraw } from "./run-asking.ts";
import { assistantLine, streamLine, userLine } from "./run-messages.ts";
import { resultLine } from "./run-result.ts";
import { control, initial, newTurn, notice, type State, said, sent, take } from "./run-state.ts";
import { boundaryOf, systemLine } from "./run-system.ts";

export const driver: Driver<State> = {
  launch,
  initial,
  step,
  changes: { model: true, mode: true },
  isPulse: (line) => line.startsWith('{"type":"keep_alive"'),
};

const OPTIONS = [
  "-p",
  "--input-format",
  "stream-json",
  "--output-format",
  "stream-json",
  "--verbose",
  "--permission-prompt-tool",
  "stdio",
  "--include-partial-messages",
];

function launch({ session, model, mode }: RunRequest): Launch {
  return {
    argv: [
      "claude",
      ...OPTIONS,
      // Whatever mode the user's settings name: some of them deny what nobody was asked about.
      ...(mode === "default" ? [] : ["--permission-mode", "default"]),
      ...(session === undefined ? [] : ["--resume", session]),
      ...(model === undefined ? [] : ["--model", model]),
    ],
    // With it the CLI says when it is at rest, which several of its results may come before.
    env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" },
    transport: { type: "lines" },
  };
}

function step(state: State, input: Input): Output[] {
  if (state.isOver) return [];
  switch (input.type) {
    case "start":
      return [control(state, INITIALIZE)];
    case "line":
      return line(state, input.text);
    case "prompt":
      return prompt(state, input.text);
    case "interrupt":
      state.turn.isInterrupted = true;
      return [control(state, { subtype: "interrupt" })];
    case "decide":
      return decide(state, input.id, input.decision);
    case "set_model":
      return setModel(state, input.model);
    case "set_mode":
      return setMode(state, input.mode);
    case "end":
      return end(state, input);
    case "answer":
      return [];
  }
}

/** The hook asks for us in some modes (run-asking.ts); without the text of subagents only their calls are told. */
const INITIALIZE = {
  subtype: "initialize",
  forwardSubagentText: true,
  hooks: { PreToolUse: [{ hookCallbackIds: ["baton"] }] },
};

function prompt(state: State, text: string): Output[] {
  // What the CLI does by itself may already be under way, and then ends together with this.
  const { isFollowed } = state.turn;
  state.turn = { ...newTurn(), isFollowed, isPrompted: true };
  const message = { role: "user", content: text };
  return [sent({ type: "user", message, parent_tool_use_id: null, session_id: "" })];
}

function setModel(state: State, model: string): Output[] {
  if (state.isReady) return [control(state, { subtype: "set_model", model })];
  state.early.model = model;
  return [];
}

function setMode(state: State, mode: PermissionMode): Output[] {
  state.mode = mode;
  if (!state.isReady) {
    state.early.isModeChanged = true;
    return [];
  }
  return [
    control(state, { subtype: "set_permission_mode", mode: mode === "default" ? state.ownMode : "default" }),
  ];
}

function line(state: State, text: string): Output[] {
  const message = jsonIn(text);
  if (!isObject(message) || !isShallow(message))
    return text.trim() === "" ? [] : [said({ type: "raw", text })];
  if (message.type === "user") return userLine(state, message);
  return [...boundaryOf(state), ...dispatch(state, message, text)];
}

function dispatch(state: State, message: Json, text: string): Output[] {
  switch (message.type) {
    case "stream_event":
      return streamLine(state, message);
    case "assistant":
      return assistantLine(state, message);
    case "system":
      return systemLine(state, message);
    case "result":
      return resultLine(state, message);
    case "control_request":
      return answerControl(state, message);
    case "control_cancel_request":
      return withdraw(state, message);
    case "control_response":
      return answered(state, isObject(message.response) ? message.response : {});
    default:
      return PASSING.has(message.type) ? [] : [said({ type: "raw", text })];
  }
}

/** Lines that say nothing of the turn which others do not say. */
const PASSING: ReadonlySet<unknown> = new Set([
  "auth_status",
  "command_lifecycle",
  "conversation_reset",
  "keep_alive",
  "prompt_suggestion",
  "rate_limit_event",
  "tool_progress",
  "tool_use_summary",
]);

/** To a control request of ours. */
function answered(state: State, { request_id, subtype, response, error }: Json): Output[] {
  const asked = take(state.pending, ({ id }) => id === request_id);
  const facts = isObject(response) ? response : {};
  const failed = subtype === "error" ? (filled(error) ?? "It does not say why.") : undefined;
  switch (asked?.subtype) {
    case "initialize":
      return failed === undefined ? ready(state, facts) : broken(state, failed);
    case "set_model":
      if (failed !== undefined) return refused(`Claude Code does not take the model: ${failed}`);
      // Before the first turn the CLI introduces itself with it.
      return state.session !== null && filled(facts.model) !== undefined
        ? [said({ type: "init", model: String(facts.model) })]
        : [];
    case "set_permission_mode":
      return modeAnswered(state, asked.mode, failed);
    default:
      return [];
  }
}

/** Where it is refused nothing has changed, as far as nothing else was asked for since. */
function modeAnswered(state: State, mode: PermissionMode, failed?: string): Output[] {
  if (failed === undefined) state.heldMode = mode;
  else if (state.mode === mode) state.mode = state.heldMode;
  return [
    ...(failed === undefined ? [] : refused(`Claude Code keeps its permission mode: ${failed}`)),
    said({ type: "mode", mode: state.heldMode }),
  ];
}

function ready(state: State, facts: Json): Output[] {
  state.isReady = true;
  state.ownMode = filled(facts.current_permission_mode) ?? "default";
  const isAsking = facts.hooks_applied !== false || state.mode === "default" || state.mode === "auto";
  const { model, isModeChanged } = state.early;
  return [
    ...(model === undefined ? [] : setModel(state, model)),
    ...(isModeChanged ? setMode(state, state.mode) : []),
    { type: "ready" },
    ...(isAsking
      ? []
      : notice("Claude Code takes no hook: what your settings allow is done without asking.")),
  ];
}

function broken(state: State, words: string): Output[] {
  state.isOver = true;
  const message = `Claude Code could not be initialized: ${words}`;
  return [
    said({ type: "error", code: "agent_broken", message }),
    said({ type: "result", is_error: true }),
    { type: "stop" },
  ];
}

function refused(message: string): Output[] {
  return [said({ type: "system", subtype: "error", code: "unsupported", message })];
}

/** Only what the run cannot know: why a CLI that never was ready has left. */
function end({ isReady }: State, { exitCode, stderr }: Extract<Input, { type: "end" }>): Output[] {
  if (isReady || exitCode === null || exitCode === 0 || exitCode > 125) return [];
  const words = stderr.trim().split("\n").at(-1) ?? "";
  const code = failureCode({ message: words });
  return [
    said({
      type: "error",
      code: code === "failed" ? "agent_broken" : code,
      message: words === "" ? `Claude Code did not start (status ${exitCode}).` : words,
      ...(/unknown option/.test(words) && {
        hint: "This Claude Code is too old to be run live; `claude update` brings a newer one.",
      }),
    }),
  ];
}
