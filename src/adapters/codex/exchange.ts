// Gathers a call with the entries up to its result, because a call is translated with its result in view.
import { batched, batchesOf } from "../../session/batches.ts";
import type { Entry, ToolCall, ToolResult } from "../../session/session.ts";

export interface Gathered {
  entries: Entry[];
  /** Results by the id of the call they answer. */
  results: Map<string, ToolResult>;
}

/** Entries in their order, in groups that hold each call together with its result. */
export function gathered(entries: AsyncIterable<Entry>): AsyncIterable<Gathered> {
  return batched(() => grouped(entries));
}

async function* grouped(entries: AsyncIterable<Entry>): AsyncGenerator<Gathered[]> {
  let group: Gathered = { entries: [], results: new Map() };
  const open = new Map<string, ToolCall>();
  for await (const batch of batchesOf(entries)) {
    const found: Gathered[] = [];
    for (const entry of batch) {
      const isOfMessage = entry.type === "tool_call" || entry.type === "tool_result" || sameTurn(entry, open);
      if (!isOfMessage) open.clear();
      if (open.size === 0 && group.entries.length > 0) {
        found.push(group);
        group = { entries: [], results: new Map() };
      }
      group.entries.push(entry);
      if (entry.type === "tool_call") open.set(entry.id, entry);
      if (entry.type === "tool_result" && open.delete(entry.callId)) group.results.set(entry.callId, entry);
    }
    if (found.length > 0) yield found;
  }
  yield [group];
}

function sameTurn(entry: Entry, open: ReadonlyMap<string, ToolCall>): boolean {
  if (entry.turn === undefined || open.size === 0) return false;
  return [...open.values()].some(({ turn }) => turn === entry.turn);
}
