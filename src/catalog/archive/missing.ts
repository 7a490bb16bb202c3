// What the manifest names and no pack holds: parts of files whose frame is damaged, and files that no note tells of.
import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** Names of files of which something is missing in their newest version. */
const MISSING = `SELECT name FROM file WHERE until IS NULL AND key IN (SELECT file FROM part WHERE frame IS NULL)
  UNION SELECT name FROM session_file WHERE NOT EXISTS (SELECT 1 FROM file WHERE file.name = session_file.name)`;

/** The mark of a file whose sessions were told to be looked at again: no file has this time. */
const MARKED = -1;

/**
 * Sessions of which something is missing are looked at again, as if their files had changed: what a store still has
 * is archived anew. `always`: also where that was tried before, and the file was not there.
 */
export function lookAgain(database: DatabaseSync, always = false): void {
  const names = always
    ? MISSING
    : `SELECT name FROM (${MISSING}) AS missing WHERE NOT EXISTS
       (SELECT 1 FROM file WHERE file.name = missing.name AND until IS NULL AND mtime = ${MARKED})`;
  database.exec(
    `UPDATE session SET stamp = '' WHERE key IN (SELECT session FROM session_file WHERE name IN (${names}));
     UPDATE file SET mtime = ${MARKED} WHERE until IS NULL AND key IN (SELECT file FROM part WHERE frame IS NULL)`,
  );
}

/** Costs nothing to ask. */
export function hasLost(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM part WHERE frame IS NULL LIMIT 1").get() !== undefined;
}

export interface MissingFile {
  agent: string;
  originalId: string;
  path: string;
  /** Which of its files; for rows of a database with the session's id behind its path. */
  file: string;
  /** The file itself is still where it was. */
  isThere: boolean;
}

/** The first file of each session of which something is missing. */
export function missingIn(database: DatabaseSync): MissingFile[] {
  return database
    .prepare(
      `SELECT session.agent, session.original_id, session.path, session_file.name, min(session_file.position)
       FROM session JOIN session_file ON session_file.session = session.key
       WHERE session_file.name IN (${MISSING}) GROUP BY session.key ORDER BY session.key`,
    )
    .all()
    .map((row) => ({
      agent: String(row.agent),
      originalId: String(row.original_id),
      path: String(row.path),
      file: String(row.name),
      isThere: existsSync(String(row.name)),
    }));
}
