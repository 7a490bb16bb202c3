// Opens the catalog: a few SQLite databases, each with a share of the sessions, so that several threads can fill
// them at once. All of it can be made anew from the stores, so what is damaged or of another version is.
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { BatonError } from "../session/error.ts";
import { sqliteError } from "../storage/sqlite.ts";
import { SCHEMA, SCHEMA_VERSION } from "./schema.ts";

export interface Catalog {
  /** Where its shards are: another folder each time it is made anew. */
  folder: string;
  batonHome: string;
  shards: readonly DatabaseSync[];
  /** Whether it was made just now, and nothing is in it. */
  isNew: boolean;
  /** Why it had to be made anew, in a sentence each. */
  rebuilt: readonly string[];
  close(): void;
}

export const SHARDS = 4;
/** How long a writer waits for another. */
export const PATIENCE_MS = 20_000;
/** Pages of the write-ahead log after which they are moved into the database. */
const CHECKPOINT_PAGES = 1000;
/** Of bytes: most of what is written are long rows of the index, and each page is written by itself. */
const PAGE = 16 << 10;
const MOST_TRIES = 10;

export function openCatalog(batonHome: string): Catalog {
  const root = rootOf(batonHome);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const rebuilt: string[] = [];
  for (let tries = 1; ; tries++) {
    const known = newestIn(root);
    const folder = known ?? makeAnew(root, undefined, rebuilt);
    try {
      const shards = openShards(folder);
      const close = () => closeAll(shards);
      return { folder, batonHome, shards, isNew: known === undefined, rebuilt, close };
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
      // Another process has made it anew, just when it was to be opened.
      if (newestIn(root) !== folder) continue;
      if (!isDamage(error)) throw error;
      rebuilt.push(`${(error as Error).message} It is made anew from the stores.`);
      makeAnew(root, folder, rebuilt);
    }
  }
}

/** The next one to open it begins anew; where `opened` is named, only if that is still the one that others open. */
export function discardCatalog(batonHome: string, opened?: Pick<Catalog, "folder">): void {
  const root = rootOf(batonHome);
  if (existsSync(root)) makeAnew(root, opened?.folder ?? newestIn(root), []);
}

/** Whether what was opened is still what others open, or somebody has made it anew since. */
export function isCurrent({ folder }: Pick<Catalog, "folder">): boolean {
  return newestIn(dirname(folder)) === folder;
}

/** The same session is always in the same shard, and so are copies of it. */
export function shardOf(id: string): number {
  return id.charCodeAt(0) % SHARDS;
}

export function openShard(folder: string, number: number): DatabaseSync {
  const path = shardPath(folder, number);
  try {
    return prepared(path);
  } catch (error) {
    const why = reasonToRebuild(error, path);
    if (why === undefined) throw sqliteError(error, path);
    throw new BatonError(
      "damaged",
      `${path} ${why}.`,
      "`baton sync --rebuild` makes it anew.",
      new Unusable(),
    );
  }
}

function openShards(folder: string): DatabaseSync[] {
  const shards: DatabaseSync[] = [];
  try {
    for (let number = 0; number < SHARDS; number++) shards.push(openShard(folder, number));
    return shards;
  } catch (error) {
    closeAll(shards);
    throw error;
  }
}

function closeAll(shards: readonly DatabaseSync[]): void {
  for (const shard of shards) if (shard.isOpen) shard.close();
}

function rootOf(batonHome: string): string {
  return join(batonHome, "catalog");
}

/** VERSION-NUMBER: no name is ever used again, because SQLite tidies up by name when a database is closed. */
const GENERATION = /^(\d+)-(\d+)$/;

function generationsIn(root: string): { name: string; version: number; number: number }[] {
  return (existsSync(root) ? readdirSync(root) : []).flatMap((name) => {
    const [, version, number] = GENERATION.exec(name) ?? [];
    return version === undefined ? [] : [{ name, version: Number(version), number: Number(number) }];
  });
}

function newestIn(root: string): string | undefined {
  const own = generationsIn(root).filter(({ version }) => version === SCHEMA_VERSION);
  const newest = own.sort((a, b) => b.number - a.number)[0];
  return newest && join(root, newest.name);
}

/** In the place of `instead`, unless another process was faster. What is there then. */
function makeAnew(root: string, instead: string | undefined, rebuilt: string[]): string {
  return alone(root, () => {
    const newest = newestIn(root);
    if (newest !== instead && newest !== undefined) return newest;
    const before = generationsIn(root);
    if (before.some(({ version }) => version < SCHEMA_VERSION) && newest === undefined)
      rebuilt.push("The catalog was made by another version of Baton; it is made anew from the stores.");
    const fresh = mkdtempSync(join(root, "new-"));
    create(shardPath(fresh, 0));
    // They are all the same while they are empty, and making one takes longer than copying it.
    for (let number = 1; number < SHARDS; number++)
      copyFileSync(shardPath(fresh, 0), shardPath(fresh, number));
    const number = Math.max(Date.now(), ...before.map((one) => one.number + 1));
    const folder = join(root, `${SCHEMA_VERSION}-${number}`);
    renameSync(fresh, folder);
    removeOthers(root, folder);
    return folder;
  });
}

/** What a catalog was called, while it was made and before it was removed too. */
const OURS = /^(?:\d+-\d+|new-.+|old-.+|shard-\d+\.db(?:-wal|-shm)?)$/;

/** Those of later versions stay: somebody may use both. */
function removeOthers(root: string, folder: string): void {
  for (const name of readdirSync(root)) {
    const isLater = Number(GENERATION.exec(name)?.[1] ?? 0) > SCHEMA_VERSION;
    if (isLater || !OURS.test(name) || join(root, name) === folder) continue;
    // Gone at once for whoever is about to open it.
    const old = join(root, `old-${process.pid}-${name}`);
    renameSync(join(root, name), old);
    rmSync(old, { recursive: true, force: true });
  }
}

const LOCK = "rebuild.lock";

/** While no other process does; the kernel lets go of the lock when a process ends, however it ends. */
function alone<T>(root: string, work: () => T): T {
  const lock = locked(join(root, LOCK));
  try {
    return work();
  } finally {
    lock.close();
  }
}

function locked(path: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(path, { timeout: PATIENCE_MS });
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    throw sqliteError(error, path);
  }
}

function shardPath(folder: string, number: number): string {
  return join(folder, `shard-${number}.db`);
}

class OtherVersion extends Error {}

/** A shard that has to be made anew. */
class Unusable extends Error {}

function prepared(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  // One that is missing is not to be made here.
  url.searchParams.set("mode", "rw");
  const shard = new DatabaseSync(url, { timeout: PATIENCE_MS });
  try {
    const { user_version: version } = shard.prepare("PRAGMA user_version").get() as { user_version: number };
    if (version !== SCHEMA_VERSION) throw new OtherVersion();
    shard.exec(
      `PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    );
    return shard;
  } catch (error) {
    shard.close();
    throw error;
  }
}

function create(path: string): void {
  // It says what was said in every session, so nobody else may read it; SQLite's own files beside it are made alike.
  closeSync(openSync(path, "wx", 0o600));
  const shard = new DatabaseSync(path);
  try {
    // Nothing is in it yet that would have to outlast the machine.
    shard.exec(`PRAGMA page_size = ${PAGE}; PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL`);
    shard.exec(`BEGIN; ${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  } finally {
    shard.close();
  }
}

function reasonToRebuild(error: unknown, path: string): string | undefined {
  if (error instanceof OtherVersion) return "was made by another version of Baton";
  return isDamage(error) || !existsSync(path) ? "is damaged" : undefined;
}

/** Whether the catalog itself is at fault, and making it anew would help. */
export function isDamage(error: unknown): boolean {
  if (error instanceof Unusable) return true;
  if (error instanceof BatonError) return isDamage(error.cause);
  const number = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  // SQLite: corrupt, not a database; and its own tables missing or of another shape.
  const isOddShape = number === 1 && /no such (?:table|column)|has no column/.test((error as Error).message);
  return number === 11 || number === 26 || isOddShape;
}
