// Frees what nobody needs any more: a pack is written anew without it, beside the old one, which goes when the
// manifest has changed over. Only the one writer there is does this.
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { unlinkIfAny } from "../../storage/disk.ts";
import { FRAME_COST, type Packed } from "../../storage/pack.ts";
import { repack } from "../../storage/repack.ts";
import { statement } from "../../storage/statement.ts";
import { archiveFolder } from "./folder.ts";
import { packName, packNumber } from "./manifest.ts";
import { lookAgain } from "./missing.ts";
import { type Identity, noteOf } from "./notes.ts";
import { damagedIdentity } from "./salvage.ts";

const UNUSED = "NOT EXISTS (SELECT 1 FROM part WHERE part.frame = frame.key)";

/** How many bytes of packs nobody needs. */
export function unusedBytes(database: DatabaseSync): number {
  const sum = `SELECT coalesce(sum(length + ${FRAME_COST}), 0) AS n FROM frame WHERE ${UNUSED}`;
  return Number(database.prepare(sum).get()?.n);
}

/** By itself only packs of which more than half is unused, and not for a little. */
const WORTH_SHARE = 0.5;
const WORTH_BYTES = 8 << 20;

/** `all`: also where it is not worth the work. */
export async function collect(batonHome: string, database: DatabaseSync, all = false): Promise<void> {
  const packs = database
    .prepare(
      `SELECT pack.key, pack.name, pack.size, sum(frame.length + ${FRAME_COST}) AS unused
       FROM pack JOIN frame ON frame.pack = pack.key WHERE ${UNUSED} GROUP BY pack.key`,
    )
    .all();
  for (const { key, name, size, unused } of packs) {
    const isWorth = Number(unused) > WORTH_BYTES && Number(unused) > Number(size) * WORTH_SHARE;
    if (all || isWorth) await collectPack(archiveFolder(batonHome), database, Number(key), String(name));
  }
}

async function collectPack(folder: string, database: DatabaseSync, key: number, name: string): Promise<void> {
  const { number, generation } = packNumber(name);
  const next = packName(number, generation + 1);
  const used = new Set(
    database
      .prepare(`SELECT offset FROM frame WHERE pack = ? AND NOT ${UNUSED}`)
      .all(key)
      .map(({ offset }) => Number(offset)),
  );
  const isNeeded = (found: Packed) => {
    if (found.type === "frame") return used.has(found.place.offset);
    if (found.type === "note") return isNoteNeeded(database, found.text);
    // What a damaged note was of is named when the manifest is made anew.
    const session = damagedIdentity(found.bytes.toString("utf8"));
    return session ? isKnown(database, session) : found.isNote;
  };
  const { size, places } = await repack(join(folder, name), join(folder, next), isNeeded);
  // The old pack goes only when this is safely on the disk: a manifest that falls back would point into it.
  database.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
  try {
    database.prepare(`DELETE FROM frame WHERE pack = ? AND ${UNUSED}`).run(key);
    const frames = database.prepare("SELECT key, offset FROM frame WHERE pack = ?").all(key);
    const move = database.prepare("UPDATE frame SET offset = ?, length = ? WHERE key = ?");
    const lose = database.prepare("UPDATE part SET frame = NULL WHERE frame = ?");
    for (const frame of frames) {
      const place = places.get(Number(frame.offset));
      if (place) move.run(place.offset, place.length, Number(frame.key));
      // It is damaged: what is archived next brings it back, where its file is still there.
      else {
        lose.run(Number(frame.key));
        database.prepare("DELETE FROM frame WHERE key = ?").run(Number(frame.key));
      }
    }
    lookAgain(database);
    database.prepare("UPDATE pack SET name = ?, size = ? WHERE key = ?").run(next, size, key);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  } finally {
    database.exec("PRAGMA synchronous = NORMAL");
  }
  await unlinkIfAny(join(folder, name));
}

/**
 * What was forgotten stays forgotten when the manifest is made anew, because the note that says so stays. Notes of a
 * forgotten session go, unless they tell of a file that another one still needs: what a file consists of, and who had
 * it when, is what all notes that name it come to.
 */
function isNoteNeeded(database: DatabaseSync, text: string): boolean {
  const note = noteOf(text);
  if (note?.type !== "session" || isKnown(database, note.session)) return true;
  const file = statement(database, "SELECT 1 FROM file WHERE name = ?");
  return note.files.some(({ name }) => file.get(name) !== undefined);
}

function isKnown(database: DatabaseSync, { path, originalId, thread, agent }: Identity): boolean {
  const known = "SELECT 1 FROM session WHERE path = ? AND original_id = ? AND thread = ? AND agent = ?";
  return statement(database, known).get(path, originalId, thread, agent) !== undefined;
}
