// The manifest of the archive: which sessions there are, which files they consist of, and in which frames of which
// pack the bytes stand. Packs are the truth; a manifest that is gone, damaged or behind is made from them.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import { acquire } from "../../storage/lock.ts";
import { scanPack } from "../../storage/pack.ts";
import { isUnopenable, openToRead, sqliteError } from "../../storage/sqlite.ts";
import { statement } from "../../storage/statement.ts";
import { isDamage } from "../catalog.ts";
import { archiveFolder } from "./folder.ts";
import { hasLost, lookAgain } from "./missing.ts";
import { applyNote, noteOf } from "./notes.ts";
import { damagedIdentity, dropForgotten, salvage } from "./salvage.ts";

const VERSION = 1;
const PATIENCE_MS = 20_000;

const SCHEMA = `
CREATE TABLE pack (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL);
CREATE TABLE frame (
  key INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  pack INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  size INTEGER NOT NULL
);
CREATE INDEX frame_by_pack ON frame (pack);
CREATE TABLE session (
  key INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  original_id TEXT NOT NULL,
  thread TEXT NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,
  updated INTEGER NOT NULL,
  archived INTEGER NOT NULL,
  stamp TEXT NOT NULL,
  facts TEXT NOT NULL,
  /* How it is listed, once somebody asked. */
  summary TEXT,
  UNIQUE (path, original_id, thread, agent)
);
CREATE TABLE session_file (
  session INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  is_rows INTEGER NOT NULL,
  PRIMARY KEY (session, name)
) WITHOUT ROWID;
CREATE INDEX session_file_by_name ON session_file (name);
CREATE TABLE file (
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime REAL NOT NULL,
  inode INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  since INTEGER NOT NULL,
  /* When another version took its place. */
  until INTEGER
);
CREATE INDEX file_by_name ON file (name, until);
CREATE TABLE part (
  file INTEGER NOT NULL,
  position INTEGER NOT NULL,
  start INTEGER NOT NULL,
  size INTEGER NOT NULL,
  frame INTEGER,
  PRIMARY KEY (file, position)
) WITHOUT ROWID;
CREATE INDEX part_by_frame ON part (frame);
`;

export function packPath(batonHome: string, name: string): string {
  return join(archiveFolder(batonHome), name);
}

/** The manifest for reading; undefined when nothing was ever archived. */
export async function readIndex(
  batonHome: string,
  onRebuild: (why: string) => void = () => undefined,
): Promise<DatabaseSync | undefined> {
  const folder = archiveFolder(batonHome);
  if (!existsSync(indexPath(folder)) && packsIn(folder).length === 0) return undefined;
  try {
    if (existsSync(indexPath(folder))) return current(opened(folder), folder);
  } catch (error) {
    // Where nothing can be written SQLite cannot make its own files beside it either.
    if (isUnopenable(error)) return openToRead(indexPath(folder));
    if (!isWorthless(error)) throw sqliteError(error, indexPath(folder));
  }
  // Only one at a time makes it anew.
  const { database, release } = await writeIndex(batonHome, onRebuild);
  release();
  return database;
}

export interface WritableIndex {
  database: DatabaseSync;
  /** Lets others write; the database stays open. */
  release(): void;
}

/** The manifest for the only writer there is, with everything in it that a writer before has left. */
export async function writeIndex(
  batonHome: string,
  onRebuild: (why: string) => void = () => undefined,
  patience = PATIENCE_MS,
): Promise<WritableIndex> {
  const folder = archiveFolder(batonHome);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await acquire(join(folder, "lock"), patience);
  if (!lock) throw busy(folder);
  try {
    const database = await settled(folder, onRebuild);
    return { database, release: () => lock.release() };
  } catch (error) {
    lock.release();
    throw sqliteError(error, indexPath(folder));
  }
}

async function settled(folder: string, onRebuild: (why: string) => void): Promise<DatabaseSync> {
  const database = openedOrNew(folder, onRebuild);
  try {
    await settle(database, folder);
    return database;
  } catch (error) {
    database.close();
    if (!(error instanceof Behind)) throw error;
  }
  // A new one cannot be behind.
  remake(folder, onRebuild, new Behind());
  return settled(folder, onRebuild);
}

function busy(folder: string): BatonError {
  return new BatonError(
    "busy",
    `Another Baton is writing to ${folder}.`,
    "Wait until it has finished, then try again.",
  );
}

function indexPath(folder: string): string {
  return join(folder, "index.db");
}

class OtherVersion extends Error {}
class Behind extends Error {}

function isWorthless(error: unknown): boolean {
  return error instanceof OtherVersion || error instanceof Behind || isDamage(error);
}

/** An older copy, or one that a power cut took the last changes of, knows a pack that was written anew since. */
function current(database: DatabaseSync, folder: string): DatabaseSync {
  // Asked twice: whoever writes a pack anew may just have removed the old one, behind the manifest's change.
  if (!isBehind(database, folder) || !isBehind(database, folder)) return database;
  database.close();
  throw new Behind();
}

function isBehind(database: DatabaseSync, folder: string): boolean {
  const gone = database
    .prepare("SELECT name FROM pack")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !existsSync(join(folder, name)));
  if (gone.length === 0) return false;
  const there = new Set(packsIn(folder).map((name) => packNumber(name).number));
  return gone.some((name) => there.has(packNumber(name).number));
}

function opened(folder: string): DatabaseSync {
  const database = new DatabaseSync(indexPath(folder), { timeout: PATIENCE_MS });
  try {
    const { user_version: version } = database.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    if (version !== VERSION) throw new OtherVersion();
    database.exec("PRAGMA synchronous = NORMAL");
    database.prepare("SELECT count(*) FROM session, pack").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openedOrNew(folder: string, onRebuild: (why: string) => void): DatabaseSync {
  const path = indexPath(folder);
  const isThere = existsSync(path);
  try {
    if (isThere) return current(opened(folder), folder);
  } catch (error) {
    if (!isWorthless(error)) throw error;
    remake(folder, onRebuild, error);
  }
  // SQLite gives its other files the mode of this one.
  closeSync(openSync(path, "wx", 0o600));
  const database = new DatabaseSync(path, { timeout: PATIENCE_MS });
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; ${SCHEMA};
      PRAGMA user_version = ${VERSION}; COMMIT`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** What was there is set aside: it may hold what somebody wants to look at. */
function remake(folder: string, onRebuild: (why: string) => void, reason: unknown): void {
  const path = indexPath(folder);
  const why = reason instanceof Behind ? "is older than the packs beside it" : "cannot be used";
  onRebuild(`${path} ${why}; it is made anew from the archive itself.`);
  renameSync(path, `${path}.damaged`);
  for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

const PACK = /^pack-(\d{6})-(\d+)\.zst$/;

export function packName(number: number, generation = 0): string {
  return `pack-${String(number).padStart(6, "0")}-${generation}.zst`;
}

export function packNumber(name: string): { number: number; generation: number } {
  const [, number = "0", generation = "0"] = PACK.exec(name) ?? [];
  return { number: Number(number), generation: Number(generation) };
}

/** In the order in which they were written. */
function packsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const order = (name: string) => packNumber(name).number * 1e6 + packNumber(name).generation;
  return readdirSync(folder)
    .filter((name) => PACK.test(name))
    .sort((a, b) => order(a) - order(b));
}

/** Takes in what a process that was ended has written behind what the manifest knows, as far as it is whole. */
async function settle(database: DatabaseSync, folder: string): Promise<void> {
  const known = new Map(
    database
      .prepare("SELECT key, name, size FROM pack")
      .all()
      .map(({ key, name, size }) => [String(name), { key: Number(key), size: Number(size) }]),
  );
  const damaged: string[] = [];
  let isNew = false;
  for (const name of packsIn(folder)) {
    const { number, generation } = packNumber(name);
    const others = [...known.keys()].filter((other) => packNumber(other).number === number);
    const isThere = others.some((other) => other !== name && existsSync(join(folder, other)));
    // A copy without what nobody needs: made to the end, but not yet in use; or in use, and this is the old one.
    if (!known.has(name) && (isThere || hasNewer(folder, number, generation))) {
      if (others.some((other) => packNumber(other).generation < generation))
        await assertKnown(database, join(folder, name));
      rmSync(join(folder, name));
    } else isNew = (await adopt(database, folder, name, known.get(name), damaged)) || isNew;
  }
  salvage(database, damaged);
  if (isNew || hasLost(database)) lookAgain(database);
}

/** A copy that was in use holds more than the manifest knows, which was then put back from a time before. */
async function assertKnown(database: DatabaseSync, path: string): Promise<void> {
  const frame = statement(database, "SELECT 1 FROM frame WHERE hash = ?");
  for await (const found of scanPack(path))
    if (found.type === "frame" && frame.get(found.hash) === undefined) throw new Behind();
}

function hasNewer(folder: string, number: number, generation: number): boolean {
  return packsIn(folder).some((other) => {
    const found = packNumber(other);
    return found.number === number && found.generation > generation;
  });
}

/** Whether there was anything to take in. */
async function adopt(
  database: DatabaseSync,
  folder: string,
  name: string,
  known: { key: number; size: number } | undefined,
  damaged: string[],
): Promise<boolean> {
  const path = join(folder, name);
  let end = known?.size ?? 0;
  if (known && statSync(path).size <= end) return false;
  database.exec("BEGIN IMMEDIATE");
  try {
    const key = known?.key ?? addPack(database, name);
    for await (const found of scanPack(path, end)) {
      if (found.type === "damaged") {
        const text = found.bytes.toString("utf8");
        // Not whatever is left of something that was never written to its end.
        if (!found.isNote && !damagedIdentity(text)) continue;
        damaged.push(text);
      } else if (found.type === "frame") addFrame(database, key, found.hash, found.size, found.place);
      else take(database, found.text, damaged);
      end = found.end;
    }
    database.prepare("UPDATE pack SET size = ? WHERE key = ?").run(end, key);
    database.exec("COMMIT");
    return true;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function take(database: DatabaseSync, text: string, damaged: string[]): void {
  const note = noteOf(text);
  if (note) applyNote(database, note);
  if (note?.type === "forget") dropForgotten(damaged, note.sessions);
}

export function addPack(database: DatabaseSync, name: string): number {
  return Number(database.prepare("INSERT INTO pack (name, size) VALUES (?, 0)").run(name).lastInsertRowid);
}

export function addFrame(
  database: DatabaseSync,
  pack: number,
  hash: Uint8Array,
  size: number,
  place: { offset: number; length: number },
): void {
  statement(
    database,
    "INSERT OR IGNORE INTO frame (hash, pack, offset, length, size) VALUES (?, ?, ?, ?, ?)",
  ).run(hash, pack, place.offset, place.length, size);
}
