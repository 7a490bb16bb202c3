// Makes a small database from a large one: the same tables, and the rows that were asked for.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Row } from "./rows.ts";
import { hasTable, openToRead, sqliteError } from "./sqlite.ts";

export interface RowsWanted {
  /** Tables that are copied as they are, where they are there. */
  whole: readonly string[];
  rows: readonly {
    table: string;
    column: string;
    values: readonly string[];
    /** Columns that are something else in the copy. */
    set?: Row;
  }[];
}

/** The new database must not be there yet. */
export async function copyRows(from: string, to: string, wanted: RowsWanted): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const source = openToRead(from);
  const target = new DatabaseSync(to, { enableForeignKeyConstraints: false });
  try {
    target.exec("PRAGMA journal_mode = WAL");
    target.exec("BEGIN");
    const schema =
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
    for (const { sql } of source.prepare(schema).all()) target.exec(String(sql));
    for (const table of wanted.whole) if (hasTable(source, table)) copyAll(source, target, table);
    for (const { table, column, values, set } of wanted.rows) {
      if (!hasTable(source, table)) continue;
      const query = source.prepare(`SELECT * FROM "${table}" WHERE "${column}" = ?`);
      for (const value of values)
        for (const row of query.iterate(value)) insert(target, table, { ...row, ...set });
    }
    target.exec("COMMIT");
  } catch (error) {
    throw sqliteError(error, from);
  } finally {
    target.close();
    source.close();
  }
}

function copyAll(source: DatabaseSync, target: DatabaseSync, table: string): void {
  for (const row of source.prepare(`SELECT * FROM "${table}"`).iterate()) insert(target, table, row);
}

function insert(target: DatabaseSync, table: string, row: Row): void {
  const names = Object.keys(row);
  const columns = names.map((name) => `"${name}"`).join(", ");
  const marks = names.map(() => "?").join(", ");
  target
    .prepare(`INSERT OR IGNORE INTO "${table}" (${columns}) VALUES (${marks})`)
    .run(...names.map((name) => row[name] as string | number | null));
}
