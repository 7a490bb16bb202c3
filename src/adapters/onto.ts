// How the main file of a session is changed: made anew, or extended where it is as it was found.
import type { Change } from "../storage/changes.ts";
import type { Onto } from "./adapter.ts";

type Created = Omit<Extract<Change, { type: "create" }>, "bytes">;
type Appended = Omit<Extract<Change, { type: "append" }>, "bytes">;

/** The change without its bytes. */
export function changeOf(path: string, onto: Onto | undefined): Created | Appended {
  const main = onto?.ref.files.find(({ role }) => role === "main");
  if (!onto || !main) return { type: "create", path };
  return { type: "append", path, inode: main.inode, size: main.size };
}
