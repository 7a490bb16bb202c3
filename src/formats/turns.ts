// A session as the messages that APIs know: what a model said together with what it called, and each call with
// its result.
import { mapped } from "../session/batches.ts";
import type { AssistantEntry, Entry, ToolResult } from "../session/session.ts";
import { type Exchange, exchanges } from "../transform/exchanges.ts";

export type Pair = Exchange["pairs"][number];

export type Turn =
  | { type: "reply"; said: AssistantEntry[]; pairs: Pair[] }
  /** Everything else stands alone, a result without a call too. */
  | { type: "entry"; entry: Exclude<Entry, AssistantEntry | { type: "tool_call" }> };

export async function* turnsOf(entries: AsyncIterable<Entry>): AsyncGenerator<Turn> {
  let said: AssistantEntry[] = [];
  for await (const item of exchanges(entries)) {
    if (item.type === "assistant") {
      if (said.length > 0 && !isOneMessage(said, item.turn)) {
        yield { type: "reply", said, pairs: [] };
        said = [];
      }
      said.push(item);
      continue;
    }
    if (item.type === "exchange" && (said.length === 0 || isOneMessage(said, item.pairs[0]?.call.turn))) {
      yield { type: "reply", said, pairs: item.pairs };
      said = [];
      continue;
    }
    if (said.length > 0) yield { type: "reply", said, pairs: [] };
    said = [];
    if (item.type === "exchange") yield { type: "reply", said: [], pairs: item.pairs };
    else yield { type: "entry", entry: item };
  }
  if (said.length > 0) yield { type: "reply", said, pairs: [] };
}

/** Entries that a compaction left in place of the history, each with the compaction's id. */
export type Left = WeakMap<Entry, string>;

/** The entries in which every compaction is followed by what it left; a call there may be answered after it. */
export function unfolded(entries: AsyncIterable<Entry>, left: Left): AsyncIterable<Entry> {
  return mapped(entries, (batch) =>
    batch.flatMap((entry): Entry[] => {
      if (entry.type !== "compaction" || !entry.replacement) return [entry];
      for (const one of entry.replacement) left.set(one, entry.id);
      return [entry, ...entry.replacement];
    }),
  );
}

/** The compaction that left a turn, if one did. */
export function leftBy(turn: Turn, left: Left): string | undefined {
  const first = turn.type === "entry" ? turn.entry : (turn.said[0] ?? turn.pairs[0]?.call);
  return first && left.get(first);
}

/** Where nothing says which message an entry belongs to, a text and the calls after it are one. */
function isOneMessage(said: readonly AssistantEntry[], turn: string | undefined): boolean {
  return said.at(-1)?.turn === turn;
}

/** What the model is told when a call has no result, because every API wants one. */
export function standIn({ call }: Pair): { output: string; success: boolean } {
  if (call.hosted)
    return { output: "[This ran at the model's provider; its result was not recorded]", success: true };
  return { output: "[Tool call was interrupted; no result was recorded]", success: false };
}

/** What a result says: the agent's error counts where there is no output. */
export function outputOf({ output, error }: ToolResult): string {
  return output !== "" ? output : (error ?? "");
}
