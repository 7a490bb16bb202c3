// A number that tells whether an entry still says what its record says.
import { hash } from "node:crypto";
import type { Entry } from "../../session/session.ts";

/** 48 bits, so that the sums of many are still exact. */
export function signature(entry: Entry): number {
  return Number.parseInt(hash("sha1", wording(entry), "hex").slice(0, 12), 16);
}

/** Only what the record itself holds: links, counts and places are not content. */
function wording(entry: Entry): string {
  const { type } = entry;
  const parts = entry.parts === undefined ? "" : JSON.stringify(entry.parts);
  switch (type) {
    case "user":
      return `user ${entry.content}${parts}`;
    // Seen as a thread, a compaction is the message that replaced what it hid.
    case "compaction":
      return `user ${entry.summary ?? ""}`;
    case "assistant":
      return `${type} ${entry.content} ${entry.thinking ?? ""} ${parts}`;
    case "tool_call":
      return `${type} ${entry.id} ${entry.tool} ${entry.originalTool} ${JSON.stringify(entry.input)}`;
    case "tool_result":
      return `${type} ${entry.callId} ${entry.success} ${entry.output} ${parts}`;
    case "system":
      return `${type} ${entry.content}${parts}`;
    case "switch":
      return `${type} ${JSON.stringify(entry.switch)}`;
    default:
      return entry satisfies never;
  }
}
