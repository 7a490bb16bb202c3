// How the files of a session are changed: made anew, or the main one extended where it is as it was found.
import { mapped } from "../session/batches.ts";
import type { Change } from "../storage/changes.ts";
import type { Onto, Target, WrittenRecord } from "./adapter.ts";

type Created = Omit<Extract<Change, { type: "create" }>, "bytes">;
type Appended = Omit<Extract<Change, { type: "append" }>, "bytes">;

export function changesOf(
  records: AsyncIterable<WrittenRecord>,
  target: Target,
  pathOf: (target: Target, file: string) => string,
): AsyncIterable<Change> {
  const known = new Map<string, Created | Appended>();
  const where = (file: string) => {
    const change =
      known.get(file) ?? changeOf(pathOf(target, file), file === "main" ? target.onto : undefined);
    known.set(file, change);
    return change;
  };
  return mapped(records, (batch) => batch.map(({ file, bytes }) => ({ ...where(file), bytes })));
}

/** The change without its bytes. */
function changeOf(path: string, onto: Onto | undefined): Created | Appended {
  const main = onto?.ref.files.find(({ role }) => role === "main");
  if (!onto || !main) return { type: "create", path };
  return { type: "append", path, inode: main.inode, size: main.size };
}
