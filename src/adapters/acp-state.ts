// What the generic driver for the Agent Client Protocol knows while it runs, and what may be special about an agent.
import type { FailureCode, PermissionMode } from "../session/events.ts";
import type { Driver, DriverFailure, Output, RunRequest, Said } from "./driver.ts";
import type { Json } from "./json.ts";
import type { UniversalCall } from "./reading.ts";
import { newRpc, type Rpc } from "./rpc.ts";

export interface AcpOptions {
  argv: readonly string[] | ((request: RunRequest) => readonly string[]);
  env?: Readonly<Record<string, string>>;
  /** The agent's own mode for each of ours; absent = one of those that are known to ask, by id. */
  modes?: Partial<Record<PermissionMode, string>>;
  /** The model is chosen by `argv`. */
  isModelLaunched?: boolean;
  /** Whether an agent would take that for the id of a session. */
  isSession?(id: string): boolean;
  /** How the agent is told which session to load. */
  loadedAs?(id: string): string;
  /** What a call is, better than its kind tells. */
  tool?(call: AcpCall): NativeTool;
  /** Whether a call that is said to be completed failed all the same. */
  isFailed?(call: AcpCall, text: string): boolean;
  /** Undefined = it is nothing that the model said. */
  text?(chunk: string): string | undefined;
  thought?(chunk: string): string;
  usage?(result: Json): Usage | undefined;
  /** What else the answer to a prompt means. */
  verdict?(result: Json, turn: Turn): DriverFailure | undefined;
  /** What a line that is no message means, as long as there is no session. */
  complaint?(line: string): DriverFailure | undefined;
  exits?: Readonly<Record<number, FailureCode>>;
  /** Of several options of the right kind, these. */
  preferred?: readonly string[];
  /** Calls with the same word are allowed for the session together, where the agent itself forgets it. */
  remembered?(call: AcpCall): string | undefined;
}

export type Usage = Omit<Extract<Said, { type: "usage" }>, "type">;
export type AcpDriver = Driver<AcpState>;

export interface NativeTool {
  name: string;
  input: unknown;
  call: UniversalCall;
}

/** A call that is under way. */
export interface AcpCall {
  id: string;
  name: string;
  title: string;
  kind: string;
  input: unknown;
  content: Json[];
  /** Whether `content` is what came of it, not what it is going to do. */
  isOutput: boolean;
  locations: Json[];
  isTold: boolean;
  /** What the agent was told when it was denied. */
  denied?: string;
}

/** What the agent waits for. */
export interface Asked {
  id: string;
  /** Of its request. */
  rpcId: unknown;
  options: { id: string; kind: string; name: string }[];
  call?: string;
  word?: string;
  form?: Field[];
}

/** A question of a form, and how its answer is to be given. */
export interface Field {
  key: string;
  question: string;
  type: "text" | "number" | "boolean" | "list";
  /** By label, the value that stands for it. */
  values: { label: string; value: string | boolean }[];
  isRequired: boolean;
}

export interface Turn {
  prompt: string;
  hasText: boolean;
  hasCalls: boolean;
}

/** How something of the session is chosen: by an option of its configuration, or by a method of its own. */
export interface Choice {
  option?: string;
  current: string;
  all: string[];
}

/** `mode` is ours, for which `value` is the agent's own. */
export type Change = { what: "model"; value: string } | { what: "mode"; value: string; mode: PermissionMode };

export interface AcpState {
  rpc: Rpc;
  cwd: string;
  wanted?: string;
  model?: string;
  /** Asked for before it was ready. */
  otherModel?: string;
  mode: PermissionMode;
  version: string;
  phase: "starting" | "opening" | "replaying" | "preparing" | "ready" | "failed";
  /** Its name and version, and how one signs in, as it says itself. */
  agent: { name: string; version?: string; ways: string[] };
  can: { load: boolean; resume: boolean };
  /** The session as the agent is told of it; the native id may differ. */
  session: string;
  modes?: Choice;
  /** Which mode it was in before we changed it. */
  ownMode?: string;
  models?: Choice;
  /** By the id of a request, what it is to change. */
  changes: Record<string, Change>;
  /** The last mode that the agent has taken up. */
  heldMode: PermissionMode;
  /** Requests that have to be answered before the first prompt. */
  preparing: number;
  /** Whether an update came since the last question whether there are more. */
  isHeard: boolean;
  turn?: Turn;
  isCancelled: boolean;
  calls: AcpCall[];
  asks: Asked[];
  counted: number;
  always: string[];
  /** What the session has cost: at the beginning of the turn, and now. */
  cost: { before?: number; now?: number };
  compactions: { id: string; summary: string }[];
  todo: string;
}

export function initialState({ cwd, session, model, mode, version }: RunRequest): AcpState {
  return {
    rpc: newRpc(true),
    cwd,
    ...(session !== undefined && { wanted: session }),
    ...(model !== undefined && { model }),
    mode,
    heldMode: mode,
    changes: {},
    version,
    phase: "starting",
    agent: { name: "The agent", ways: [] },
    can: { load: false, resume: false },
    session: "",
    preparing: 0,
    isHeard: false,
    isCancelled: false,
    calls: [],
    asks: [],
    counted: 0,
    always: [],
    cost: {},
    compactions: [],
    todo: "",
  };
}

export function say(event: Extract<Output, { type: "event" }>["event"]): Output {
  return { type: "event", event };
}

/** It cannot go on: a turn of its own says why. */
export function fatal(state: AcpState, failure: DriverFailure): Output[] {
  state.phase = "failed";
  delete state.turn;
  return [say({ type: "error", ...failure }), say({ type: "result", is_error: true }), { type: "stop" }];
}

/** Nobody has more of anything under way; an agent that says so is not believed. */
export const MOST = 200;

/** Adds to a list that must not grow without end. */
export function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MOST) list.shift();
}
