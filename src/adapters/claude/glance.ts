// The records that sessions are full of: a block of a model's message, or the result of a call. All others, and whatever
// of these is not as today's CLI writes it or says something new of the session, is folded.
import type { Entry } from "../../session/session.ts";
import { type Listing, UNREAD } from "../glance.ts";
import { contentOf } from "./blocks.ts";
import { subagentLink, usageOf } from "./messages.ts";
import {
  blocksOf,
  type ClaudeBlock,
  type ClaudeRecord,
  filled,
  isObject,
  isShallow,
  SYNTHETIC,
} from "./native.ts";
import { type ClaudeState, isPlainContent, timeOf } from "./state.ts";
import { universalCall } from "./tools.ts";

export function glance(state: ClaudeState, value: unknown, _: number, listing: Listing): boolean {
  if (!isObject(value) || !isObject(value.message)) return false;
  const { content } = value.message;
  if (!Array.isArray(content) || content.length !== 1 || !isObject(content[0])) return false;
  const [block] = content;
  if (value.type === "assistant") return isOrdinary(state, value) && said(state, value, block, listing);
  return value.type === "user" && isOrdinary(state, value) && answered(state, value, block, listing);
}

/** Whether the record says nothing of the session that is not known already, and ends nothing that waits. */
function isOrdinary(state: ClaudeState, value: ClaudeRecord): boolean {
  const { uuid, timestamp, gitBranch, parentUuid } = value;
  return (
    typeof uuid === "string" &&
    uuid !== "" &&
    typeof timestamp === "string" &&
    timeOf(timestamp) !== undefined &&
    (typeof parentUuid === "string" || parentUuid === null) &&
    (state.subagent || value.isSidechain !== true) &&
    state.thread === null &&
    state.boundary === null &&
    state.summaries.length === 0 &&
    state.cwd !== "" &&
    value.sessionId === state.session &&
    value.version === state.version &&
    (gitBranch === state.branch || gitBranch === undefined || gitBranch === "" || gitBranch === "HEAD") &&
    value.parent_tool_use_id === undefined &&
    value.forkedFrom === undefined &&
    value.isApiErrorMessage !== true
  );
}

/** A block of a model's message. */
function said(state: ClaudeState, value: ClaudeRecord, block: ClaudeBlock, listing: Listing): boolean {
  const message = value.message as ClaudeRecord;
  const turn = filled(message.id);
  const model = filled(message.model);
  if (turn === undefined || model === undefined || model === SYNTHETIC) return false;
  const entry = entryOf(value, block, listing.isWhole);
  if (!entry) return false;
  entry.turn = turn;
  entry.model = model;
  if (value.isAbortedMidStream === true) entry.interrupted = true;
  if (model !== state.model) {
    state.model = model;
    listing.patch({ model });
  }
  tell(state, value, entry, listing);
  const usage = usageOf(message.usage, value.costUSD);
  if (usage) listing.usage({ turn, usage, message: turn });
  return true;
}

/** Undefined for blocks of other kinds, and for calls that start a subagent, which are linked with it. */
function entryOf(record: ClaudeRecord, block: ClaudeBlock, isWhole: boolean): Entry | undefined {
  const { type, text, thinking } = block;
  const id = record.uuid as string;
  const timestamp = record.timestamp as string;
  if (type === "text" && typeof text === "string")
    return text.trim() === "" ? undefined : { id, type: "assistant", content: text, timestamp };
  if (type === "thinking" && typeof thinking === "string")
    return { id, type: "assistant", content: "", timestamp, ...(thinking !== "" && { thinking }) };
  return type === "tool_use" ? callOf(block, timestamp, isWhole) : undefined;
}

const STARTS_AGENT: ReadonlySet<string> = new Set(["Agent", "Task", "call_agent", "invoke_agent", "task"]);

function callOf({ id, name, input }: ClaudeBlock, timestamp: string, isWhole: boolean): Entry | undefined {
  const call = filled(id);
  if (call === undefined || typeof name !== "string" || STARTS_AGENT.has(name) || !isShallow(input))
    return undefined;
  // A list does not ask what was called.
  const { tool, input: given } = isWhole ? universalCall(name, input) : UNREAD;
  return {
    id: call,
    type: "tool_call",
    tool,
    input: given,
    originalTool: name,
    originalInput: input,
    timestamp,
  };
}

function answered(state: ClaudeState, value: ClaudeRecord, block: ClaudeBlock, listing: Listing): boolean {
  const { content } = block;
  const callId = filled(block.tool_use_id);
  if (block.type !== "tool_result" || callId === undefined || !isPlainContent(content)) return false;
  const output = typeof content === "string" ? content : contentOf(blocksOf(content)).text;
  const timestamp = value.timestamp as string;
  const success = block.is_error !== true;
  const id = value.uuid as string;
  tell(state, value, { id, type: "tool_result", callId, success, output, timestamp }, listing);
  const link = subagentLink(state, callId, value.toolUseResult);
  if (link) listing.patch({ link });
  return true;
}

/** The entry, and what later records go by. */
function tell(
  state: ClaudeState,
  { uuid, parentUuid, timestamp }: ClaudeRecord,
  entry: Entry,
  listing: Listing,
): void {
  if (parentUuid !== state.tail) entry.parent = parentUuid as string | null;
  listing.entry(entry);
  if (entry.id !== uuid) listing.alias(uuid as string, entry.id);
  state.tail = uuid as string;
  state.time = timestamp as string;
  state.open = null;
}
