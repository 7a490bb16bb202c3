// The records that rollouts are full of: what the model says and calls, what tools answer, and the events that repeat it
// for display. All others, and whatever of these is not as today's CLI writes it, is folded.
import type { Entry } from "../../session/session.ts";
import { type Listing, UNREAD } from "../glance.ts";
import { contentOf, outputOf, textsOf } from "./content.ts";
import { isObject, type JsonObject, SILENT_EVENTS, SWITCH_EVENT, word } from "./native.ts";
import { type CodexState, LONGEST_NAME, openTurn } from "./state.ts";

export function glance(state: CodexState, value: unknown, index: number, listing: Listing): boolean {
  if (!isObject(value) || !isObject(value.payload)) return false;
  const { type, payload, timestamp } = value;
  if (typeof timestamp !== "string" || timestamp === "" || timestamp.length > LONGEST_TIME) return false;
  if (type === "event_msg") {
    if (!isSilent(payload)) return false;
    state.time = timestamp;
    return true;
  }
  // Where the user went back, entries follow others than the last.
  if (type !== "response_item" || state.follows !== undefined || state.rewound) return false;
  const entry = entryOf(state, payload, timestamp, `r${index}`, listing.isWhole);
  if (!entry) return false;
  state.time = timestamp;
  if (entry.type === "tool_result") state.turn = undefined;
  else {
    entry.turn = state.turn ??= openTurn(state, `r${index}`);
    if (state.model !== undefined) entry.model = state.model;
  }
  listing.entry(entry);
  state.last = entry.id;
  state.solid = entry.id;
  return true;
}

const LONGEST_TIME = 40;

function entryOf(
  state: CodexState,
  item: JsonObject,
  timestamp: string,
  id: string,
  isWhole: boolean,
): Entry | undefined {
  switch (item.type) {
    case "message":
      return item.role === "assistant" && isTexts(item.content)
        ? { id, type: "assistant", content: contentOf(item.content).text, timestamp }
        : undefined;
    case "reasoning":
      return isThought(item)
        ? { id, type: "assistant", content: "", timestamp, ...thoughtIn(item) }
        : undefined;
    case "function_call":
    case "custom_tool_call":
      // A list does not ask what was called.
      return isWhole || !isCall(item)
        ? undefined
        : { ...UNREAD, id: String(item.call_id), type: "tool_call", timestamp };
    case "function_call_output":
    case "custom_tool_call_output":
      return resultOf(state, item, timestamp, id);
    default:
      return undefined;
  }
}

function resultOf(
  { script }: CodexState,
  { call_id, output }: JsonObject,
  timestamp: string,
  id: string,
): Entry | undefined {
  const callId = word(call_id);
  // What a script ran is noted with its call.
  if (callId === undefined || callId === script || (typeof output !== "string" && !isTexts(output)))
    return undefined;
  return { id, type: "tool_result", callId, success: true, output: outputOf(output).text, timestamp };
}

function isCall({ type, name, call_id }: JsonObject): boolean {
  const isScript = type === "custom_tool_call" && name === "exec";
  const id = word(call_id);
  return word(name) !== undefined && id !== undefined && id.length <= LONGEST_NAME && !isScript;
}

function isThought({ summary, content }: JsonObject): boolean {
  return isTextsOrNone(summary) && isTextsOrNone(content);
}

/** Raw reasoning, where it is recorded, comes before its summary. */
function thoughtIn({ summary, content }: JsonObject): { thinking?: string } {
  const both = [textsOf(content).join("\n\n"), textsOf(summary).join("\n\n")];
  const thinking = both.filter((words) => words !== "").join("\n");
  return thinking === "" ? {} : { thinking };
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

/** An event that says nothing of the session as a whole, nor anything that is searched for. */
function isSilent({ type, item: shown }: JsonObject): boolean {
  if (type === SWITCH_EVENT) return false;
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
