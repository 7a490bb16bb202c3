// Gathers a call with the entries up to its result, because a call is translated with its result in view.
import type { Entry, ToolCall, ToolResult } from "../../session/session.ts";

export interface Gathered {
  entries: Entry[];
  /** Results by the id of the call they answer. */
  results: Map<string, ToolResult>;
}

/** Entries in their order, in groups that hold each call together with its result. */
export async function* gathered(entries: AsyncIterable<Entry>): AsyncGenerator<Gathered> {
  let group: Gathered = { entries: [], results: new Map() };
  const open = new Map<string, ToolCall>();
  for await (const entry of entries) {
    const isOfMessage = entry.type === "tool_call" || entry.type === "tool_result" || sameTurn(entry, open);
    if (!isOfMessage) open.clear();
    if (open.size === 0 && group.entries.length > 0) {
      yield group;
      group = { entries: [], results: new Map() };
    }
    group.entries.push(entry);
    if (entry.type === "tool_call") open.set(entry.id, entry);
    if (entry.type === "tool_result" && open.delete(entry.callId)) group.results.set(entry.callId, entry);
  }
  if (group.entries.length > 0) yield group;
}

function sameTurn(entry: Entry, open: ReadonlyMap<string, ToolCall>): boolean {
  if (entry.turn === undefined || open.size === 0) return false;
  return [...open.values()].some(({ turn }) => turn === entry.turn);
}
