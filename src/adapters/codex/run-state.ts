// What the driver remembers while Codex runs: plain JSON that stays small, because only what is open is kept.
import type { PermissionMode } from "../../session/events.ts";
import type { DriverEvent, Output, RunRequest, Said } from "../driver.ts";
import type { UniversalCall } from "../reading.ts";
import { newRpc, type Rpc } from "../rpc.ts";
import type { JsonObject } from "./native.ts";

export interface RunState {
  rpc: Rpc;
  cwd: string;
  mode: PermissionMode;
  model?: string;
  /** The thread that was asked for; absent = a new one. */
  session?: string;
  /** Ours. */
  version: string;
  /** Codex's own, once it has said it. */
  cli?: string;
  thread: string;
  isInit: boolean;
  /** What it said before anybody knew which session this is. */
  early: Said[];
  /** What the user's own settings say of approvals. */
  own: JsonObject;
  /** What goes out with the next turn, and what went out with this one and is not taken up yet. */
  change: Change;
  sent: Change;
  isTurn: boolean;
  /** Empty until Codex has named it. */
  turn: string;
  isInterrupted: boolean;
  /** Whether the model's own calls are told beside what Codex makes of them: only in threads that it starts itself. */
  isRaw: boolean;
  open: Record<string, OpenCall>;
  /** Commands that go on although their calls are over: their ends belong to nothing any more. */
  left: Record<string, true>;
  /** Scripts of code mode, by the id of their call. */
  scripts: Record<string, Script>;
  /** Messages that came in pieces so far. */
  streamed: Record<string, true>;
  asks: Record<string, Asked>;
  /** By thread, the tokens that it has counted so far. */
  totals: Record<string, number[]>;
  /** By the thread of a subagent, the call that started it, and the turn that it is in. */
  agents: Record<string, string>;
  agentTurns: Record<string, string>;
  /** Numbers calls that Codex gives no id. */
  calls: number;
}

/** Settings in Codex's words, and the mode that they stand for. */
export interface Change {
  settings: JsonObject;
  mode?: PermissionMode;
}

export interface Told {
  id: string;
  name: string;
  input: unknown;
  call: UniversalCall;
}

export interface OpenCall extends Told {
  thread: string;
  parent: string;
  /** The model's own call was told, so what the model is told of it will be too. */
  isRaw: boolean;
  /** Its item says so; what the model is told does not always. */
  isFailed?: true;
  /** A command: its process, and the end of what it has printed. */
  process?: string;
  output?: string;
  server?: string;
}

export interface Script extends Told {
  thread: string;
  /** What it does was told as calls of their own. */
  isShown: boolean;
}

/** What Codex waits for, and how it wants to be told. */
export interface Asked {
  request: unknown;
  kind: "decision" | "permissions" | "questions" | "tool" | "form" | "link";
  /** Of `permissions`: those that it wants. Of `form`: its fields. */
  wanted?: JsonObject;
  /** Of `form`: the fields that it cannot do without. */
  required?: unknown[];
  /** Of `tool`: the call that waits. */
  call?: string;
  /** By id, the question as it was put. */
  questions?: Record<string, string>;
}

/** Of everything that is kept by an id of Codex's: more than these are garbage. */
const MOST = 100;

export function newState({ cwd, mode, model, session, version }: RunRequest): RunState {
  return {
    rpc: newRpc(false),
    cwd,
    mode,
    ...(model !== undefined && { model }),
    ...(session !== undefined && { session }),
    version,
    thread: "",
    isInit: false,
    early: [],
    own: { approvalPolicy: "on-request", approvalsReviewer: "user" },
    change: { settings: {} },
    sent: { settings: {} },
    isTurn: false,
    turn: "",
    isInterrupted: false,
    isRaw: false,
    open: {},
    left: {},
    scripts: {},
    streamed: {},
    asks: {},
    totals: {},
    agents: {},
    agentTurns: {},
    calls: 0,
  };
}

/** Ids are Codex's, or anybody's: one may be called like a method of every object. */
export function kept<T>(record: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(record, id) ? record[id] : undefined;
}

/** The oldest goes when there are too many. */
export function keep<T>(record: Record<string, T>, id: string, value: T): void {
  // Assigning this one would change what the record is.
  if (id === "__proto__") return;
  const isNew = !Object.hasOwn(record, id);
  record[id] = value;
  if (!isNew) return;
  const [oldest, ...others] = Object.keys(record);
  if (oldest !== undefined && others.length >= MOST) delete record[oldest];
}

export function tell(event: DriverEvent): Output {
  return { type: "event", event };
}

const MOST_EARLY = 20;

/** Says it once the session is known, which opens the stream. */
export function tellOnceInit(state: RunState, event: Said): Output[] {
  if (state.isInit) return [tell(event)];
  if (state.early.length < MOST_EARLY) state.early.push(event);
  return [];
}

export function tellEarly(state: RunState): Output[] {
  return state.early.splice(0).map(tell);
}

export function leave({ left }: RunState, { id, process }: OpenCall): void {
  if (process !== undefined) keep(left, id, true);
}

/** The turn is over, and with it everything that was open in it. */
export function closeTurn(state: RunState): void {
  for (const open of Object.values(state.open)) leave(state, open);
  Object.assign(state, {
    isTurn: false,
    turn: "",
    isInterrupted: false,
    open: {},
    scripts: {},
    streamed: {},
    agentTurns: {},
  });
}
