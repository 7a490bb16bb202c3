// Reads everything that is archived. What is damaged is forgotten, so that it is archived anew from where it still is.
import type { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import { codeOf } from "../../storage/disk.ts";
import { readFrame } from "../../storage/pack.ts";
import { packPath, writeIndex } from "./manifest.ts";
import { lookAgain, type MissingFile, missingIn } from "./missing.ts";
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
    const lost: number[] = [];
    for (const { key, hash, offset, length, size, name } of frames) {
      const place = { offset: Number(offset), length: Number(length) };
      const wanted = { hash: hash as Uint8Array, size: Number(size) };
      if (!(await isWhole(packPath(batonHome, String(name)), place, wanted))) lost.push(Number(key));
      done += place.length;
      onProgress(done, total);
    }
    database.exec("BEGIN IMMEDIATE");
    for (const key of lost) lose(database, key);
    lookAgain(database, true);
    database.exec("COMMIT");
    return lost.length;
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

function lose(database: DatabaseSync, frame: number): void {
  database.prepare("UPDATE part SET frame = NULL WHERE frame = ?").run(frame);
  database.prepare("DELETE FROM frame WHERE key = ?").run(frame);
}

/** Sessions of which something cannot be read any more. */
export function damagedSessions(batonHome: string): Promise<MissingFile[]> {
  return withIndex<MissingFile[]>(batonHome, [], missingIn);
}
