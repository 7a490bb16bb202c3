// What the live driver remembers between two events, and the few ways in which it speaks. All of it is plain JSON;
// what belongs to a turn is forgotten with it, so nothing grows with the length of a run.
import type { PermissionMode } from "../../session/events.ts";
import type { Question } from "../../session/tools.ts";
import type { DriverEvent, DriverFailure, Output, RunRequest } from "../driver.ts";
import { isStrict, type Rule } from "./run-rules.ts";

export interface State {
  cwd: string;
  mode: PermissionMode;
  /** The last one that OpenCode was made to keep to. */
  heldMode: PermissionMode;
  /** Taken up in the middle of a turn, for the next one. */
  nextMode: PermissionMode | null;
  /** The session that was asked for. */
  expected: string | null;
  session: string | null;
  /** As it was asked for: PROVIDER/MODEL. */
  model: string | null;
  /** The agent of OpenCode's that the session is gone on with; null = the user's default. */
  agent: string | null;
  version: string | null;
  /** What the run was told of the session. */
  told: { session: string | null; model: string | null };
  isReady: boolean;
  /** It was told to stop; what still comes is nobody's business. */
  isOver: boolean;
  /** Numbers the requests of ours. */
  next: number;
  requests: Record<string, Request>;
  /** A prompt that waits until there is a session, and that has the rules it needs. */
  waiting: string | null;
  isHolding: boolean;
  /** Whether OpenCode was made to ask more than the user's own rules say, so that those are ours to keep. */
  asksMore: boolean;
  /** Whether the session itself has to hold the rules that make it ask, because they are not strong enough elsewhere. */
  needsRules: boolean;
  /** The user's own rules by agent, and those of the session. */
  rules: Record<string, Rule[]>;
  sessionRules: Rule[];
  turn: Turn | null;
  subagents: Record<string, Subagent>;
  /** Replies that are being written. */
  messages: Record<string, Message>;
  parts: Record<string, Part>;
  /** By session, until it says that it is compacted. */
  compactions: Record<string, Compaction>;
  calls: Record<string, Call>;
  asks: Record<string, Asked>;
  /** What the user allowed for the rest of the session. */
  allowed: Rule[];
  /** Of a turn that failed before there was a reply, its message: it is told once more with a stack. */
  echo: string | null;
}

/** What an answer is for; `ask`: the permission or question that was replied to. */
export interface Request {
  purpose: "health" | "session" | "agents" | "rules" | "make" | "prompt" | "abort" | "reply";
  ask?: string;
}

export interface Turn {
  /** OpenCode began it by itself, which is told once something comes of it. */
  isOwn: boolean;
  /** OpenCode has begun to work on it. */
  isBusy: boolean;
  /** It has ended without a reply and without a word; why comes next. */
  isIdle: boolean;
  hasReply: boolean;
  isInterrupted: boolean;
  /** The abort came before there was anything to be aborted. */
  needsAbort: boolean;
  failure: DriverFailure | null;
  isRefused: boolean;
  finish: string | null;
}

export interface Subagent {
  /** The call that started it; null = not known yet. */
  call: string | null;
  agent: string | null;
  rules: Rule[];
}

export interface Message {
  session: string;
  isSummary: boolean;
}

export interface Compaction {
  trigger: string | null;
  summary: string | null;
}

export interface Part {
  message: string;
  type: "text" | "thinking" | "step";
  /** How much of it was told. */
  told: number;
}

export interface Call {
  message: string;
  name: string;
  input: unknown;
  isDone: boolean;
}

export interface Asked {
  session: string;
  /** The call that it is about; its arguments may come later. */
  call: string | null;
  name: string;
  input: unknown;
  reason: string | null;
  questions: Question[] | null;
  isTold: boolean;
  /** What it would be allowed by for the rest of the session. */
  rules: Rule[];
  /** The answer that went out, or is to. */
  answer: "none" | "sent" | "refused";
  message: string | null;
}

export function initial({ cwd, mode, session, model }: RunRequest): State {
  return {
    cwd,
    mode,
    heldMode: mode,
    nextMode: null,
    expected: session ?? null,
    session: null,
    model: model ?? null,
    agent: null,
    version: null,
    told: { session: null, model: null },
    isReady: false,
    isOver: false,
    next: 1,
    requests: {},
    waiting: null,
    isHolding: false,
    asksMore: isStrict(mode),
    needsRules: false,
    rules: {},
    sessionRules: [],
    turn: null,
    subagents: {},
    messages: {},
    parts: {},
    compactions: {},
    calls: {},
    asks: {},
    allowed: [],
    echo: null,
  };
}

export function newTurn(isOwn = false): Turn {
  return {
    isOwn,
    isBusy: false,
    isIdle: false,
    hasReply: false,
    isInterrupted: false,
    needsAbort: false,
    failure: null,
    isRefused: false,
    finish: null,
  };
}

export function said(event: DriverEvent): Output {
  return { type: "event", event };
}

type Sent = Omit<Extract<Output, { type: "request" }>, "type" | "id">;

export function ask(state: State, request: Request, sent: Sent): Output {
  const id = state.next++;
  keep(state.requests, String(id), request);
  return { type: "request", id, ...sent };
}

/** Says who is there, as far as that is news. */
export function introduced(state: State, model: string | null = state.told.model): Output[] {
  const { session, told, version } = state;
  if (session === null || (session === told.session && model === told.model)) return [];
  state.told = { session, model };
  return [
    said({
      type: "init",
      session_id: session,
      ...(model !== null && { model }),
      ...(version !== null && { version }),
    }),
  ];
}

/** Ends the turn with one result, and forgets what belongs to it. */
export function finished(state: State): Output[] {
  const { turn } = state;
  if (!turn) return [];
  const outputs = introduced(state);
  if (turn.failure && !turn.isInterrupted) outputs.push(said({ type: "error", ...turn.failure }));
  const ending = turn.isInterrupted
    ? { interrupted: true }
    : { ...(turn.isRefused && { refused: true }), ...(turn.finish !== null && { stop_reason: turn.finish }) };
  outputs.push(said({ type: "result", ...ending }));
  state.echo = turn.hasReply ? null : (turn.failure?.message ?? null);
  Object.assign(state, {
    turn: null,
    waiting: null,
    subagents: {},
    messages: {},
    parts: {},
    compactions: {},
    calls: {},
    asks: {},
  });
  return outputs;
}

export function failed(state: State, failure: DriverFailure): Output[] {
  state.turn ??= newTurn();
  state.turn.failure = failure;
  return finished(state);
}

/** Nothing can be done with this agent; whoever waits is told why. */
export function stopped(state: State, failure: DriverFailure): Output[] {
  const outputs = failed(state, failure);
  state.isOver = true;
  return [...outputs, { type: "stop" }];
}

/** More than these at a time is garbage. */
const MOST = 1000;

export function keep<T>(map: Record<string, T>, key: string, value: T): T {
  if (!Object.hasOwn(map, key)) {
    const keys = Object.keys(map);
    if (keys.length >= MOST) delete map[keys[0] ?? ""];
  }
  map[key] = value;
  return value;
}

/** By a name that somebody else gave, which may be that of anything. */
export function find<T>(map: Record<string, T>, key: string | null | undefined): T | undefined {
  return key !== null && key !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}
