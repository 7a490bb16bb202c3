// What a list needs of the records that rollouts are full of: what the model says and calls, what tools answer, and the
// events that repeat it for display. All others, and whatever of these is not as today's CLI writes it, is folded.
import type { Listing } from "../glance.ts";
import { isObject, type JsonObject, SILENT_EVENTS, word } from "./native.ts";
import { type CodexState, openTurn } from "./state.ts";

export function glance(state: CodexState, value: unknown, index: number, listing: Listing): boolean {
  if (!isObject(value) || !isObject(value.payload)) return false;
  const time = word(value.timestamp);
  if (time === undefined || time.length > LONGEST_TIME) return false;
  if (value.type === "response_item") return item(state, value.payload, time, `r${index}`, listing);
  if (value.type !== "event_msg" || !isSilent(value.payload)) return false;
  state.time = time;
  return true;
}

const LONGEST_TIME = 40;

function item(state: CodexState, payload: JsonObject, time: string, id: string, listing: Listing): boolean {
  switch (payload.type) {
    case "message":
      return (
        payload.role === "assistant" &&
        isTexts(payload.content) &&
        said(state, "assistant", time, id, id, listing)
      );
    case "reasoning":
      return isThought(payload) && said(state, "assistant", time, id, id, listing);
    case "function_call":
    case "custom_tool_call":
      return isCall(payload) && said(state, "tool_call", time, id, String(payload.call_id), listing);
    case "function_call_output":
    case "custom_tool_call_output":
      return answered(state, payload, time, id, listing);
    default:
      return false;
  }
}

/** `id`: by the place of the record, after which a turn is named. */
function said(
  state: CodexState,
  type: "assistant" | "tool_call",
  timestamp: string,
  id: string,
  entry: string,
  listing: Listing,
): true {
  state.time = timestamp;
  state.turn ??= openTurn(state, id);
  listing.entry({ id: entry, type, timestamp, turn: state.turn, model: state.model });
  return true;
}

function answered(
  state: CodexState,
  { call_id, output }: JsonObject,
  timestamp: string,
  id: string,
  listing: Listing,
): boolean {
  const callId = word(call_id);
  // What a script ran is noted with its call.
  if (callId === undefined || callId === state.script || (typeof output !== "string" && !isTexts(output)))
    return false;
  state.time = timestamp;
  state.turn = undefined;
  listing.entry({ id, type: "tool_result", timestamp, callId });
  return true;
}

function isCall({ type, name, call_id }: JsonObject): boolean {
  const isScript = type === "custom_tool_call" && name === "exec";
  return word(name) !== undefined && word(call_id) !== undefined && !isScript;
}

function isThought({ summary, content }: JsonObject): boolean {
  return isTextsOrNone(summary) && isTextsOrNone(content);
}

function isTextsOrNone(list: unknown): boolean {
  return list === undefined || list === null || isTexts(list);
}

function isTexts(list: unknown): boolean {
  return (
    Array.isArray(list) &&
    list.every((one) => isObject(one) && TEXTS.has(one.type) && typeof one.text === "string")
  );
}

const TEXTS: ReadonlySet<unknown> = new Set(["input_text", "output_text", "summary_text", "reasoning_text"]);

/** An event that says nothing of the session as a whole. */
function isSilent({ type, item: shown }: JsonObject): boolean {
  if (type !== "item_completed") return SILENT_EVENTS.has(String(type));
  return isObject(shown) && DISPLAYED.has(shown.type);
}

/** Those of agents name a thread. */
const DISPLAYED: ReadonlySet<unknown> = new Set([
  "AgentMessage",
  "CommandExecution",
  "FileChange",
  "ImageView",
  "Reasoning",
  "UserMessage",
]);
