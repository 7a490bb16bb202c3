// A number that tells whether an entry still says what its record says.
import type { Entry } from "../../session/session.ts";

export function signature(entry: Entry): number {
  return hash(JSON.stringify(contentOf(entry)));
}

/** Only what the record itself holds: links, counts and places are not content. */
function contentOf(entry: Entry): unknown[] {
  const { type } = entry;
  switch (type) {
    case "user":
      return ["user", entry.content, entry.parts];
    // Seen as a thread, a compaction is the message that replaced what it hid.
    case "compaction":
      return ["user", entry.summary ?? "", undefined];
    case "assistant":
      return [type, entry.content, entry.thinking, entry.parts];
    case "tool_call":
      return [type, entry.id, entry.tool, entry.input];
    case "tool_result":
      return [type, entry.callId, entry.success, entry.output, entry.parts];
    case "system":
      return [type, entry.content];
    case "switch":
      return [type, entry.switch];
    default:
      return entry satisfies never;
  }
}

/** 48 bits of a string, so that the sums of many are still exact. */
function hash(words: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < words.length; at++) {
    const code = words.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  return (high >>> 0) * 2 ** 16 + (low >>> 16);
}
