// Codex live: `codex app-server`, JSON-RPC over lines, as measured with 0.166.0 (README.md, "Live"). This file owns the
// launch, how a thread is opened, and what the user wants.
import type { PermissionMode } from "../../session/events.ts";
import type { Driver, Input, Launch, Output } from "../driver.ts";
import { notify, type RpcMessage, received, request } from "../rpc.ts";
import { isObject, type JsonObject, word } from "./native.ts";
import { asked, decided } from "./run-asks.ts";
import { refusalOf } from "./run-failures.ts";
import { askingServers, ownPolicy, policyOf } from "./run-modes.ts";
import { idOf, noticed, UNWANTED } from "./run-notices.ts";
import { closeTurn, keep, newState, type RunState, tell, tellEarly, tellOnceInit } from "./run-state.ts";
import { noTokens } from "./run-usage.ts";

export const driver: Driver<RunState> = {
  launch,
  initial: newState,
  step,
  changes: { model: true, mode: true },
};

/** Without a connection it would try for ever, and no turn would end (0.166.0). */
const ENDS_WITHOUT_NETWORK = "features.unbounded_connection_retries=false";

function launch(): Launch {
  return {
    argv: ["codex", "app-server", "-c", ENDS_WITHOUT_NETWORK],
    env: {},
    transport: { type: "lines" },
  };
}

function step(state: RunState, input: Input): Output[] {
  switch (input.type) {
    case "start":
      return [request(state.rpc, "initialize", introduction(state))];
    case "line":
      return heard(state, input.text);
    case "prompt":
      return prompted(state, input.text);
    case "interrupt":
      return interrupted(state);
    case "decide":
      return decided(state, input.id, input.decision);
    case "set_model":
      state.change.settings.model = input.model;
      return state.isInit ? [tell({ type: "init", model: input.model })] : [];
    case "set_mode":
      return setMode(state, input.mode);
    case "end":
      return ended(state, input);
    case "answer":
      return [];
  }
}

/** Codex takes other settings only with a prompt. */
function setMode(state: RunState, mode: PermissionMode): Output[] {
  state.mode = mode;
  state.change.mode = mode;
  Object.assign(state.change.settings, mode === "default" ? state.own : policyOf(mode));
  return [];
}

/** Raw events and the policy of mode auto are experimental, and refused without the opt-in. */
function introduction({ version }: RunState): JsonObject {
  return {
    clientInfo: { name: "baton", title: "Baton", version },
    capabilities: { experimentalApi: true, requestAttestation: false, optOutNotificationMethods: UNWANTED },
  };
}

function heard(state: RunState, line: string): Output[] {
  const message = received(state.rpc, line);
  if (!message) return tellOnceInit(state, { type: "raw", text: line });
  switch (message.type) {
    case "answer":
      return answered(state, message.method, isObject(message.result) ? message.result : {});
    case "failure":
      return refused(state, message);
    case "request":
      return asked(state, message);
    case "notice":
      return noticed(state, message.method, message.params);
  }
}

function answered(state: RunState, method: string, result: JsonObject): Output[] {
  switch (method) {
    case "initialize": {
      const version = /\/(\d[^ ]*)/.exec(String(result.userAgent))?.[1];
      if (version !== undefined) state.cli = version;
      const first = notify(state.rpc, "initialized");
      // The user's own settings are needed to go back to them, to know what they allow, and for an old thread.
      const needsSettings = state.mode !== "default" || state.session !== undefined;
      if (!needsSettings) return [first, openThread(state)];
      return [first, request(state.rpc, "config/read", { cwd: state.cwd })];
    }
    case "config/read": {
      const config = isObject(result.config) ? result.config : {};
      state.own = ownPolicy(config);
      const isAsking = state.mode === "interactive" || state.mode === "deny";
      const asking = isAsking ? askingServers(config) : undefined;
      const modelProvider = word(config.model_provider) ?? OWN_PROVIDER;
      return [openThread(state, { modelProvider, ...(asking && { config: asking }) })];
    }
    case "thread/start":
    case "thread/resume":
      return threadOpened(state, result);
    case "turn/start":
      return [...taken(state), ...turnNamed(state, idOf(result.turn))];
    default:
      return [];
  }
}

/** Where the settings name none. */
const OWN_PROVIDER = "openai";

/** By the user's settings. */
interface Place {
  modelProvider?: string;
  config?: JsonObject;
}

/**
 * A new thread is not told its folder: the process is in it, and naming it would mark the folder as trusted in the
 * user's settings (0.166.0). An old one goes on in the folder that it is told, and with the provider: one that names
 * none, because it was carried here, would be refused, and one of another provider is refused all the same.
 */
function openThread(state: RunState, { modelProvider, config }: Place = {}): Output {
  const { rpc, session, model, mode, cwd } = state;
  const settings = {
    ...(model !== undefined && { model }),
    ...policyOf(mode),
    ...(config && { config }),
  };
  if (session === undefined)
    return request(rpc, "thread/start", { ...settings, experimentalRawEvents: true });
  const provider = modelProvider === undefined ? {} : { modelProvider };
  return request(rpc, "thread/resume", {
    threadId: session,
    cwd,
    excludeTurns: true,
    ...provider,
    ...settings,
  });
}

function threadOpened(state: RunState, result: JsonObject): Output[] {
  const id = isObject(result.thread) ? word(result.thread.id) : undefined;
  const { session, cli, mode } = state;
  if (id === undefined || (session !== undefined && id.toLowerCase() !== session.toLowerCase())) {
    const message = `Codex opened ${id ?? "nothing"} instead of ${session ?? "a new session"}.`;
    return given(state, tell({ type: "error", code: "session_missing", message }));
  }
  state.thread = id;
  state.isInit = true;
  if (session === undefined) keep(state.totals, id, noTokens());
  if (mode === "default")
    state.own = { approvalPolicy: result.approvalPolicy, approvalsReviewer: result.approvalsReviewer };
  const model = word(result.model);
  const facts = { ...(model !== undefined && { model }), ...(cli !== undefined && { version: cli }) };
  return [tell({ type: "init", session_id: id, ...facts }), ...tellEarly(state), { type: "ready" }];
}

/** It cannot go on at all. */
function given(state: RunState, why: Output): Output[] {
  state.isInit = true;
  return [...tellEarly(state), why, tell({ type: "result", is_error: true }), { type: "stop" }];
}

function refused(state: RunState, { method, error }: Extract<RpcMessage, { type: "failure" }>): Output[] {
  const failure = refusalOf(error);
  switch (method) {
    case "initialize":
      return given(state, tell({ type: "error", ...failure, code: "agent_broken" }));
    case "config/read":
      return [openThread(state)];
    case "thread/start":
    case "thread/resume": {
      // It starts although its settings are wrong, but opens nothing.
      const isBroken = failure.code === "failed" || /^failed to load config/.test(failure.message);
      const code = isBroken ? "agent_broken" : failure.code;
      return given(state, tell({ type: "error", ...failure, code }));
    }
    case "turn/start":
      closeTurn(state);
      sentBack(state);
      return [tell({ type: "error", ...failure }), tell({ type: "result", is_error: true })];
    default:
      return [];
  }
}

function prompted(state: RunState, text: string): Output[] {
  // Its name comes with the answer; a turn that Codex began by itself is over by now.
  Object.assign(state, { isTurn: true, turn: "" });
  const { rpc, thread, change } = state;
  state.sent = change;
  state.change = { settings: {} };
  const input = [{ type: "text", text }];
  return [request(rpc, "turn/start", { threadId: thread, input, ...change.settings })];
}

function taken(state: RunState): Output[] {
  const { mode } = state.sent;
  state.sent = { settings: {} };
  return mode === undefined ? [] : [tell({ type: "mode", mode })];
}

/** A turn that never began has changed nothing: the next one is to. */
function sentBack(state: RunState): void {
  const { sent, change } = state;
  state.change = { ...sent, ...change, settings: { ...sent.settings, ...change.settings } };
  state.sent = { settings: {} };
}

function turnNamed(state: RunState, turn: string | undefined): Output[] {
  if (turn === undefined) return [];
  state.turn = turn;
  return state.isInterrupted ? stopped(state) : [];
}

/** A turn that has no name yet is stopped as soon as it has one. */
function interrupted(state: RunState): Output[] {
  if (!state.isTurn) return [];
  state.isInterrupted = true;
  return state.turn === "" ? [] : stopped(state);
}

/** Neither subagents nor a command that runs would stop with the turn (0.166.0). */
function stopped({ rpc, thread, turn, agentTurns, open }: RunState): Output[] {
  const turns = [[thread, turn] as const, ...Object.entries(agentTurns)];
  const running = Object.values(open).flatMap(({ thread: threadId, process: processId }) =>
    processId === undefined ? [] : [{ threadId, processId }],
  );
  return [
    ...turns.map(([threadId, turnId]) => request(rpc, "turn/interrupt", { threadId, turnId })),
    ...running.map((params) => request(rpc, "thread/backgroundTerminals/terminate", params)),
  ];
}

/** One that ends before it is ready says why on its standard error, mostly of its settings. */
function ended(state: RunState, { exitCode, stderr }: Extract<Input, { type: "end" }>): Output[] {
  const isStart = !state.isInit && exitCode !== null && exitCode > 0 && exitCode < 126;
  state.isInit = true;
  const early = tellEarly(state);
  if (!isStart) return early;
  const said = stderr.trim();
  const message = said === "" ? `Codex ended with status ${exitCode} before it was ready.` : said;
  return [...early, tell({ type: "error", code: "agent_broken", message })];
}
