// The live half of an adapter: a pure machine between an agent's own protocol and ours. It is told what came in (a
// line, an answer, what the user wants) and says what follows (events, lines to send). It reads no clock, no disk and
// no randomness, so a recorded run can be played to it again. `src/run` starts the process and keeps the rules that
// hold for every agent: order, one result a turn, approvals by mode, time-outs, long lines.
import type { Bare, EventOf, Failure, PermissionMode, SystemEvent } from "../session/events.ts";
import type { Question } from "../session/tools.ts";
import type { Home } from "./adapter.ts";
import type { UniversalCall } from "./reading.ts";

export interface RunRequest {
  home: Home;
  cwd: string;
  /** The native id of the session to go on with; absent = a new one. */
  session?: string;
  model?: string;
  mode: PermissionMode;
  /** A random word that only this run knows, for agents that want a password. */
  secret: string;
  /** Our own version, for agents that ask who is there. */
  version: string;
}

export interface Launch {
  /** The first word is the program's name; whoever starts it puts the installed CLI's path in its place. */
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** lines: JSON lines on stdin and stdout. http: it prints where it listens, and tells events at this path. */
  transport: { type: "lines" } | { type: "http"; events: string; headers: Readonly<Record<string, string>> };
}

export interface Driver<State = unknown> {
  launch(request: RunRequest): Launch;
  initial(request: RunRequest): State;
  /** Changes the state in place. Never throws, whatever the agent says. */
  step(state: State, input: Input): Output[];
  /** A line by which the agent only shows that it is there, which is no sign that it does anything. */
  isPulse?(line: string): boolean;
  /** Whether the agent takes another model or mode while it runs; otherwise the run refuses to be asked. */
  changes: { model: boolean; mode: boolean };
}

export type Input =
  /** The process is up; over http: it listens, and events are being told. */
  | { type: "start" }
  /** A line of its output, or the data of one event over http. */
  | { type: "line"; text: string }
  /** To a request of ours over http; status 0 = none came, and the body says why. */
  | { type: "answer"; id: number; status: number; body: unknown }
  /** Only sent while the driver is ready and no turn is under way. */
  | { type: "prompt"; text: string }
  | { type: "interrupt" }
  /** The answer to an `ask` of the driver's. */
  | { type: "decide"; id: string; decision: Decision }
  | { type: "set_model"; model: string }
  | { type: "set_mode"; mode: PermissionMode }
  /** The process has ended; `stderr` is the end of what it complained, `cause` why we ended it ourselves. */
  | { type: "end"; exitCode: number | null; signal: string | null; stderr: string; cause?: string };

export interface Decision {
  allow: boolean;
  /** Allowed for the rest of the session. */
  always?: boolean;
  /** What the agent is told, where it is told anything. */
  message?: string;
  input?: Record<string, unknown>;
  answers?: Readonly<Record<string, string | readonly string[]>>;
}

export type Output =
  | { type: "event"; event: DriverEvent }
  /** One line to its standard input. */
  | { type: "send"; line: string }
  /** Over http. */
  | { type: "request"; id: number; method: "GET" | "POST" | "PATCH" | "DELETE"; path: string; body?: unknown }
  /** It takes a prompt from now on. Said once, and again after nothing. */
  | { type: "ready" }
  /** It cannot go on; the process is to be ended. */
  | { type: "stop" };

/**
 * What a driver says of a turn. The run adds what is the same for every agent (numbers, time, hints, estimates), puts
 * it in order and ends what was left open; so a driver may say things late, twice or not at all.
 */
export type DriverEvent = Said | Asking | Mode;

/** The mode that holds from now on: what was asked for once the agent takes it up, or the last one where it refuses. */
export type Mode = { type: "mode"; mode: PermissionMode };

export type Said =
  | Bare<EventOf<"text"> | EventOf<"thinking"> | EventOf<"raw">>
  | Bare<SystemEvent<"compact_boundary"> | SystemEvent<"notice">>
  | (Omit<Bare<SystemEvent<"error">>, "hint"> & { hint?: string })
  /** A turn that nobody asked for, where the agent says its end too: prompts wait for it. */
  | { type: "begin" }
  /** Again whenever it is told again: what differs becomes an event of its own. */
  | { type: "init"; session_id?: string; model?: string; tools?: string[]; version?: string }
  | {
      type: "tool_use";
      id: string;
      name: string;
      input: unknown;
      /** The same in universal terms. */
      call: UniversalCall;
      parent_tool_use_id?: string;
    }
  | {
      type: "tool_result";
      tool_use_id: string;
      content: string;
      is_error: boolean;
      parent_tool_use_id?: string;
    }
  /** Tokens of the turn so far beyond what was told already, so that all of them add up to the turn's. */
  | ({ type: "usage" } & Partial<Omit<EventOf<"usage">, "type" | "seq" | "timestamp">>)
  | { type: "retry"; attempt: number; max_attempts?: number; delay_ms?: number; error: DriverFailure }
  /** The turn fails, or will have; its result follows. */
  | ({ type: "error" } & DriverFailure)
  | {
      type: "result";
      /** Absent = an error was told in this turn, or not. */
      is_error?: boolean;
      interrupted?: boolean;
      refused?: boolean;
      stop_reason?: string;
      /** The last message, where the agent repeats it and it was not told in pieces. */
      text?: string;
    };

export type Asking =
  /** The agent waits for the user. */
  | {
      type: "ask";
      id: string;
      tool_use_id?: string;
      name: string;
      input: unknown;
      call: UniversalCall;
      reason?: string;
      questions?: readonly Question[];
      /** What it takes an allowance for the session for, in its own words, where that is not just this call. */
      always?: readonly string[];
      parent_tool_use_id?: string;
    }
  /** The agent does not wait for that any more. */
  | { type: "unask"; id: string };

/** The run adds the hint of its code, where the driver has none of its own. */
export type DriverFailure = Omit<Failure, "hint"> & { hint?: string };
