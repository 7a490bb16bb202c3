// Puts rows into another program's database in one transaction, and takes them out again while they are exactly as
// they were put in. Nothing here knows what the rows mean.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { BatonError } from "../session/error.ts";
import type { Guard, RowsChange } from "./changes.ts";
import { unlinkIfAny, writeAtomically } from "./disk.ts";
import type { RowsFile } from "./journal.ts";
import { readRecords } from "./records.ts";
import { columnsIn, flattened, type Row, type RowLine, storedLine } from "./rows.ts";
import { columnsOf, hasTable, openToRead, openToWrite, sqliteError, wideRow } from "./sqlite.ts";

/** Whoever inserts by the vendor's own means; not part of the journal. */
const importers = new WeakMap<RowsFile, NonNullable<RowsChange["insert"]>>();

export function importWith(file: RowsFile, insert: RowsChange["insert"]): void {
  if (insert) importers.set(file, insert);
}

/** The shape of tables: their columns in order, and what else happens when they are written to. */
export function schemaOf(database: DatabaseSync, tables: readonly string[]): string {
  const hash = createHash("sha256");
  const info = database.prepare(
    'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid',
  );
  const triggers = database.prepare(
    "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? ORDER BY name",
  );
  for (const table of tables) hash.update(JSON.stringify([table, info.all(table), triggers.all(table)]));
  return hash.digest("hex");
}

/** Notes how many rows each guard will find, before there is anything to find. */
export async function expectRows(files: readonly RowsFile[]): Promise<void> {
  for (const file of files) {
    const counts = file.guards.map(({ count }) => count);
    for await (const line of linesIn(file.staged))
      for (const one of flattened(line))
        for (const [at, { table, column, value }] of file.guards.entries())
          if (!one.set && one.table === table && one.row[column] === value) counts[at]!++;
    file.counts = counts;
  }
}

/** All rows of these files, or none. */
export async function insertRows(files: readonly RowsFile[]): Promise<void> {
  for (const group of Map.groupBy(files, ({ database }) => database).values()) {
    const imported = group.filter((file) => importers.has(file));
    // The main session comes last, as everywhere: until then nobody sees one that is not complete.
    for (const file of imported.toReversed()) await insertByImport(file);
    const direct = group.filter((file) => !importers.has(file));
    if (direct.length > 0)
      await inTransaction(direct[0]!.database, (database) => insertAll(database, direct));
  }
}

async function insertAll(database: DatabaseSync, files: readonly RowsFile[]): Promise<void> {
  for (const file of files) {
    checkSchema(database, file);
    for (const guard of file.guards) checkCount(database, guard, file.database);
  }
  for (const file of files) for await (const line of linesIn(file.staged)) put(database, line, file.database);
  for (const file of files) if (!isCounted(database, file)) throw movedOn(file.database);
}

function isCounted(database: DatabaseSync, { guards, counts }: RowsFile): boolean {
  return guards.every((guard, at) => countOf(database, guard) === counts?.[at]);
}

async function inTransaction(path: string, work: (database: DatabaseSync) => Promise<void>): Promise<void> {
  const database = openToWrite(path);
  try {
    database.exec("BEGIN IMMEDIATE");
    await work(database);
    database.exec("COMMIT");
  } catch (error) {
    throw sqliteError(error, path);
  } finally {
    // An open transaction is rolled back.
    database.close();
  }
}

function checkSchema(database: DatabaseSync, { schema, database: path }: RowsFile): void {
  if (schema && schemaOf(database, schema.tables) !== schema.hash) throw movedOn(path);
}

function checkCount(database: DatabaseSync, guard: Guard, path: string): void {
  if (countOf(database, guard) !== guard.count) throw movedOn(path);
}

function countOf(database: DatabaseSync, { table, column, value }: Guard): number {
  if (!hasTable(database, table)) return 0;
  const found = database
    .prepare(`SELECT count(*) AS n FROM ${quoted(table)} WHERE ${quoted(column)} = ?`)
    .get(value);
  return Number(found?.n ?? 0);
}

function put(database: DatabaseSync, line: RowLine, path: string): void {
  for (const one of flattened(line)) {
    if (one.set) change(database, one, one.was ?? {}, one.set, path);
    else {
      const row = columnsIn(one);
      const names = Object.keys(row);
      const verb = one.ensure ? "INSERT OR IGNORE" : "INSERT";
      const marks = names.map(() => "?").join(", ");
      const columns = names.map(quoted).join(", ");
      database
        .prepare(`${verb} INTO ${quoted(one.table)} (${columns}) VALUES (${marks})`)
        .run(...names.map((name) => valueFor(row[name])));
    }
  }
}

/** Changes a row that is there, if it still says what it should. */
function change(database: DatabaseSync, { table, row }: RowLine, from: Row, to: Row, path: string): void {
  const found = rowIn(database, table, row);
  if (!found || !isSame(found, from)) throw movedOn(path);
  const names = Object.keys(to);
  const key = keyOf(database, table);
  const sets = names.map((name) => `${quoted(name)} = ?`).join(", ");
  const where = key.map((name) => `${quoted(name)} = ?`).join(" AND ");
  database
    .prepare(`UPDATE ${quoted(table)} SET ${sets} WHERE ${where}`)
    .run(...names.map((name) => valueFor(to[name])), ...key.map((name) => valueFor(row[name])));
}

function rowIn(database: DatabaseSync, table: string, row: Row): Row | undefined {
  if (!hasTable(database, table)) return undefined;
  const key = keyOf(database, table);
  const where = key.map((name) => `${quoted(name)} = ?`).join(" AND ");
  const found = database.prepare(`SELECT * FROM ${quoted(table)} WHERE ${where}`);
  return wideRow(found, ...key.map((name) => valueFor(row[name])));
}

function keyOf(database: DatabaseSync, table: string): string[] {
  const key = columnsOf(database, table).filter(({ key: position }) => position > 0);
  return key.sort((a, b) => a.key - b.key).map(({ name }) => name);
}

function isSame(found: Row, wanted: Row): boolean {
  return Object.entries(wanted).every(([name, value]) => valueFor(found[name]) === valueFor(value));
}

function valueFor(value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "object" ? JSON.stringify(value) : (value as SQLInputValue);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

async function* linesIn(path: string): AsyncGenerator<RowLine> {
  for await (const batch of readRecords(path, { raw: true }))
    for (const { bytes } of batch) yield storedLine(bytes.toString("utf8"));
}

/** The vendor fills in columns of its own, so what is there afterwards is what was written. */
async function insertByImport(file: RowsFile): Promise<void> {
  const temporary = `${file.staged}.tmp`;
  try {
    await importers.get(file)?.(file.staged, temporary);
  } finally {
    await unlinkIfAny(temporary);
  }
  const database = openToRead(file.database);
  try {
    const kept: string[] = [];
    for await (const line of linesIn(file.staged))
      for (const one of flattened(line)) {
        if (one.ensure || one.set) continue;
        const { data, ...row } = rowIn(database, one.table, one.row) ?? missing(file.database);
        kept.push(
          JSON.stringify({ table: one.table, row, ...(data !== undefined && { data: String(data) }) }),
        );
      }
    await writeAtomically(file.staged, `${kept.join("\n")}\n`);
  } finally {
    database.close();
  }
}

/** gone: none of the rows is there; changed: one is not as it was, or there are more. */
export type RowsStatus = "untouched" | "changed" | "gone";

export async function statusOfRows(file: RowsFile): Promise<RowsStatus> {
  if (!existsSync(file.database) || !existsSync(file.staged)) return "gone";
  const database = openToRead(file.database);
  try {
    return await statusIn(database, file);
  } catch (error) {
    throw sqliteError(error, file.database);
  } finally {
    database.close();
  }
}

async function statusIn(database: DatabaseSync, file: RowsFile): Promise<RowsStatus> {
  let there = 0;
  let same = 0;
  let all = 0;
  for await (const line of linesIn(file.staged))
    for (const one of flattened(line)) {
      if (one.ensure) continue;
      const found = rowIn(database, one.table, one.row);
      all++;
      if (one.set) {
        // A row that was there before counts only where it is as it was left.
        if (found && isSame(found, one.set)) same++;
        continue;
      }
      if (found) there++;
      if (found && isSame(found, columnsIn(one))) same++;
    }
  if (there === 0) return "gone";
  return same === all && isCounted(database, file) ? "untouched" : "changed";
}

/** Takes out rows that are untouched, the last one first, and puts back what was changed. */
export async function removeRows(file: RowsFile): Promise<void> {
  await inTransaction(file.database, async (database) => {
    if ((await statusIn(database, file)) !== "untouched") throw movedOn(file.database);
    const lines: RowLine[] = [];
    for await (const line of linesIn(file.staged))
      for (const one of flattened(line)) if (!one.ensure) lines.push(keyed(database, one));
    for (const one of lines.reverse()) takeOut(database, one, file.database);
  });
}

/**
 * Takes out what an import that was cut off has left of a new session, in the vendor's own words. False where there
 * is more than was to be imported: somebody has gone on with it.
 */
export async function removeImported(file: RowsFile): Promise<boolean> {
  let isOurs = false;
  await inTransaction(file.database, async (database) => {
    const lines: RowLine[] = [];
    const own = file.guards.map(() => 0);
    for await (const line of linesIn(file.staged))
      for (const one of flattened(line)) {
        if (one.ensure || one.set || !rowIn(database, one.table, one.row)) continue;
        lines.push(keyed(database, one));
        for (const [at, { table, column, value }] of file.guards.entries())
          if (one.table === table && one.row[column] === value) own[at]!++;
      }
    isOurs = file.guards.every((guard, at) => guard.count === 0 && countOf(database, guard) === own[at]);
    if (isOurs) for (const one of lines.reverse()) takeOut(database, one, file.database);
  });
  return isOurs;
}

/** Without its content, of which there may be much. */
function keyed(database: DatabaseSync, { table, row, set, was }: RowLine): RowLine {
  const key = Object.fromEntries(keyOf(database, table).map((name) => [name, row[name]]));
  return { table, row: key, ...(set && { set }), ...(was && { was }) };
}

function takeOut(database: DatabaseSync, line: RowLine, path: string): void {
  if (line.set) {
    change(database, line, line.set, line.was ?? {}, path);
    return;
  }
  const names = Object.keys(line.row);
  const where = names.map((name) => `${quoted(name)} = ?`).join(" AND ");
  database
    .prepare(`DELETE FROM ${quoted(line.table)} WHERE ${where}`)
    .run(...names.map((name) => valueFor(line.row[name])));
}

function movedOn(path: string): BatonError {
  return new BatonError(
    "busy",
    `${path} was changed by another program in the meantime.`,
    "Its agent seems to be running. End it and try again, or use `baton fork` to go on in a new session.",
  );
}

function missing(path: string): never {
  throw new BatonError(
    "failed",
    `The agent's own import reported success, but ${path} does not hold the session.`,
    "Start the agent once, then try again.",
  );
}
