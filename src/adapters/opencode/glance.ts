// What a list needs of replies, which are most of a session: that there were some, what they called, and their tokens.
// All other records, and replies that failed or were taken back, are folded.
import type { AssistantEntry, Entry } from "../../session/session.ts";
import { type Listing, UNREAD } from "../glance.ts";
import { isSpoken, type MessageContext, modelOf, stepTurns } from "./messages.ts";
import {
  isObject,
  isoTime,
  type JsonObject,
  lineOf,
  objectOf,
  type PartRow,
  partsOf,
  word,
} from "./native.ts";
import type { OpenCodeState } from "./state.ts";
import { usagesOf } from "./usage.ts";

export function glance(state: OpenCodeState, value: unknown, index: number, listing: Listing): boolean {
  const line = lineOf(value);
  const data = line?.table === "message" ? line.data : undefined;
  if (!line || !isObject(data) || data.role !== "assistant" || !state.isAsked || state.revert) return false;
  const id = word(line.row.id);
  const time = isoTime(line.row.time_created);
  const parts = partsOf(line);
  const isWhole = parts.length === (line.rows?.length ?? 0);
  if (id === undefined || time === undefined || !isWhole || data.error || data.summary) return false;
  state.time = time;
  const context = { id, index, whole: false, time, data };
  for (const { turn, parts: inside } of stepTurns(id, parts)) tell(context, turn, inside, listing);
  // Others may name the message.
  listing.alias(id, parts[0]?.id ?? id);
  for (const call of parts) {
    const session = subagentOf(call);
    if (session !== undefined)
      listing.patch({ link: { type: "subagent", session: `opencode:${session}`, entry: callId(call) } });
  }
  for (const usage of usagesOf(context, parts)) listing.usage(usage);
  return true;
}

/** The entries of one step: what was said between calls, the calls, then their results. */
function tell(
  { time, data }: MessageContext,
  turn: string,
  parts: readonly PartRow[],
  listing: Listing,
): void {
  const own = { timestamp: time, ...modelOf(data) };
  let isSaying = false;
  for (const part of parts) {
    const isCall = part.data.type === "tool";
    if (isCall) listing.entry({ ...own, ...UNREAD, id: callId(part), type: "tool_call", turn });
    else if (!isSaying && isSpoken(part.data))
      listing.entry({ ...own, id: part.id, type: "assistant", content: "", turn });
    isSaying = !isCall && (isSaying || isSpoken(part.data));
  }
  for (const part of parts) if (part.data.type === "tool") listing.entry(answer(part, own));
}

function answer(part: PartRow, own: Pick<AssistantEntry, "timestamp" | "model" | "provider">): Entry {
  const ended = isoTime(objectOf(objectOf(part.data.state).time).end);
  const timestamp = ended ?? own.timestamp;
  return {
    ...own,
    id: part.id,
    type: "tool_result",
    timestamp,
    callId: callId(part),
    success: true,
    output: "",
  };
}

function callId({ id, data }: PartRow): string {
  return word(data.callID) ?? id;
}

function subagentOf({ data }: PartRow): string | undefined {
  if (data.type !== "tool") return undefined;
  const { metadata }: JsonObject = objectOf(data.state);
  return word(objectOf(metadata).sessionId);
}
