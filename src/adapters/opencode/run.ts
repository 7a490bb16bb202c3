// OpenCode live: `opencode serve` and its HTTP interface, as measured with 1.18.33 (README.md, "Live"). This file owns
// the launch, what the user wants, and what the server answers.
import { dirname } from "node:path";
import type { PermissionMode } from "../../session/events.ts";
import type { Driver, DriverFailure, Input, Launch, Output, RunRequest } from "../driver.ts";
import { isObject, type JsonObject, objectOf, objects, word } from "./native.ts";
import { dataFolder } from "./paths.ts";
import { decided, settled } from "./run-asking.ts";
import { aborted, heard } from "./run-events.ts";
import { answerFailure } from "./run-failure.ts";
import {
  askingPermissions,
  askingRules,
  isOurs,
  isOverruled,
  isStrict,
  rulesIn,
  withJson,
} from "./run-rules.ts";
import {
  ask,
  failed,
  find,
  finished,
  initial,
  introduced,
  newTurn,
  type State,
  said,
  stopped,
} from "./run-state.ts";

export const driver: Driver<State> = {
  launch,
  initial,
  step,
  changes: { model: true, mode: true },
  isPulse: (line) => PULSE.test(line),
};

/** The server says every few seconds that it is there. */
const PULSE = /^\{[^{}]{0,200}"type":"server\.heartbeat"/;

const USER = "opencode";

function launch({ home, cwd, mode, secret }: RunRequest): Launch {
  const { OPENCODE_PERMISSION, OPENCODE_CONFIG_CONTENT } = home.env;
  const word = Buffer.from(`${USER}:${secret}`).toString("base64");
  return {
    argv: ["opencode", "serve", "--port", "0", "--hostname", "127.0.0.1"],
    env: {
      XDG_DATA_HOME: dirname(dataFolder(home)),
      OPENCODE_SERVER_USERNAME: USER,
      OPENCODE_SERVER_PASSWORD: secret,
      OPENCODE_CONFIG_CONTENT: withJson(OPENCODE_CONFIG_CONTENT, GOING_ON),
      ...(isStrict(mode) && { OPENCODE_PERMISSION: withJson(OPENCODE_PERMISSION, askingPermissions()) }),
    },
    transport: {
      type: "http",
      events: "/event",
      headers: {
        authorization: `Basic ${word}`,
        "x-opencode-directory": encodeURIComponent(cwd.toWellFormed()),
      },
    },
  };
}

/** Otherwise what is denied ends the turn, and with it what else the agent was at. */
const GOING_ON = { experimental: { continue_loop_on_deny: true } };

function step(state: State, input: Input): Output[] {
  if (state.isOver) return [];
  switch (input.type) {
    case "start":
      return [ask(state, { purpose: "health" }, { method: "GET", path: "/global/health" })];
    case "line":
      return heard(state, input.text);
    case "answer":
      return answer(state, input);
    case "prompt":
      return prompt(state, input.text);
    case "interrupt":
      return interrupt(state);
    case "decide":
      return decided(state, input.id, input.decision);
    case "set_model":
      return setModel(state, input.model);
    case "set_mode":
      return setMode(state, input.mode);
    case "end":
      return [];
  }
}

type Answer = Extract<Input, { type: "answer" }>;

function answer(state: State, { id, status, body }: Answer): Output[] {
  const request = find(state.requests, String(id));
  delete state.requests[String(id)];
  const isGood = status >= 200 && status < 300;
  switch (request?.purpose) {
    case "health":
      if (status === 0) return stopped(state, answerFailure(status, body));
      state.version = word(objectOf(body).version) ?? null;
      return found(state);
    case "session":
      return isGood && isObject(body) ? resumed(state, body) : missing(state, status, body);
    case "agents":
      return agents(state, isGood ? objects(body) : []);
    case "rules":
      return isGood ? ready(state) : notHeld(state, answerFailure(status, body));
    case "make":
      return isGood ? made(state, objectOf(body)) : failed(state, notMade(status, body));
    case "prompt":
      return isGood || !state.turn ? [] : failed(state, answerFailure(status, body));
    case "abort":
      if (state.turn?.isInterrupted && !state.turn.isBusy) state.turn.needsAbort = true;
      return [];
    case "reply":
      return settled(state, request.ask);
    case undefined:
      return [];
  }
}

/** The server is there; a session that is gone on with has to be. */
function found(state: State): Output[] {
  if (state.expected !== null)
    return [ask(state, { purpose: "session" }, { method: "GET", path: pathOf(state.expected) })];
  return state.asksMore ? [askAgents(state)] : ready(state);
}

function pathOf(session: string, rest = ""): string {
  return `/session/${encodeURIComponent(session.toWellFormed())}${rest}`;
}

function askAgents(state: State): Output {
  return ask(state, { purpose: "agents" }, { method: "GET", path: "/agent" });
}

function missing(state: State, status: number, body: unknown): Output[] {
  const isKnown = status === 404 || status === 400;
  const message = `OpenCode has no session ${state.expected}.`;
  const { hint: _, ...failure } = { hint: "", ...answerFailure(status, body) };
  return stopped(state, isKnown ? { ...failure, code: "session_missing", message } : failure);
}

function resumed(state: State, { id, directory, model, agent, permission }: JsonObject): Output[] {
  const [session, folder] = [word(id), word(directory)];
  if (session === undefined || session !== state.expected) return missing(state, 404, {});
  if (folder !== undefined && plain(folder) !== plain(state.cwd)) {
    const message = `The session ${session} belongs to ${folder}, not to ${state.cwd}.`;
    return stopped(state, { code: "session_missing", message, hint: `Run it in ${folder}.` });
  }
  state.session = session;
  state.agent = word(agent) ?? null;
  state.sessionRules = rulesIn(permission);
  // An earlier run has made it ask more, which it never forgets.
  state.asksMore ||= state.sessionRules.some(isOurs);
  const { providerID, id: name } = objectOf(model);
  const known = word(providerID) && word(name) ? `${providerID}/${name}` : null;
  return [...introduced(state, state.model ?? known), askAgents(state)];
}

function plain(folder: string): string {
  return folder.replace(/(?<=.)[\\/]+$/, "");
}

/** The first is the user's default; a session stays with its own while there is one of that name. */
function agents(state: State, list: readonly JsonObject[]): Output[] {
  const isUsable = ({ name, mode, hidden }: JsonObject) =>
    name === state.agent && mode !== "subagent" && hidden !== true;
  if (!list.some(isUsable)) state.agent = state.expected === null ? null : (word(list[0]?.name) ?? null);
  if (!state.asksMore) return ready(state);
  const named = list.flatMap(({ name, permission }) => {
    const known = word(name);
    return known === undefined ? [] : [[known, rulesIn(permission)] as const];
  });
  state.rules = Object.fromEntries(named);
  state.agent ??= word(list[0]?.name) ?? null;
  return askingMore(state);
}

/** Rules in the session itself stay there, so they are put in only where nothing else helps. */
function askingMore(state: State): Output[] {
  const rules = [...(find(state.rules, state.agent) ?? []), ...state.sessionRules];
  state.needsRules =
    isStrict(state.mode) && (isOverruled(rules) || (state.needsRules && !rules.some(isOurs)));
  if (state.session === null || !state.needsRules) return ready(state);
  state.sessionRules.push(...askingRules());
  const sent = { method: "PATCH", path: pathOf(state.session), body: { permission: askingRules() } } as const;
  return [ask(state, { purpose: "rules" }, sent)];
}

/** A run that was promised to ask does not begin without. */
function notHeld(state: State, failure: DriverFailure): Output[] {
  if (!state.isReady) return stopped(state, failure);
  const sessionRules = state.sessionRules.filter((rule) => !isOurs(rule));
  Object.assign(state, { mode: state.heldMode, asksMore: false, needsRules: false, sessionRules });
  return [said({ type: "system", subtype: "error", ...failure }), ...ready(state)];
}

function ready(state: State): Output[] {
  if (state.isReady) {
    const held = state.isHolding ? modeHeld(state) : [];
    state.isHolding = false;
    return [...held, ...proceed(state)];
  }
  state.isReady = true;
  return [{ type: "ready" }];
}

function prompt(state: State, text: string): Output[] {
  state.turn = newTurn();
  if (state.model !== null && !modelOf(state.model)) return failed(state, noModel(state.model));
  state.waiting = text;
  return [...modeTakenUp(state), ...proceed(state)];
}

/** A session is made with its first prompt: one without would only stand in the user's list. */
function proceed(state: State): Output[] {
  const { waiting, session } = state;
  if (waiting === null || state.isHolding) return [];
  if (session === null) return isMaking(state) ? [] : [make(state)];
  state.waiting = null;
  return [prompted(state, session, waiting)];
}

function isMaking({ requests }: State): boolean {
  return Object.values(requests).some(({ purpose }) => purpose === "make");
}

function make(state: State): Output {
  const body = state.needsRules ? { permission: askingRules() } : {};
  return ask(state, { purpose: "make" }, { method: "POST", path: "/session", body });
}

function notMade(status: number, body: unknown) {
  const failure = answerFailure(status, body);
  // No session was asked for that could be missing.
  return failure.code === "session_missing" ? { ...failure, code: "failed" as const } : failure;
}

function made(state: State, body: JsonObject): Output[] {
  const session = word(body.id);
  if (session === undefined) return failed(state, { code: "failed", message: "OpenCode made no session." });
  state.session = session;
  state.sessionRules = rulesIn(body.permission);
  return proceed(state);
}

function prompted(state: State, session: string, text: string): Output {
  const model = state.model === null ? undefined : modelOf(state.model);
  const body = {
    parts: [{ type: "text", text }],
    ...(model && { model }),
    ...(state.expected !== null && state.agent !== null && { agent: state.agent }),
  };
  return ask(state, { purpose: "prompt" }, { method: "POST", path: pathOf(session, "/prompt_async"), body });
}

/** The provider's name has no slash in it, a model's may. */
function modelOf(name: string): { providerID: string; modelID: string } | undefined {
  const at = name.indexOf("/");
  if (at < 1 || at === name.length - 1) return undefined;
  return { providerID: name.slice(0, at), modelID: name.slice(at + 1) };
}

function noModel(name: string) {
  const message = `OpenCode knows no model ${name}: it calls them PROVIDER/MODEL.`;
  const hint = "`opencode models` lists them.";
  return { code: "model_unknown", message, hint } as const;
}

function interrupt(state: State): Output[] {
  if (!state.turn) return [];
  state.turn.isInterrupted = true;
  if (state.waiting === null) return aborted(state);
  state.waiting = null;
  return finished(state);
}

/** From the next prompt on. */
function setModel(state: State, model: string): Output[] {
  if (!modelOf(model)) return [said({ type: "system", subtype: "error", ...noModel(model) })];
  state.model = model;
  if (state.told.session === null) return [said({ type: "init", model })];
  return introduced(state, model);
}

/** What is asked more is asked from the next prompt on: OpenCode looks at a session's rules when it begins (1.18.33). */
function setMode(state: State, mode: PermissionMode): Output[] {
  state.mode = mode;
  // It is told once the rules are there.
  if (state.isHolding) return [];
  if (!isStrict(mode) || state.asksMore) return modeHeld(state);
  Object.assign(state, { asksMore: true, needsRules: true });
  // Before it is ready they are asked for anyway, and without them it never is.
  if (!state.isReady) return modeHeld(state);
  state.isHolding = true;
  return [askAgents(state)];
}

/** Rules that came in the middle of a turn are not for that one. */
function modeHeld(state: State): Output[] {
  state.heldMode = state.mode;
  const isLate = state.isHolding && state.turn !== null && state.waiting === null;
  state.nextMode = isLate ? state.mode : null;
  return isLate ? [] : [said({ type: "mode", mode: state.mode })];
}

function modeTakenUp(state: State): Output[] {
  const mode = state.nextMode;
  state.nextMode = null;
  return mode === null ? [] : [said({ type: "mode", mode })];
}
