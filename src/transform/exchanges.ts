// Joins tool calls with their results. A group is what one model message called at once: all calls, then all
// results, which is the shape every vendor's API wants.
import { batched, batchesOf } from "../session/batches.ts";
import type { Entry, ToolCall, ToolResult } from "../session/session.ts";

export interface Exchange {
  type: "exchange";
  pairs: { call: ToolCall; result: ToolResult | undefined }[];
}

type Other = Exclude<Entry, ToolCall>;

/** Entries with calls and results grouped. A result whose call was not in the group passes through as it is. */
export function exchanges(entries: AsyncIterable<Entry>): AsyncIterable<Other | Exchange> {
  return batched(() => grouped(entries));
}

async function* grouped(entries: AsyncIterable<Entry>): AsyncGenerator<(Other | Exchange)[]> {
  const open: Open = { pairs: [], answered: 0, found: [] };
  for await (const batch of batchesOf(entries)) {
    for (const entry of batch) add(entry, open);
    if (open.found.length > 0) yield open.found.splice(0);
  }
  flush(open);
  yield open.found;
}

/** The group that is going on, and what came before it. */
interface Open {
  pairs: Exchange["pairs"];
  answered: number;
  found: (Other | Exchange)[];
}

function add(entry: Entry, open: Open): void {
  const { pairs } = open;
  if (entry.type === "tool_call") {
    // A call after a result belongs to the next model message.
    if (open.answered > 0) flush(open);
    open.pairs.push({ call: entry, result: undefined });
    return;
  }
  const pair =
    entry.type === "tool_result"
      ? pairs.find(({ call, result }) => call.id === entry.callId && result === undefined)
      : undefined;
  if (pair && entry.type === "tool_result") {
    pair.result = entry;
    open.answered++;
    if (open.answered === pairs.length) flush(open);
    return;
  }
  // Text of the same model message stands before its calls, so that results follow calls directly.
  const sameMessage = entry.turn !== undefined && pairs.some(({ call }) => call.turn === entry.turn);
  if (!sameMessage || open.answered > 0) flush(open);
  open.found.push(entry);
}

function flush(open: Open): void {
  if (open.pairs.length > 0) open.found.push({ type: "exchange", pairs: open.pairs });
  open.pairs = [];
  open.answered = 0;
}
