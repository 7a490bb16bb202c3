// What a list needs of the records that sessions are full of: a block of a model's message, or the result of a call. All
// others, and whatever of these is not as today's CLI writes it, is folded.
import type { Glimpse, Listing } from "../glance.ts";
import { subagentLink, usageOf } from "./messages.ts";
import { type ClaudeBlock, type ClaudeRecord, filled, isObject, isShallow, SYNTHETIC } from "./native.ts";
import { type ClaudeState, isPlainContent, timeOf } from "./state.ts";

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
  return (
    state.thread === null &&
    state.cwd !== "" &&
    state.boundary === null &&
    state.summaries.length === 0 &&
    (state.subagent || value.isSidechain !== true) &&
    filled(value.parent_tool_use_id) === undefined &&
    filled(value.uuid) !== undefined &&
    typeof value.timestamp === "string" &&
    timeOf(value.timestamp) !== undefined &&
    value.forkedFrom === undefined &&
    value.isApiErrorMessage !== true
  );
}

/** A block of a model's message. */
function said(state: ClaudeState, value: ClaudeRecord, block: ClaudeBlock, listing: Listing): boolean {
  const message = value.message as ClaudeRecord;
  const turn = filled(message.id);
  const model = filled(message.model);
  const entry = entryOf(value, block);
  if (turn === undefined || model === undefined || model === SYNTHETIC || !entry) return false;
  pass(state, value);
  if (model !== state.model) {
    state.model = model;
    listing.patch({ model });
  }
  listing.entry({ ...entry, turn, model });
  const usage = usageOf(message.usage, value.costUSD);
  if (usage) listing.usage({ turn, usage, message: turn });
  return true;
}

/** Undefined for blocks of other kinds, and for calls that start a subagent, which are linked with it. */
function entryOf({ uuid, timestamp }: ClaudeRecord, block: ClaudeBlock): Glimpse | undefined {
  const { type, text, id, name } = block;
  const own = { id: String(uuid), timestamp: String(timestamp) };
  if (type === "thinking") return { ...own, type: "assistant" };
  if (type === "text")
    return typeof text === "string" && text.trim() !== "" ? { ...own, type: "assistant" } : undefined;
  if (type !== "tool_use" || typeof name !== "string" || STARTS_AGENT.has(name) || !isShallow(block.input))
    return undefined;
  return filled(id) === undefined ? undefined : { ...own, id: String(id), type: "tool_call" };
}

const STARTS_AGENT: ReadonlySet<string> = new Set(["Agent", "Task", "call_agent", "invoke_agent", "task"]);

function answered(state: ClaudeState, value: ClaudeRecord, block: ClaudeBlock, listing: Listing): boolean {
  const callId = filled(block.tool_use_id);
  if (block.type !== "tool_result" || callId === undefined || !isPlainContent(block.content)) return false;
  pass(state, value);
  const timestamp = String(value.timestamp);
  listing.entry({ id: String(value.uuid), type: "tool_result", timestamp, callId });
  const link = subagentLink(state, callId, value.toolUseResult);
  if (link) listing.patch({ link });
  return true;
}

/** What later records go by. */
function pass(state: ClaudeState, { uuid, timestamp }: ClaudeRecord): void {
  state.time = String(timestamp);
  state.tail = String(uuid);
  state.open = null;
}
