// What the archive keeps of a session besides its rollouts, and how a deleted one comes back.
import { join } from "node:path";
import type { Change } from "../../storage/changes.ts";
import type { Keepsakes, Kept, SessionRef } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import { restoredFiles } from "../kept.ts";
import { INDEX, namesIn } from "./names.ts";
import { rootOf } from "./paths.ts";

/** The name that the user gave stands in a file of all sessions. */
export async function keepsakes(ref: SessionRef): Promise<Keepsakes> {
  const name = namesIn(rootOf(ref.path)).get(ref.originalId);
  return { files: [], facts: name === undefined ? {} : { name } };
}

export async function* restore(kept: Kept): AsyncGenerator<Change> {
  yield* restoredFiles(kept);
  const { ref, facts, now } = kept;
  const root = rootOf(ref.path);
  if (facts.name === undefined || namesIn(root).get(ref.originalId) !== undefined) return;
  const line = { id: ref.originalId, thread_name: facts.name, updated_at: now.toISOString() };
  const bytes = `${JSON.stringify(line)}\n`;
  const path = join(root, INDEX);
  const index = fileRef(path, "index");
  if (index) yield { type: "append", path, inode: index.inode, size: index.size, bytes };
  else yield { type: "create", path, bytes };
}
