// The rules of the live protocol that no schema can say: in which order events come, and what each turn ends with.
// Whoever reads a stream may rely on them; tests check every stream against them.
import { type AgentEvent, eventSchema } from "./events.ts";

/** No line of the stream is longer, in bytes. */
export const LONGEST_LINE = 100_000;

export interface EventChecker {
  /** What is wrong with the next event of a run, in sentences. */
  check(event: unknown): string[];
  /** The same for the end of the stream. */
  end(): string[];
}

export function newEventChecker(): EventChecker {
  const state: State = {
    seq: 0,
    isInit: false,
    open: new Map(),
    early: new Set(),
    ahead: undefined,
    known: new Set(),
    asked: new Set(),
    turn: "none",
    hasUsage: false,
  };
  return {
    check(event) {
      const parsed = eventSchema.safeParse(event);
      if (!parsed.success) return [`not an event: ${parsed.error.message}`];
      return [...lineRules(event), ...orderRules(state, parsed.data)];
    },
    end: () =>
      state.turn === "open"
        ? ["the stream ends without the result of a turn"]
        : state.turn === "stopping"
          ? ["the stream ends without message_stop"]
          : [],
  };
}

interface State {
  seq: number;
  isInit: boolean;
  /** Calls without their last result, by the subagent that they belong to. */
  open: Map<string, string>;
  /** Those that were told before the result of another: their own comes whenever it comes. */
  early: Set<string>;
  /** The last of them, of which the next event has to show why: its subagent is at work. */
  ahead: string | undefined;
  known: Set<string>;
  asked: Set<string>;
  turn: "none" | "open" | "stopping";
  hasUsage: boolean;
}

function* lineRules(event: unknown): Generator<string> {
  const line = JSON.stringify(event);
  if (Buffer.byteLength(line) >= LONGEST_LINE) yield `a line of ${Buffer.byteLength(line)} bytes`;
  if (!line.isWellFormed() || /\\ud[89a-f]/i.test(line)) yield "half a surrogate pair";
  if (line.includes("\\u001b") || /[\u0080-\u009f]/.test(line)) yield "an escape sequence of a terminal";
}

function* orderRules(state: State, event: AgentEvent): Generator<string> {
  if (event.seq !== state.seq + 1) yield `seq ${event.seq} after ${state.seq}`;
  state.seq = event.seq;
  const isInit = event.type === "system" && event.subtype === "init";
  if (isInit && state.isInit) yield "init twice";
  if (!isInit && !state.isInit) yield `${event.type} before init`;
  state.isInit ||= isInit;
  if (state.ahead !== undefined && event.parent_tool_use_id !== state.ahead)
    yield `tool_use ${state.ahead} before the result of another, without a subagent that speaks`;
  state.ahead = undefined;
  if (state.turn === "stopping" && event.type !== "message_stop")
    yield `${event.type} between result and message_stop`;
  yield* typeRules(state, event);
}

function* typeRules(state: State, event: AgentEvent): Generator<string> {
  switch (event.type) {
    case "text":
    case "thinking":
      state.turn = "open";
      if (event.text === "") yield `${event.type} without text`;
      return;
    case "tool_use": {
      state.turn = "open";
      const parent = event.parent_tool_use_id ?? "";
      if (state.known.has(event.id)) yield `tool_use ${event.id} twice`;
      state.known.add(event.id);
      if (state.open.has(parent)) {
        state.ahead = event.id;
        state.early.add(event.id);
      } else state.open.set(parent, event.id);
      return;
    }
    case "tool_result": {
      const id = event.tool_use_id;
      const [parent] = [...state.open].find(([, open]) => open === id) ?? [];
      if (parent === undefined && !state.early.has(id)) yield `tool_result without an open tool_use: ${id}`;
      if (event.part !== undefined && !event.last) return;
      state.early.delete(id);
      if (parent !== undefined) state.open.delete(parent);
      return;
    }
    case "approval_request":
      state.turn = "open";
      if (state.asked.has(event.id)) yield `approval ${event.id} asked twice`;
      state.asked.add(event.id);
      return;
    case "approval":
      if (!state.asked.delete(event.id)) yield `an answer to ${event.id}, which nobody asked`;
      return;
    case "usage":
      if (state.hasUsage) yield "usage twice in a turn";
      state.hasUsage = true;
      return;
    case "error":
    case "interrupt":
    case "retry":
      state.turn = "open";
      return;
    case "result":
      yield* resultRules(state, event);
      return;
    case "message_stop":
      if (state.turn !== "stopping") yield "message_stop without a result";
      state.turn = "none";
      state.hasUsage = false;
      return;
    case "system":
    case "raw":
      return;
    default:
      event satisfies never;
  }
}

function* resultRules(state: State, event: Extract<AgentEvent, { type: "result" }>): Generator<string> {
  if (!state.hasUsage) yield "a result without usage before it";
  for (const id of [...state.open.values(), ...state.early]) yield `a result while ${id} has none`;
  for (const id of state.asked) yield `a result while ${id} waits for an answer`;
  if (event.is_error !== (event.subtype !== "success"))
    yield `${event.subtype} and is_error ${event.is_error}`;
  if (event.subtype === "error" && event.error === undefined) yield "an error that does not say which";
  state.turn = "stopping";
  for (const kept of [state.open, state.early, state.known, state.asked]) kept.clear();
}
