// What the archive keeps of a session besides what reading it needs, and how a deleted one comes back.
import { basename, dirname, join } from "node:path";
import { BatonError } from "../../session/error.ts";
import type { Change } from "../../storage/changes.ts";
import { START } from "../../storage/position.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { FileRef, Keepsakes, Kept, SessionRef } from "../adapter.ts";
import { entriesOf, fileRef } from "../folder.ts";
import { restoredFiles } from "../kept.ts";
import { isStore, readStore } from "./legacy-store.ts";

/** Sessions of the old store share one file. */
export function lines(ref: SessionRef): AsyncIterable<readonly NativeRecord[]> | undefined {
  return isStore(ref.path) ? readStore(ref, { from: START, raw: true }) : undefined;
}

/** Everything in the session's own folder, and the files as they were before it changed them, for going back. */
export async function keepsakes(ref: SessionRef): Promise<Keepsakes> {
  if (isStore(ref.path)) return { files: [], facts: {} };
  if (ref.parent !== undefined) {
    const task = fileRef(ref.path.replace(/\.jsonl$/, ".meta.json"), "index");
    return { files: task ? [task] : [], facts: {} };
  }
  const folder = dirname(ref.path);
  const history = join(dirname(dirname(folder)), "file-history", ref.originalId);
  return { files: [...below(join(folder, basename(ref.path, ".jsonl"))), ...below(history)], facts: {} };
}

const DEEPEST = 4;

function below(folder: string, depth = DEEPEST): FileRef[] {
  const found: FileRef[] = [];
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(depth > 0 ? below(path, depth - 1) : []));
    else {
      const file = fileRef(path, "index");
      if (file) found.push(file);
    }
  }
  return found;
}

export async function* restore(kept: Kept): AsyncGenerator<Change> {
  if (isStore(kept.ref.path))
    throw new BatonError(
      "unsupported",
      `${kept.ref.path} is the store of Claude Code 0.2, which today's does not look into.`,
      "`baton show` shows the session, `baton resume --in claude` goes on with it in a new one.",
    );
  yield* restoredFiles(kept);
}
