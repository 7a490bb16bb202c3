// Notes that are damaged. What they say cannot be trusted, but most of it can still be read: enough to name the session
// that the archive has lost, instead of forgetting it without a word.
import type { DatabaseSync } from "node:sqlite";
import type { Identity } from "./notes.ts";

const STRING = '"((?:[^"\\\\]|\\\\.)*)"';
const SESSION = new RegExp(
  `"agent":${STRING},"originalId":${STRING},"thread":${STRING},"path":${STRING}.*?"updated":(\\d+)`,
  "s",
);
const MAIN = new RegExp(`"files":\\[\\{"name":${STRING},"role":"main","isRows":(true|false)`, "s");

/** Sessions that no other note tells of stand in the manifest as damaged; they are archived anew where they still are. */
export function salvage(database: DatabaseSync, notes: Iterable<string>): void {
  const known = database.prepare(
    "SELECT 1 FROM session WHERE path = ? AND original_id = ? AND thread = ? AND agent = ?",
  );
  for (const note of notes) {
    const one = damagedIdentity(note);
    if (!one) continue;
    const { agent, originalId, thread, path, updated } = one;
    if (known.get(path, originalId, thread, agent)) continue;
    const { lastInsertRowid: session } = database
      .prepare(
        `INSERT INTO session (agent, original_id, thread, path, updated, archived, stamp, facts)
         VALUES (?, ?, ?, ?, ?, 0, '', '{}')`,
      )
      .run(agent, originalId, thread, path, updated);
    const main = MAIN.exec(note);
    const name = (main && textOf(main[1] ?? "")) || path;
    database
      .prepare(
        "INSERT INTO session_file (session, position, name, role, is_rows) VALUES (?, 0, ?, 'main', ?)",
      )
      .run(session, name, main?.[2] === "true" ? 1 : 0);
    lose(database, name);
  }
}

/** Which session a damaged note was of, where that can still be read. */
export function damagedIdentity(note: string): (Identity & { updated: number }) | undefined {
  const [, ...found] = SESSION.exec(note) ?? [];
  const [agent, originalId, thread = "", path] = found.slice(0, 4).map(textOf);
  if (!agent || !originalId || !path) return undefined;
  return { agent, originalId, thread, path, updated: Number(found[4]) };
}

/** Notes of sessions that were taken out of the archive later are not missed. */
export function dropForgotten(notes: string[], forgotten: readonly Identity[]): void {
  const ids = forgotten.map(({ originalId }) => `"originalId":${JSON.stringify(originalId)}`);
  const left = notes.filter((note) => !ids.some((id) => note.includes(id)));
  notes.splice(0, notes.length, ...left);
}

/** As a file of which nothing is left. */
function lose(database: DatabaseSync, name: string): void {
  if (database.prepare("SELECT 1 FROM file WHERE name = ? AND until IS NULL").get(name)) return;
  const { lastInsertRowid: file } = database
    .prepare("INSERT INTO file (name, size, mtime, inode, lines, since) VALUES (?, 0, -1, 0, 0, 0)")
    .run(name);
  database.prepare("INSERT INTO part (file, position, start, size) VALUES (?, 0, 0, 1)").run(file);
}

function textOf(quoted: string): string {
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch {
    // The damage is in it.
    return "";
  }
}
