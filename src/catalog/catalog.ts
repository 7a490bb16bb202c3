// Opens the catalog: a few SQLite databases, each with a share of the sessions, so that several threads can fill
// them at once. All of it can be made anew from the stores, so what is damaged or of another version is.
import { closeSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BatonError } from "../session/error.ts";
import { sqliteError } from "../storage/sqlite.ts";
import { SCHEMA, SCHEMA_VERSION } from "./schema.ts";

export interface Catalog {
  folder: string;
  shards: readonly DatabaseSync[];
  /** The shards' files, to know later whether they are still the same. */
  inodes: readonly number[];
  /** Why a shard had to be made anew, in a sentence each. */
  rebuilt: readonly string[];
  close(): void;
}

export const SHARDS = 4;
/** How long a writer waits for another. */
const PATIENCE_MS = 20_000;
/** Pages of the write-ahead log after which they are moved into the database. */
const CHECKPOINT_PAGES = 4000;

export function openCatalog(batonHome: string): Catalog {
  const folder = catalogFolder(batonHome);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const rebuilt: string[] = [];
  const shards: DatabaseSync[] = [];
  try {
    for (let number = 0; number < SHARDS; number++)
      shards.push(openShard(folder, number, (why) => rebuilt.push(why)));
  } catch (error) {
    for (const shard of shards) shard.close();
    throw error;
  }
  return {
    folder,
    shards,
    inodes: shards.map((_, number) => inodeOf(shardPath(folder, number))),
    rebuilt,
    close() {
      for (const shard of shards) if (shard.isOpen) shard.close();
    },
  };
}

function catalogFolder(batonHome: string): string {
  return join(batonHome, "catalog");
}

/** Removes it, or what is left of the one that was opened; the next one to open it begins anew. */
export function discardCatalog(batonHome: string, opened?: Pick<Catalog, "inodes">): void {
  const folder = catalogFolder(batonHome);
  if (!statSync(folder, { throwIfNoEntry: false })) return;
  alone(folder, () => {
    for (let number = 0; number < SHARDS; number++)
      if (!opened || opened.inodes[number] === inodeOf(shardPath(folder, number))) discard(folder, number);
  });
}

/** Whether what was opened is still what others open, or somebody has made it anew since. */
export function isCurrent({ folder, inodes }: Catalog): boolean {
  return inodes.every((inode, number) => inode === inodeOf(shardPath(folder, number)));
}

/** The same session is always in the same shard, and so are copies of it. */
export function shardOf(id: string): number {
  return id.charCodeAt(0) % SHARDS;
}

export function openShard(
  folder: string,
  number: number,
  onRebuild: (why: string) => void = () => undefined,
): DatabaseSync {
  const path = shardPath(folder, number);
  try {
    return prepared(path);
  } catch (error) {
    if (reasonToRebuild(error) === undefined) throw sqliteError(error, path);
    return alone(folder, () => replaced(folder, number, onRebuild));
  }
}

/** Looks again first: another process may have made it anew while this one waited. */
function replaced(folder: string, number: number, onRebuild: (why: string) => void): DatabaseSync {
  const path = shardPath(folder, number);
  try {
    return prepared(path);
  } catch (error) {
    const why = reasonToRebuild(error);
    if (why === undefined) throw sqliteError(error, path);
    onRebuild(`${path} ${why}; it is made anew from the stores.`);
    discard(folder, number);
    return prepared(path);
  }
}

/** While no other process does; the kernel lets go of the lock when a process ends, however it ends. */
function alone<T>(folder: string, work: () => T): T {
  const lock = new DatabaseSync(join(folder, "rebuild.lock"), { timeout: PATIENCE_MS });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return work();
  } finally {
    lock.close();
  }
}

function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? -1;
}

function shardPath(folder: string, number: number): string {
  return join(folder, `shard-${number}.db`);
}

function discard(folder: string, number: number): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${shardPath(folder, number)}${suffix}`, { force: true });
}

class OtherVersion extends Error {}

/** It says what was said in every session, so nobody else may read it; SQLite's own files beside it are made alike. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function prepared(path: string): DatabaseSync {
  makePrivate(path);
  const shard = new DatabaseSync(path, { timeout: PATIENCE_MS });
  try {
    const { user_version: version } = shard.prepare("PRAGMA user_version").get() as { user_version: number };
    if (version !== SCHEMA_VERSION) create(shard, version);
    shard.exec(
      `PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    );
    return shard;
  } catch (error) {
    shard.close();
    throw error;
  }
}

/** Two processes may come at once: the second one finds what the first has made. */
function create(shard: DatabaseSync, seen: number): void {
  if (seen !== 0) throw new OtherVersion();
  // Nothing is in it yet that would have to outlast the machine.
  shard.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL");
  shard.exec("BEGIN IMMEDIATE");
  const { user_version: version } = shard.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version === 0) shard.exec(`${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  shard.exec("COMMIT");
  if (version !== 0 && version !== SCHEMA_VERSION) throw new OtherVersion();
}

function reasonToRebuild(error: unknown): string | undefined {
  if (error instanceof OtherVersion) return "was made by another version of Baton";
  return isDamage(error) ? "is damaged" : undefined;
}

/** Whether the catalog itself is at fault, and making it anew would help. */
export function isDamage(error: unknown): boolean {
  if (error instanceof BatonError) return isDamage(error.cause);
  const number = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  // SQLite: corrupt, not a database; and its own tables missing or of another shape.
  const isOddShape = number === 1 && /no such (?:table|column)|has no column/.test((error as Error).message);
  return number === 11 || number === 26 || isOddShape;
}
