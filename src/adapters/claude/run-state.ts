// What the live driver remembers between two lines, and the few ways in which it speaks: events for the run, lines and
// control requests for the CLI. All of it is plain JSON, and nothing in it grows with the length of a run.
import type { PermissionMode } from "../../session/events.ts";
import type { DriverEvent, Output, RunRequest } from "../driver.ts";
import type { Json } from "../json.ts";

export interface State {
  mode: PermissionMode;
  /** The last one that the CLI has taken up. */
  heldMode: PermissionMode;
  /** The session that was asked for, until the CLI has shown that it is the one. */
  expected: string | null;
  session: string | null;
  /** The CLI's own permission mode, as the user's settings have it. */
  ownMode: string;
  isReady: boolean;
  /** What the user wanted changed before that. */
  early: { model?: string; isModeChanged?: boolean };
  /** It was told to stop; what still comes is nobody's business. */
  isOver: boolean;
  /** Numbers the control requests of ours. */
  next: number;
  pending: { id: string; subtype: string; mode: PermissionMode }[];
  asks: Asked[];
  /** What the user allowed for the rest of the session. */
  allowed: string[];
  /** Subagents at work, by the CLI's own id, and the calls that started them. */
  tasks: { id: string; call: string }[];
  stream: Stream | null;
  /** A compaction whose summary may be the next line. */
  boundary: { trigger: string | null } | null;
  turn: Turn;
  /** Dollars of the session so far, where that is known. */
  cost: number | null;
}

/** A question of the CLI's that nobody has answered yet. */
export interface Asked {
  id: string;
  name: string;
  input: Json;
  suggestions: Json[];
  isHook: boolean;
}

/** The message that comes in pieces. */
export interface Stream {
  id: string | null;
  isOpen: boolean;
  index: number;
  /** How many blocks were told in pieces and not repeated yet. */
  text: number;
  thinking: number;
  /** For a message that never comes to its end, which the CLI does not count. */
  characters: number;
  usage: Json;
}

export interface Turn {
  isPrompted: boolean;
  /** The CLI began it by itself. */
  isOwn: boolean;
  /** The CLI says when it is at rest, and it is not. */
  isFollowed: boolean;
  isInterrupted: boolean;
  /** We stopped it, because it would have failed again and again. */
  isGivenUp: boolean;
  hasFailed: boolean;
  ending: Ending | null;
}

export interface Ending {
  is_error: boolean;
  interrupted?: boolean;
  refused?: boolean;
  stop_reason?: string;
  text?: string;
}

export function initial({ mode, session }: RunRequest): State {
  return {
    mode,
    heldMode: mode,
    expected: session ?? null,
    session: null,
    ownMode: "default",
    isReady: false,
    early: {},
    isOver: false,
    next: 1,
    pending: [],
    asks: [],
    allowed: [],
    tasks: [],
    stream: null,
    boundary: null,
    turn: newTurn(),
    cost: session === undefined ? 0 : null,
  };
}

export function newTurn(): Turn {
  return {
    isPrompted: false,
    isOwn: false,
    isFollowed: false,
    isInterrupted: false,
    isGivenUp: false,
    hasFailed: false,
    ending: null,
  };
}

/** More than these are garbage: the oldest goes. */
const MOST = 1000;

export function remember<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MOST) list.shift();
}

/** Takes the first that fits out of the list. */
export function take<T>(list: T[], fits: (item: T) => boolean): T | undefined {
  const at = list.findIndex(fits);
  return at === -1 ? undefined : list.splice(at, 1)[0];
}

export function said(event: DriverEvent): Output {
  return { type: "event", event };
}

export function notice(message: string): Output[] {
  return message === "" ? [] : [said({ type: "system", subtype: "notice", message })];
}

export function sent(line: Json): Output {
  return { type: "send", line: JSON.stringify(line) };
}

export function control(state: State, request: Json & { subtype: string }): Output {
  const id = `baton-${state.next++}`;
  remember(state.pending, { id, subtype: request.subtype, mode: state.mode });
  return sent({ type: "control_request", request_id: id, request });
}
