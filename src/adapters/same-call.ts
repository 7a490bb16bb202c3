// Which calls are the same one, where a driver of ours remembers what was allowed for the session.
import { createHash } from "node:crypto";
import type { Json } from "./json.ts";

/** Short, however long the arguments are. The order in which they come makes no other call. */
export function sameCall(name: string, input: Json): string {
  const sorted = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([name, sorted]))
    .digest("base64");
}

/** What a command does, without the words that only say why. */
export function sameCommand(name: string, { description: _, ...input }: Json): string {
  return sameCall(name, input);
}
