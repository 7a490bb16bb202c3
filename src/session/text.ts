// The plain text of an entry: what a writer says it wrote, and what reading back must find.
import type { Entry } from "./session.ts";

/** Nothing for a call, whose arguments each agent tells in its own way. */
export function entryText(entry: Entry): string {
  switch (entry.type) {
    case "user":
    case "assistant":
    case "system":
      return entry.content;
    case "tool_result":
      return entry.output;
    case "compaction":
      return entry.summary ?? "";
    case "tool_call":
    case "switch":
      return "";
  }
}
