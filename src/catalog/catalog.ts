// Opens the catalog: a few SQLite databases, each with a share of the sessions, so that several threads can fill
// them at once. All of it can be made anew from the stores, so what is damaged or of another version is.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BatonError } from "../session/error.ts";
import { sqliteError } from "../storage/sqlite.ts";
import { SCHEMA, SCHEMA_VERSION } from "./schema.ts";

export interface Catalog {
  folder: string;
  shards: readonly DatabaseSync[];
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
    rebuilt,
    close() {
      for (const shard of shards) shard.close();
    },
  };
}

function catalogFolder(batonHome: string): string {
  return join(batonHome, "catalog");
}

/** Removes it; the next one to open it begins anew. */
export function discardCatalog(batonHome: string): void {
  for (let number = 0; number < SHARDS; number++) discard(catalogFolder(batonHome), number);
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
    const why = reasonToRebuild(error);
    if (why === undefined) throw sqliteError(error, path);
    onRebuild(`${path} ${why}; it is made anew from the stores.`);
    discard(folder, number);
    return prepared(path);
  }
}

function shardPath(folder: string, number: number): string {
  return join(folder, `shard-${number}.db`);
}

function discard(folder: string, number: number): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${shardPath(folder, number)}${suffix}`, { force: true });
}

class OtherVersion extends Error {}

function prepared(path: string): DatabaseSync {
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
  shard.exec("PRAGMA journal_mode = WAL");
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
