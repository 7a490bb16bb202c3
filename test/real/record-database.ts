// Makes a recorded SQLite store fit for the repository: one small file without what belongs to a machine or to a day.

import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** Tables that repeat what stands in the others. */
const REPEATS = ["event", "event_sequence"];
const MILLISECONDS = /(?<![\d.])1[789]\d{11}(?!\d)/g;
const START = Date.UTC(2026, 0, 2, 3, 4, 5);

export async function databaseBytes(path: string, paths: ReadonlyMap<string, string>): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "baton-database-"));
  try {
    const copy = join(folder, basename(path));
    for (const end of ["", "-wal"]) if (existsSync(path + end)) await copyFile(path + end, copy + end);
    clean(copy, paths);
    return await readFile(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function clean(path: string, paths: ReadonlyMap<string, string>): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  // A file without a log beside it can be read where nothing may be written.
  database.exec("PRAGMA journal_mode = DELETE");
  const tables = names(database, "SELECT name FROM sqlite_master WHERE type = 'table'");
  for (const table of tables.filter((one) => REPEATS.includes(one))) database.exec(`DELETE FROM "${table}"`);
  const shift = START - earliest(database, tables);
  for (const table of tables) {
    for (const column of names(database, `SELECT name FROM pragma_table_info('${table}')`))
      scrubColumn(database, table, column, (value) => scrubbed(value, paths, shift));
  }
  database.exec("VACUUM");
  database.close();
}

function names(database: DatabaseSync, query: string): string[] {
  return database
    .prepare(query)
    .all()
    .map(({ name }) => String(name));
}

function earliest(database: DatabaseSync, tables: readonly string[]): number {
  const times = tables.flatMap((table) =>
    database
      .prepare(`SELECT * FROM "${table}"`)
      .all()
      .flatMap((row) => JSON.stringify(row).match(MILLISECONDS) ?? []),
  );
  return Math.min(...times.map(Number));
}

function scrubColumn(
  database: DatabaseSync,
  table: string,
  column: string,
  change: (value: unknown) => SQLInputValue | undefined,
): void {
  const rows = database.prepare(`SELECT rowid AS row, "${column}" AS value FROM "${table}"`).all();
  const update = database.prepare(`UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`);
  for (const { row, value } of rows) {
    const changed = change(value);
    if (changed !== undefined && changed !== value) update.run(changed, Number(row));
  }
}

function scrubbed(
  value: unknown,
  paths: ReadonlyMap<string, string>,
  shift: number,
): SQLInputValue | undefined {
  if (typeof value === "number") return Number(shifted(String(value), shift));
  if (typeof value !== "string") return undefined;
  let text = value;
  for (const [from, to] of paths) text = text.replaceAll(from, to);
  return shifted(text, shift);
}

/** All times by as much, so that they stay in order. */
function shifted(text: string, shift: number): string {
  return text.replace(MILLISECONDS, (time) => String(Number(time) + shift));
}
