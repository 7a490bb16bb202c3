// Reads everything that is archived. What is damaged is forgotten, so that it is archived anew from where it still is.
import type { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import { codeOf } from "../../storage/disk.ts";
import { readFrame } from "../../storage/pack.ts";
import { packPath, writeIndex } from "./manifest.ts";
import { withIndex } from "./read.ts";

/** How many frames were damaged. */
export async function checkArchive(
  batonHome: string,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<number> {
  const { database, release } = await writeIndex(batonHome);
  try {
    const frames = database
      .prepare(
        `SELECT frame.key, frame.hash, frame.offset, frame.length, frame.size, pack.name
         FROM frame JOIN pack ON pack.key = frame.pack ORDER BY pack.name, frame.offset`,
      )
      .all();
    const total = frames.reduce((sum, { length }) => sum + Number(length), 0);
    let done = 0;
    let lost = 0;
    for (const { key, hash, offset, length, size, name } of frames) {
      const place = { offset: Number(offset), length: Number(length) };
      const wanted = { hash: hash as Uint8Array, size: Number(size) };
      if (!(await isWhole(packPath(batonHome, String(name)), place, wanted))) {
        lose(database, Number(key));
        lost++;
      }
      done += place.length;
      onProgress(done, total);
    }
    return lost;
  } finally {
    database.close();
    release();
  }
}

async function isWhole(...frame: Parameters<typeof readFrame>): Promise<boolean> {
  try {
    await readFrame(...frame);
    return true;
  } catch (error) {
    if (error instanceof BatonError || codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** Its sessions are looked at again, as if their files had changed. */
function lose(database: DatabaseSync, frame: number): void {
  const files = "SELECT file FROM part WHERE frame = ?";
  const names = `SELECT name FROM file WHERE key IN (${files})`;
  database.exec("BEGIN IMMEDIATE");
  database
    .prepare(
      `UPDATE session SET stamp = '' WHERE key IN (SELECT session FROM session_file WHERE name IN (${names}))`,
    )
    .run(frame);
  database.prepare(`UPDATE file SET mtime = -1 WHERE key IN (${files})`).run(frame);
  database.prepare("UPDATE part SET frame = NULL WHERE frame = ?").run(frame);
  database.prepare("DELETE FROM frame WHERE key = ?").run(frame);
  database.exec("COMMIT");
}

/** Sessions of which something cannot be read any more. */
export function damagedSessions(
  batonHome: string,
): Promise<{ agent: string; originalId: string; path: string }[]> {
  return withIndex<{ agent: string; originalId: string; path: string }[]>(batonHome, [], (database) =>
    database
      .prepare(
        `SELECT DISTINCT session.agent, session.original_id, session.path FROM session
         JOIN session_file ON session_file.session = session.key
         JOIN file ON file.name = session_file.name AND file.until IS NULL
         JOIN part ON part.file = file.key WHERE part.frame IS NULL`,
      )
      .all()
      .map((row) => ({
        agent: String(row.agent),
        originalId: String(row.original_id),
        path: String(row.path),
      })),
  );
}
