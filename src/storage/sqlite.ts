// Opens other programs' SQLite databases. Reading leaves them alone and works while their owner writes; what goes
// wrong is told as an error for people.
import { existsSync, statSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { BatonError, type ErrorCode } from "../session/error.ts";

/** How long to wait for a writer of another process. */
const PATIENCE_MS = 5000;

/** For reading only; the connection sees what others have committed, also what is still in the write-ahead log. */
export function openToRead(path: string): DatabaseSync {
  if (!existsSync(path))
    throw new BatonError("not_found", `There is no database ${path}.`, "List the sessions again.");
  try {
    return checked(new DatabaseSync(path, { readOnly: true, timeout: PATIENCE_MS }));
  } catch (error) {
    // In a folder where nothing can be written the log's index cannot be made; without a log none is needed.
    if (!isUnopenable(error) || sizeOf(`${path}-wal`) > 0) throw sqliteError(error, path);
    return immutable(path);
  }
}

interface Kept {
  path: string;
  /** The file as it was: a connection does not notice when its file is written over. */
  stamp: string;
  database: DatabaseSync;
}

const lent = new Map<DatabaseSync, Kept>();
const kept: Kept[] = [];
const MOST_KEPT = 2;
let keepers = 0;

let closing: NodeJS.Timeout | undefined;

/**
 * Meanwhile connections stay open for the next who asks, and for so long after: opening takes longer than reading a
 * little. Not for good, because whoever writes to a database tidies up when its last connection is closed.
 */
export async function keepingOpen<T>(work: () => Promise<T>, lingerMs = 0): Promise<T> {
  keepers++;
  clearTimeout(closing);
  try {
    return await work();
  } finally {
    keepers--;
    if (keepers === 0 && lingerMs === 0) closeKept();
    // A process that has nothing else to do ends without waiting for it.
    else if (keepers === 0) closing = setTimeout(closeKept, lingerMs).unref();
  }
}

function closeKept(): void {
  for (const { database } of kept.splice(0)) database.close();
}

/** A connection for reading that may have been used before; to be given back. */
export function borrow(path: string): DatabaseSync {
  const file = statSync(path, { throwIfNoEntry: false });
  const stamp = `${file?.ino} ${file?.size} ${file?.mtimeMs}`;
  const at = kept.findIndex((one) => one.path === path && one.stamp === stamp);
  const [found] = at === -1 ? [] : kept.splice(at, 1);
  const one = found ?? { path, stamp, database: openToRead(path) };
  lent.set(one.database, one);
  return one.database;
}

export function giveBack(database: DatabaseSync): void {
  const one = lent.get(database);
  lent.delete(database);
  if (!one) return;
  if (database.isTransaction) database.exec("ROLLBACK");
  kept.push(one);
  if (keepers === 0 || kept.length > MOST_KEPT) kept.shift()?.database.close();
}

export function readBriefly<T>(path: string, use: (database: DatabaseSync) => T): T {
  const database = borrow(path);
  try {
    return use(database);
  } finally {
    giveBack(database);
  }
}

export function openToWrite(path: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path, { timeout: PATIENCE_MS, enableForeignKeyConstraints: true });
    return checked(database);
  } catch (error) {
    throw sqliteError(error, path);
  }
}

/** Opening reads nothing yet; this does. */
function checked(database: DatabaseSync): DatabaseSync {
  try {
    database.prepare("SELECT count(*) FROM sqlite_master").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function immutable(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  try {
    return checked(new DatabaseSync(url, { readOnly: true }));
  } catch (error) {
    throw sqliteError(error, path);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

export function hasTable(database: DatabaseSync, table: string): boolean {
  return (
    database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined
  );
}

export function columnsOf(database: DatabaseSync, table: string): { name: string; key: number }[] {
  return database
    .prepare("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid")
    .all(table)
    .map(({ name, pk }) => ({ name: String(name), key: Number(pk) }));
}

/** SQLite's own numbers: the lowest byte of its extended ones. */
const BUSY = 5;
const LOCKED = 6;
const READ_ONLY = 8;
const DISK = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const CONSTRAINT = 19;
const NO_DATABASE = 26;

const MEANINGS: Readonly<Record<number, readonly [ErrorCode, string, string]>> = {
  [BUSY]: ["busy", "is locked by another program", "Wait until its agent has finished, then try again."],
  [LOCKED]: ["busy", "is locked by another program", "Wait until its agent has finished, then try again."],
  [READ_ONLY]: ["not_writable", "is read-only", "Check who owns it and its permissions, then try again."],
  [DISK]: [
    "failed",
    "could not be read or written: the disk reported an error",
    "Check the disk, then try again.",
  ],
  [CORRUPT]: ["damaged", "is damaged", "Restore it from a backup, or let its agent repair it."],
  [FULL]: [
    "not_writable",
    "could not be written because the disk is full",
    "Free some space there, then try again.",
  ],
  [CANNOT_OPEN]: ["not_writable", "could not be opened", "Check who owns it and its folder, then try again."],
  [CONSTRAINT]: [
    "refused",
    "holds some of these rows already",
    "Run the command again: it takes new ids each time.",
  ],
  [NO_DATABASE]: ["damaged", "is not an SQLite database", "Name the session's own file."],
};

/** What SQLite's error means; errors of ours pass as they are. */
export function sqliteError(error: unknown, path: string): BatonError {
  if (error instanceof BatonError) return error;
  const [code, sentence, hint] = MEANINGS[numberOf(error)] ?? [
    "failed",
    `could not be used: ${error instanceof Error ? error.message : String(error)}`,
    "Look at the message, then try again.",
  ];
  return new BatonError(code, `${path} ${sentence}.`, hint, error);
}

/** Whether it could not be opened for writing, or not at all. */
export function isUnopenable(error: unknown): boolean {
  return [READ_ONLY, CANNOT_OPEN].includes(numberOf(error));
}

function numberOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
}

type Columns = Record<string, SQLOutputValue>;

/** Rows, with integers that no double holds as text: a column for integers makes them what they were. */
export function* wideRows(statement: StatementSync, ...values: SQLInputValue[]): Generator<Columns> {
  statement.setReadBigInts(true);
  let names: readonly string[] | undefined;
  for (const row of statement.iterate(...values)) {
    names ??= Object.keys(row);
    for (const name of names) {
      const value = row[name];
      if (typeof value === "bigint")
        row[name] = Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    }
    yield row;
  }
}

/** The same for a few rows at once, which is faster: most databases hold no such integers. */
export function fewRows(statement: StatementSync, ...values: SQLInputValue[]): Columns[] {
  try {
    statement.setReadBigInts(false);
    return statement.all(...values);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_OUT_OF_RANGE") throw error;
    return [...wideRows(statement, ...values)];
  }
}

export function wideRow(statement: StatementSync, ...values: SQLInputValue[]): Columns | undefined {
  return fewRows(statement, ...values)[0];
}
