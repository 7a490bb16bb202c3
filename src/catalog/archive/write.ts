// Frames and notes on their way into the current pack. They go in batches: the next one is read and compressed while
// the one before is written; only what is safely on the disk is named in the manifest.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import {
  compressed,
  digestOf,
  openPack,
  type PackWriter,
  type Place,
  readFrame,
} from "../../storage/pack.ts";
import { statement } from "../../storage/statement.ts";
import { addFrame, addPack, packName, packNumber } from "./manifest.ts";
import { applyNote, type Note } from "./notes.ts";

export interface Batches {
  /** Takes a frame in, unless it is there already; its hash as notes name it. The bytes are not needed any more then. */
  frame(bytes: Buffer): Promise<string>;
  /** A frame that was there before, by its hash as notes name it. */
  read(hash: string): Promise<Buffer>;
  /** Behind all frames that it names. */
  add(note: Note): Promise<void>;
  /** Everything so far is in the archive. */
  finish(): Promise<void>;
  /** How many bytes were added to packs. */
  written(): number;
  close(): Promise<void>;
}

interface Frame {
  hash: Buffer;
  size: number;
  compressed: Buffer;
}

interface Batch {
  frames: Frame[];
  notes: Note[];
  bytes: number;
}

const BATCH_BYTES = 16 << 20;
const BATCH_NOTES = 512;
/** A new pack is begun behind this. */
const PACK_BYTES = 64 << 20;

export async function newBatches(folder: string, database: DatabaseSync): Promise<Batches> {
  const pack = await currentPack(folder, database);
  const known = database.prepare("SELECT 1 FROM frame WHERE hash = ?");
  /** In a batch that the manifest does not know yet. */
  const pending = new Set<string>();
  let batch = newBatch();
  let writing: Promise<void> = Promise.resolve();
  let written = 0;
  const send = async () => {
    const full = batch;
    batch = newBatch();
    // Not more than two batches at once are in memory.
    await writing;
    writing = writeBatch(folder, database, pack, full).then((size) => {
      written += size;
      for (const { hash } of full.frames) pending.delete(hash.toString("base64"));
    });
    // Seen by whoever awaits it next.
    writing.catch(() => undefined);
  };
  return {
    async frame(bytes) {
      const hash = digestOf(bytes);
      const name = hash.toString("base64");
      if (pending.has(name) || known.get(hash)) return name;
      pending.add(name);
      batch.frames.push({ hash, size: bytes.length, compressed: compressed(bytes) });
      batch.bytes += bytes.length;
      if (batch.bytes >= BATCH_BYTES) await send();
      return name;
    },
    read: (hash) => readKnown(folder, database, Buffer.from(hash, "base64")),
    async add(note) {
      batch.notes.push(note);
      if (batch.notes.length >= BATCH_NOTES) await send();
    },
    async finish() {
      if (batch.frames.length + batch.notes.length > 0) await send();
      await writing;
    },
    written: () => written,
    async close() {
      await writing.catch(() => undefined);
      await pack.writer.close();
    },
  };
}

function readKnown(folder: string, database: DatabaseSync, hash: Buffer): Promise<Buffer> {
  const { name, offset, length, size } = statement(
    database,
    `SELECT pack.name, frame.offset, frame.length, frame.size FROM frame JOIN pack ON pack.key = frame.pack
     WHERE frame.hash = ?`,
  ).get(hash) as { name: string; offset: number; length: number; size: number };
  return readFrame(join(folder, name), { offset, length }, { hash, size });
}

function newBatch(): Batch {
  return { frames: [], notes: [], bytes: 0 };
}

interface CurrentPack {
  key: number;
  name: string;
  writer: PackWriter;
}

/** The newest pack, or a new one where that is full or not what the manifest says. */
async function currentPack(folder: string, database: DatabaseSync): Promise<CurrentPack> {
  const packs = database.prepare("SELECT key, name, size FROM pack").all();
  const last = packs.toSorted((a, b) => numberOf(b.name) - numberOf(a.name))[0];
  if (last) {
    const path = join(folder, String(last.name));
    const isWhole = existsSync(path) && statSync(path).size >= Number(last.size);
    if (isWhole && Number(last.size) < PACK_BYTES)
      return {
        key: Number(last.key),
        name: String(last.name),
        writer: await openPack(path, Number(last.size)),
      };
  }
  const name = packName(last ? numberOf(last.name) + 1 : 1);
  const writer = await openPack(join(folder, name), 0);
  return { key: addPack(database, name), name, writer };
}

function numberOf(name: unknown): number {
  return packNumber(String(name)).number;
}

/** How many bytes the pack has grown by. */
async function writeBatch(
  folder: string,
  database: DatabaseSync,
  pack: CurrentPack,
  { frames, notes }: Batch,
): Promise<number> {
  if (pack.writer.size() >= PACK_BYTES) {
    const { writer } = pack;
    Object.assign(pack, await currentPack(folder, database));
    await writer.close();
  }
  const { writer, key } = pack;
  const before = writer.size();
  const places: Place[] = [];
  for (const { hash, size, compressed: bytes } of frames) places.push(writer.frame(hash, size, bytes));
  for (const note of notes) writer.note(JSON.stringify(note));
  await writer.sync();
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const [at, { hash, size }] of frames.entries()) addFrame(database, key, hash, size, places[at]!);
    for (const note of notes) applyNote(database, note);
    database.prepare("UPDATE pack SET size = ? WHERE key = ?").run(writer.size(), key);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
  return writer.size() - before;
}
