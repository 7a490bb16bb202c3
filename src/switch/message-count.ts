// Tells entries apart into messages: what a model said and called at once is one, each result is one, everything
// else is one. These are the messages of the Unified Conversation Format, so that its indices mean the same here.
import type { Entry } from "../session/session.ts";

export type Counted = Pick<Entry, "type" | "turn">;

export interface MessageCounter {
  /** The index of the entry's message; undefined for what is none. */
  add(entry: Counted): number | undefined;
  readonly count: number;
}

export function newMessageCounter(): MessageCounter {
  let count = 0;
  let before: Counted | undefined;
  return {
    get count() {
      return count;
    },
    add(entry) {
      if (entry.type === "switch") return undefined;
      if (!before || !isOneReply(before, entry)) count++;
      before = entry;
      return count - 1;
    },
  };
}

/** Where nothing says which message an entry belongs to, a text and the calls after it are one. */
function isOneReply(before: Counted, entry: Counted): boolean {
  if (before.turn !== entry.turn) return false;
  if (entry.type === "tool_call") return before.type === "assistant" || before.type === "tool_call";
  if (entry.type !== "assistant") return false;
  return before.type === "assistant" || (before.type === "tool_call" && entry.turn !== undefined);
}
