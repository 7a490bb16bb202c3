// Joins tool calls with their results. A group is what one model message called at once: all calls, then all
// results, which is the shape every vendor's API wants.
import type { Entry, ToolCall, ToolResult } from "../session/session.ts";

export interface Exchange {
  type: "exchange";
  pairs: { call: ToolCall; result: ToolResult | undefined }[];
}

type Other = Exclude<Entry, ToolCall>;

/** Entries with calls and results grouped. A result whose call was not in the group passes through as it is. */
export async function* exchanges(entries: AsyncIterable<Entry>): AsyncGenerator<Other | Exchange> {
  let pairs: Exchange["pairs"] = [];
  let answered = 0;
  const flush = (): Exchange => {
    const exchange: Exchange = { type: "exchange", pairs };
    pairs = [];
    answered = 0;
    return exchange;
  };
  for await (const entry of entries) {
    if (entry.type === "tool_call") {
      // A call after a result belongs to the next model message.
      if (answered > 0) yield flush();
      pairs.push({ call: entry, result: undefined });
      continue;
    }
    const pair =
      entry.type === "tool_result"
        ? pairs.find(({ call, result }) => call.id === entry.callId && result === undefined)
        : undefined;
    if (pair && entry.type === "tool_result") {
      pair.result = entry;
      answered++;
      if (answered === pairs.length) yield flush();
      continue;
    }
    // Text of the same model message stands before its calls, so that results follow calls directly.
    const sameMessage = entry.turn !== undefined && pairs.some(({ call }) => call.turn === entry.turn);
    if (pairs.length > 0 && (!sameMessage || answered > 0)) yield flush();
    yield entry;
  }
  if (pairs.length > 0) yield flush();
}
