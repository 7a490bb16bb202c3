// What the archive keeps of a session besides its log, and how a deleted one comes back: as a session of today, or
// the next start would delete it again.
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Change } from "../../storage/changes.ts";
import type { FileRef, Home, Keepsakes, Kept, SessionRef } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import { restoredFiles } from "../kept.ts";
import { agentsFolder, MARKER, projectFolder, projectOf } from "./paths.ts";
import { chatsOf, folderOf } from "./plan.ts";

/** Whose folder it lies in is told by files of all sessions. */
export async function keepsakes({ path }: SessionRef): Promise<Keepsakes> {
  const project = projectOf(path);
  const folder = projectFolder(path);
  const marker = folder === undefined ? undefined : fileRef(join(folder, MARKER), "index");
  return { files: marker ? [marker] : [], facts: project === undefined ? {} : { project } };
}

export async function* restore(kept: Kept, home: Home): AsyncGenerator<Change> {
  const { facts } = kept;
  const ref = { ...kept.ref, files: kept.ref.files.filter(({ role }) => role !== "index") };
  const chats = facts.project === undefined ? undefined : chatsOf(home, facts.project);
  yield* restoredFiles({ ...kept, ref, bytes: (file) => timely(kept, file) }, (file) =>
    placeOf(ref, file, chats),
  );
  if (chats === undefined || facts.project === undefined) return;
  const marker = join(dirname(chats), MARKER);
  if (!existsSync(marker)) yield { type: "create", path: marker, bytes: folderOf(facts.project) };
}

/** Under the whole id and not in the folder that bears it, as what is written (see README.md): those stay. */
function placeOf(ref: SessionRef, { path, role }: FileRef, chats: string | undefined): string {
  const id = ref.parent ?? ref.originalId;
  const folder = chats ?? (ref.parent === undefined ? dirname(ref.path) : dirname(dirname(ref.path)));
  if (role === "subagent" || ref.parent !== undefined) return join(folder, agentsFolder(id), basename(path));
  return join(folder, basename(path).replace(/^(session-.*-)[0-9a-f]{8}(\.jsonl?)$/, `$1${id}$2`));
}

const NEWLINE = 10;
const LAST_UPDATED = /("lastUpdated"\s*:\s*")[^"]*"/;

/** The CLI goes by the time that stands in the file. */
async function* timely(kept: Kept, file: FileRef): AsyncGenerator<Uint8Array> {
  const now = kept.now.toISOString();
  const isObject = file.path.endsWith(".json");
  let last = NEWLINE;
  let isFirst = true;
  for await (const bytes of kept.bytes(file)) {
    last = bytes.at(-1) ?? last;
    // Its beginning says it, before the messages.
    if (isObject && isFirst)
      yield Buffer.from(Buffer.from(bytes).toString("latin1").replace(LAST_UPDATED, `$1${now}"`), "latin1");
    else yield bytes;
    isFirst = false;
  }
  if (isObject || file.role !== "main") return;
  yield Buffer.from(`${last === NEWLINE ? "" : "\n"}${JSON.stringify({ $set: { lastUpdated: now } })}\n`);
}
