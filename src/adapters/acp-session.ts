// From the first word to the first prompt over the Agent Client Protocol: who the agent is, which session it opens, and
// that it is in the mode and has the model that were asked for.
import type { InitializeRequest } from "@agentclientprotocol/sdk";
import type { PermissionMode } from "../session/events.ts";
import { chosen, modelsIn, modesIn } from "./acp-choices.ts";
import { failureOf, loadFailure } from "./acp-failure.ts";
import { type AcpOptions, type AcpState, fatal, say } from "./acp-state.ts";
import type { DriverFailure, Output } from "./driver.ts";
import { filled, isObject, type Json, objects } from "./json.ts";
import { request } from "./rpc.ts";

const VERSION = 1;
/** No agent knows it, so every agent answers at once, behind all that it has said. */
export const SETTLED = "_baton/settled";

export function greet(state: AcpState): Output[] {
  const greeting: InitializeRequest = {
    protocolVersion: VERSION,
    clientInfo: { name: "baton", title: "Baton", version: state.version },
    // Neither files nor terminals: agents then use their own, as they do without us.
    clientCapabilities: { elicitation: { form: {} }, session: { compaction: {}, notices: {} } },
  };
  return [request(state.rpc, "initialize", greeting)];
}

export function greeted(state: AcpState, options: AcpOptions, result: Json): Output[] {
  const { agentInfo, agentCapabilities, authMethods, protocolVersion } = result;
  const info = isObject(agentInfo) ? agentInfo : {};
  const version = filled(info.version);
  state.agent = {
    name: filled(info.title) ?? filled(info.name) ?? "The agent",
    ...(version !== undefined && { version }),
    ways: objects(authMethods)
      .flatMap(({ name, id }) => filled(name) ?? filled(id) ?? [])
      .slice(0, 10),
  };
  if (protocolVersion !== VERSION) return fatal(state, otherVersion(state, protocolVersion));
  const can = isObject(agentCapabilities) ? agentCapabilities : {};
  const session = isObject(can.sessionCapabilities) ? can.sessionCapabilities : {};
  state.can = { load: can.loadSession === true, resume: isObject(session.resume) };
  return open(state, options);
}

function otherVersion({ agent }: AcpState, version: unknown): DriverFailure {
  const theirs = typeof version === "number" ? `version ${version}` : "no version";
  return {
    code: "unsupported",
    message: `${agent.name} speaks ${theirs} of the Agent Client Protocol, not version ${VERSION}.`,
    hint: "Install a version of the agent that speaks it.",
  };
}

function open(state: AcpState, options: AcpOptions): Output[] {
  const { wanted, can, agent } = state;
  const place = { cwd: state.cwd, mcpServers: [] };
  state.phase = "opening";
  if (wanted === undefined) return [request(state.rpc, "session/new", place)];
  if (options.isSession?.(wanted) === false)
    return fatal(state, { code: "session_missing", message: `${wanted} is not the id of a session.` });
  if (!can.resume && !can.load)
    return fatal(state, { code: "unsupported", message: `${agent.name} cannot go on with a session.` });
  // Resuming says nothing of what was; loading tells all of it again.
  state.session = can.resume ? wanted : (options.loadedAs?.(wanted) ?? wanted);
  return [
    request(state.rpc, can.resume ? "session/resume" : "session/load", {
      sessionId: state.session,
      ...place,
    }),
  ];
}

export function opened(state: AcpState, options: AcpOptions, method: string, result: Json): Output[] {
  const id = filled(result.sessionId);
  if (method === "session/new") {
    if (id === undefined)
      return fatal(state, { code: "agent_broken", message: `${state.agent.name} names no session.` });
    state.session = id;
  } else if (id !== undefined && id.trim() !== state.session.trim())
    return fatal(state, {
      code: "session_missing",
      message: `${state.agent.name} went on with session ${id}, not with ${state.wanted}.`,
    });
  // Of a session that was begun elsewhere nobody knows what it has cost so far.
  if (method === "session/new") state.cost = { before: 0, now: 0 };
  state.modes = modesIn(result);
  state.ownMode = state.modes?.current;
  state.models = modelsIn(result);
  if (method !== "session/load") return prepare(state, options);
  state.phase = "replaying";
  state.isHeard = false;
  return [request(state.rpc, SETTLED, {})];
}

/**
 * Gemini CLI 0.61.0 goes on telling what was after it has answered that the session is loaded, and even after the next
 * prompt. Its lines have one queue, and it puts the next one in as soon as the last is out: where nothing came between
 * two answers there is nothing more.
 */
export function settled(state: AcpState, options: AcpOptions): Output[] {
  if (state.phase !== "replaying") return [];
  if (!state.isHeard) return prepare(state, options);
  state.isHeard = false;
  return [request(state.rpc, SETTLED, {})];
}

export function notOpened(state: AcpState, method: string, error: Json): Output[] {
  return fatal(state, method === "session/new" ? failureOf(state, error) : loadFailure(state, error));
}

function prepare(state: AcpState, options: AcpOptions): Output[] {
  state.phase = "preparing";
  const outputs = [...preparedModel(state, options), ...preparedMode(state, options)];
  if (state.phase !== "preparing") return outputs;
  state.preparing = outputs.filter(({ type }) => type === "send").length;
  return [...outputs, ...(state.preparing === 0 ? ready(state) : [])];
}

/** Whoever started it with a model does not want to go on without; whoever asked for one since is told. */
function preparedModel(state: AcpState, options: AcpOptions): Output[] {
  const { models, otherModel, agent } = state;
  const model = otherModel ?? (options.isModelLaunched ? undefined : state.model);
  if (model === undefined || models?.current === model) return [];
  if (models) return [chosen(state, models, { what: "model", value: model })];
  const message = `${agent.name} does not let a model be chosen.`;
  if (otherModel !== undefined)
    return [
      introduced(state),
      say({ type: "system", subtype: "error", code: "unsupported", message }),
      ...withoutOther(state, options),
    ];
  return fatal(state, {
    code: "unsupported",
    message,
    hint: "Run it without --model, or choose the model in its own settings.",
  });
}

/** The model that was asked for while it started is not to be had: it begins with the one that it was started with. */
function withoutOther(state: AcpState, options: AcpOptions): Output[] {
  delete state.otherModel;
  return preparedModel(state, options);
}

function preparedMode(state: AcpState, options: AcpOptions): Output[] {
  if (state.phase !== "preparing") return [];
  const { modes } = state;
  const id = modeFor(state, options, state.mode);
  if (id !== undefined && modes) {
    const change = { what: "mode", value: id, mode: state.mode } as const;
    return id === modes.current ? [] : [chosen(state, modes, change)];
  }
  if (state.mode !== "interactive" && state.mode !== "deny") return [];
  const message = `${state.agent.name} offers no mode that is known to ask before every change; what it asks is answered.`;
  return [say({ type: "system", subtype: "notice", message })];
}

/** Modes in which agents are known to ask: Gemini CLI and Claude Code, goose, and what others call it. */
const ASKING = ["default", "approve", "ask", "manual", "read-only"];

export function modeFor(
  { modes, ownMode }: AcpState,
  options: AcpOptions,
  mode: PermissionMode,
): string | undefined {
  const named = options.modes?.[mode];
  if (named !== undefined) return named;
  if (mode === "default" || mode === "auto") return ownMode;
  return ASKING.find((id) => modes?.all.includes(id));
}

/** A model that was asked for while it prepared was refused. */
export function preparedWithout(state: AcpState, options: AcpOptions, model: string): Output[] {
  const outputs = model === state.otherModel ? withoutOther(state, options) : [];
  state.preparing += outputs.filter(({ type }) => type === "send").length;
  return [...outputs, ...prepared(state)];
}

export function prepared(state: AcpState): Output[] {
  state.preparing = Math.max(0, state.preparing - 1);
  return state.preparing === 0 ? ready(state) : [];
}

function ready(state: AcpState): Output[] {
  state.phase = "ready";
  return [introduced(state), { type: "ready" }];
}

/** Said again it only tells what has changed since. */
export function introduced(state: AcpState): Output {
  const { agent, wanted, session } = state;
  return say({
    type: "init",
    session_id: wanted ?? session,
    ...modelOf(state),
    ...(agent.version !== undefined && { version: agent.version }),
  });
}

function modelOf(state: AcpState): { model?: string } {
  const model = state.models?.current ?? state.model;
  return model === undefined || model === "" ? {} : { model };
}
