// A small database of somebody else's, and the rows that the tests put into it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Change } from "../../src/storage/changes.ts";

export const ID = "new";

export interface RowsStore {
  database: string;
  batonHome: string;
}

export function rowsIn(folder: string): RowsStore {
  return { database: join(folder, "store", "agent.db"), batonHome: join(folder, "baton") };
}

export function newRowsStore(folder: string): RowsStore {
  const store = rowsIn(folder);
  mkdirSync(join(folder, "store"));
  const database = new DatabaseSync(store.database);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("CREATE TABLE session (id TEXT PRIMARY KEY, updated INTEGER)");
  database.exec("CREATE TABLE message (id TEXT PRIMARY KEY, session TEXT REFERENCES session(id), data TEXT)");
  database.exec("INSERT INTO session VALUES ('old', 1)");
  database.exec(`INSERT INTO message VALUES ('m0', 'old', '{"text":"there before"}')`);
  database.close();
  return store;
}

/** A new session and its subagent; `old` is changed as well. */
export async function* rows({ database }: RowsStore): AsyncGenerator<Change> {
  const change = { type: "rows", database } as const;
  const guards = (value: string) => [{ table: "message", column: "session", value, count: 0 }];
  const main = { ...change, path: database, guards: guards(ID) };
  const child = { ...change, path: `${database}#child`, guards: guards("child") };
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  yield { ...main, bytes: line({ table: "session", row: { id: ID, updated: 2 } }) };
  yield {
    ...main,
    bytes: line({ table: "session", row: { id: "old" }, set: { updated: 5 }, was: { updated: 1 } }),
  };
  yield { ...child, bytes: line({ table: "session", row: { id: "child", updated: 2 } }) };
  const text = { table: "message", row: { id: "m1", session: ID }, data: { text: "Grüße 🌍" } };
  yield { ...main, bytes: line({ ...text, rows: [{ ...text, row: { id: "m2", session: ID } }] }) };
  yield { ...child, bytes: line({ ...text, row: { id: "m3", session: "child" } }) };
}

export const rowFacts = (database: string) => ({
  kind: "test",
  agent: "test",
  originalId: ID,
  path: database,
});

/** Everything that is in the database. */
export function content(database: string): Record<string, unknown[]> {
  const opened = new DatabaseSync(database, { readOnly: true });
  try {
    const all = (table: string) =>
      opened
        .prepare(`SELECT * FROM ${table} ORDER BY id`)
        .all()
        .map((row) => ({ ...row }));
    return { session: all("session"), message: all("message") };
  } finally {
    opened.close();
  }
}

export function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
