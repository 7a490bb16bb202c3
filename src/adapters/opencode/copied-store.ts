// A private copy of one session with its subagents: the same tables, and of their rows only those that belong to it.
import type { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import { copyRows } from "../../storage/copy-rows.ts";
import type { Home, SessionRef } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import { reading, sessionRows } from "./database.ts";
import { word } from "./native.ts";
import { isResumable } from "./open.ts";
import { databasePath } from "./paths.ts";
import { isProvenSchema, PROVEN_VERSIONS } from "./store.ts";

/** Tables that say which migrations are done: without them the CLI would do them again. */
const WHOLE = ["migration", "data_migration", "__drizzle_migrations"];

export async function copy(ref: SessionRef, to: Home, cwd: string): Promise<SessionRef> {
  if (!isResumable(ref))
    throw new BatonError(
      "unsupported",
      `${ref.path} is of an older OpenCode or of another channel's, and today's does not resume from it.`,
      "Carry it into a new session with `baton resume`.",
    );
  const path = databasePath(to);
  const ids = reading(ref.path, (database) => familyOf(database, ref.originalId));
  await copyRows(ref.path, path, {
    whole: WHOLE,
    rows: [
      { table: "project", column: "id", values: ["global"] },
      { table: "project", column: "id", values: reading(ref.path, (database) => projectsOf(database, ids)) },
      {
        table: "session",
        column: "id",
        values: ids,
        set: { directory: cwd, project_id: "global", path: cwd.slice(1) },
      },
      { table: "message", column: "session_id", values: ids },
      { table: "part", column: "session_id", values: ids },
      { table: "todo", column: "session_id", values: ids },
    ],
  });
  const file = await fileRef(path, "main");
  return { ...ref, path, files: file ? [file] : [] };
}

/** A session and all below it. */
function familyOf(database: DatabaseSync, id: string): string[] {
  const rows = sessionRows(database, "rows");
  const found = [id];
  for (const one of found)
    for (const { id: child, parent } of rows) if (parent === one && !found.includes(child)) found.push(child);
  return found;
}

function projectsOf(database: DatabaseSync, ids: readonly string[]): string[] {
  const query = database.prepare("SELECT project_id FROM session WHERE id = ?");
  return ids.flatMap((id) => String(query.get(id)?.project_id ?? ""));
}

/**
 * Rows are added only to a database of a shape that was proven, behind messages that are not of the future, and not
 * where the user went back or the CLI does not look: what comes behind that goes with the next prompt.
 */
export async function canExtend(ref: SessionRef, version = PROVEN_VERSIONS.at(-1) ?? ""): Promise<boolean> {
  const { path, originalId } = ref;
  if (!isResumable(ref) || !isProvenSchema(path, version)) return false;
  return reading(path, (database) => {
    const messages = "SELECT max(time_created) t FROM message WHERE session_id = ?";
    const session = database.prepare("SELECT revert FROM session WHERE id = ?").get(originalId);
    const last = Number(database.prepare(messages).get(originalId)?.t ?? 0);
    return last < Date.now() && word(session?.revert) === undefined;
  });
}

export function isTakenBack(ref: SessionRef): boolean {
  if (!isResumable(ref)) return false;
  const session = reading(ref.path, (database) =>
    database.prepare("SELECT * FROM session WHERE id = ?").get(ref.originalId),
  );
  return word(session?.revert) !== undefined;
}
