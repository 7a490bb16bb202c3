// Any agent that speaks the Agent Client Protocol (JSON-RPC lines, version 1), as a driver: a pure machine that is told
// lines and says what follows. What is special about one agent comes in as options; nothing here knows a vendor.
import type { PermissionMode } from "../session/events.ts";
import { askedOf, decided, withdrawn } from "./acp-ask.ts";
import { changeOf, chosen, configured, nowIs } from "./acp-choices.ts";
import { failureOf } from "./acp-failure.ts";
import {
  greet,
  greeted,
  introduced,
  modeFor,
  notOpened,
  opened,
  prepared,
  preparedWithout,
  SETTLED,
  settled,
} from "./acp-session.ts";
import { type AcpDriver, type AcpOptions, type AcpState, fatal, initialState, say } from "./acp-state.ts";
import { answered, interrupted, notAnswered, prompted } from "./acp-turn.ts";
import { updated } from "./acp-updates.ts";
import type { DriverFailure, Input, Output } from "./driver.ts";
import { isObject, type Json } from "./json.ts";
import { type RpcMessage, received } from "./rpc.ts";

export function acpDriver(options: AcpOptions): AcpDriver {
  const { argv, env = {} } = options;
  return {
    launch: (request) => ({
      argv: typeof argv === "function" ? argv(request) : argv,
      env,
      transport: { type: "lines" },
    }),
    initial: initialState,
    step: (state, input) => step(state, options, input),
    changes: { model: true, mode: true },
  };
}

function step(state: AcpState, options: AcpOptions, input: Input): Output[] {
  switch (input.type) {
    case "start":
      return greet(state);
    case "line":
      return heard(state, options, input.text);
    case "prompt":
      return prompted(state, input.text);
    case "interrupt":
      return interrupted(state);
    case "decide":
      return decided(state, options, input.id, input.decision);
    case "set_model":
      return modelWanted(state, input.model);
    case "set_mode":
      return modeWanted(state, options, input.mode);
    case "end":
      return ended(state, options, input);
    case "answer":
      return [];
  }
}

function heard(state: AcpState, options: AcpOptions, line: string): Output[] {
  // Whatever it says while it is being ended, it was said why.
  if (state.phase === "failed") return [];
  const message = received(state.rpc, line);
  if (message) return understood(state, options, message);
  if (line.trim() === "") return [];
  const failure = state.phase === "ready" ? undefined : options.complaint?.(line);
  if (failure) return fatal(state, failure);
  return [say({ type: "raw", text: line })];
}

function understood(state: AcpState, options: AcpOptions, message: RpcMessage): Output[] {
  switch (message.type) {
    case "answer":
      return succeeded(state, options, message);
    case "failure":
      return failed(state, options, message);
    case "request":
      return askedOf(state, options, message.id, message.method, message.params);
    case "notice":
      return told(state, options, message.method, message.params);
  }
}

function told(state: AcpState, options: AcpOptions, method: string, params: Json): Output[] {
  if (method === "session/update") return updated(state, options, params);
  if (method === "$/cancel_request") return withdrawn(state, params.requestId);
  // Extensions begin with an underscore: whoever does not know them leaves them alone.
  if (method.startsWith("_") || method === "elicitation/complete") return [];
  return [say({ type: "raw", text: JSON.stringify({ method, params }) })];
}

type AnswerOf<Type> = Extract<RpcMessage, { type: Type }>;

function succeeded(state: AcpState, options: AcpOptions, { method, id, ...answer }: AnswerOf<"answer">) {
  const result = isObject(answer.result) ? answer.result : {};
  switch (method) {
    case "initialize":
      return greeted(state, options, result);
    case "session/new":
    case "session/load":
    case "session/resume":
      return opened(state, options, method, result);
    case "session/prompt":
      return answered(state, options, result);
    case SETTLED:
      return settled(state, options);
    default:
      return changed(state, id, result);
  }
}

function failed(state: AcpState, options: AcpOptions, { method, id, error }: AnswerOf<"failure">) {
  switch (method) {
    case "initialize":
      return fatal(state, broken(failureOf(state, error)));
    case "session/new":
    case "session/load":
    case "session/resume":
      return notOpened(state, method, error);
    case "session/prompt":
      return notAnswered(state, options, error);
    case SETTLED:
      return settled(state, options);
    default:
      return notChanged(state, options, id, error);
  }
}

function broken(failure: DriverFailure): DriverFailure {
  return failure.code === "failed" ? { ...failure, code: "agent_broken" } : failure;
}

/** A mode or a model was set. */
function changed(state: AcpState, id: number, result: Json): Output[] {
  const change = changeOf(state, id);
  configured(state, result.configOptions);
  if (change?.what === "mode") {
    nowIs(state.modes, change.value);
    state.heldMode = change.mode;
    const told = say({ type: "mode", mode: change.mode });
    return state.phase === "preparing" ? [told, ...prepared(state)] : [told];
  }
  if (change) nowIs(state.models, change.value);
  // The model that it begins with is told when it is ready.
  if (state.phase === "preparing") return prepared(state);
  const model = state.models?.current;
  return !change || model === undefined || model === "" ? [] : [say({ type: "init", model })];
}

function notChanged(state: AcpState, options: AcpOptions, id: number, error: Json): Output[] {
  const change = changeOf(state, id);
  const failure = failureOf(state, error);
  const known = failure.code !== "failed" && failure.code !== "bad_request";
  const code = known ? failure.code : change?.what === "model" ? "model_unknown" : "unsupported";
  const told = say({ type: "system", subtype: "error", ...failure, code });
  if (state.phase === "preparing") {
    if (change?.what === "model" && state.otherModel !== undefined)
      return [introduced(state), told, ...preparedWithout(state, options, change.value)];
    // Whoever starts it with a mode or a model does not want to go on without it.
    return fatal(state, { ...failure, code });
  }
  return change?.what === "mode" ? [told, modeKept(state, change.mode)] : [told];
}

/** As far as nothing else was asked for since. */
function modeKept(state: AcpState, refused: PermissionMode): Output {
  if (state.mode === refused) state.mode = state.heldMode;
  return say({ type: "mode", mode: state.mode });
}

function modelWanted(state: AcpState, model: string): Output[] {
  if (state.phase !== "ready") state.otherModel = model;
  if (isEarly(state)) return [];
  if (!state.models) return [unsupported(`${state.agent.name} does not let a model be chosen.`)];
  return sent(state, chosen(state, state.models, { what: "model", value: model }));
}

function modeWanted(state: AcpState, options: AcpOptions, mode: PermissionMode): Output[] {
  state.mode = mode;
  state.always = [];
  // Without it the session does not begin.
  if (isEarly(state)) return modeHeld(state);
  const id = modeFor(state, options, mode);
  const { modes } = state;
  if (id === undefined || !modes) {
    const asks = mode === "interactive" || mode === "deny";
    if (!asks) return modeHeld(state);
    const why = `${state.agent.name} offers no mode that is known to ask before every change.`;
    return [unsupported(why), modeKept(state, mode)];
  }
  return sent(state, chosen(state, modes, { what: "mode", value: id, mode }));
}

function modeHeld(state: AcpState): Output[] {
  state.heldMode = state.mode;
  return [say({ type: "mode", mode: state.mode })];
}

/** There is no session yet: what is wanted is seen to once there is one. */
function isEarly({ phase }: AcpState): boolean {
  return phase !== "ready" && phase !== "preparing";
}

function sent(state: AcpState, output: Output): Output[] {
  if (state.phase === "preparing") state.preparing++;
  return [output];
}

function unsupported(message: string): Output {
  return say({ type: "system", subtype: "error", code: "unsupported", message });
}

/** What it complained, or the end of it. */
const LONGEST_COMPLAINT = 500;

function ended(
  state: AcpState,
  { exits }: AcpOptions,
  { exitCode, stderr }: Extract<Input, { type: "end" }>,
): Output[] {
  const code = exitCode === null ? undefined : exits?.[exitCode];
  const isOver = state.phase === "failed" || (state.phase === "ready" && !state.turn);
  if (code === undefined || isOver) return [];
  state.phase = "failed";
  delete state.turn;
  const all = stderr.trim();
  const words = all.length <= LONGEST_COMPLAINT ? all : (all.split("\n").at(-1) ?? "");
  const message = words === "" ? `The agent ended with status ${exitCode}.` : words;
  return [
    say({ type: "error", code, message, provider_code: `exit ${exitCode}` }),
    say({ type: "result", is_error: true }),
  ];
}
