// Ids of what Baton writes: derived from the session and a number, so that the same session gets the same ones, and
// calls that keep their own where they can.
import { createHash, randomUUID } from "node:crypto";

export const newId = (): string => randomUUID();

/** A UUID made from a session's id and a name inside it. */
export function derivedId(session: string, name: string): string {
  const hex = createHash("sha256").update(`${session} ${name}`).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Call ids, each handed out once: the vendor refuses one that comes again. */
export function callIds(used: Iterable<string> = []) {
  const known = new Set(used);
  return (wanted: string): string => {
    let id = wanted;
    for (let again = 2; known.has(id); again++) id = `${wanted}-${again}`;
    known.add(id);
    return id;
  };
}
