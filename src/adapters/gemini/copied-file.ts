// A private copy of one session with its subagents, in the folder that the CLI has for another project.
import { basename, dirname, join } from "node:path";
import { copyPrivately, writePrivately } from "../../storage/copy-file.ts";
import type { FileRef, Home, SessionRef } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import { MARKER } from "./paths.ts";
import { chatsOf, folderOf } from "./plan.ts";

/** Under the whole id, as what is written: a second start would delete a file that bears but its first letters. */
export async function copy(ref: SessionRef, to: Home, cwd: string): Promise<SessionRef> {
  const chats = chatsOf(to, cwd);
  const name = basename(ref.path).replace(/^(session-.*-)[0-9a-f]{8}(\.jsonl?)$/, `$1${ref.originalId}$2`);
  const path = join(chats, name);
  await writePrivately(join(dirname(chats), MARKER), folderOf(cwd));
  const files: FileRef[] = [];
  for (const { path: from, role } of ref.files) {
    const place = role === "main" ? path : join(chats, ref.originalId, basename(from));
    await copyPrivately(from, place);
    const file = await fileRef(place, role);
    if (file) files.push(file);
  }
  return { ...ref, path, files };
}
