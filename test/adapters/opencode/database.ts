// Databases for tests: the tables as OpenCode 1.18.33 makes them, and rows from lines (src/storage/rows.ts).
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { columnsIn, flattened, type RowLine } from "../../../src/storage/rows.ts";

const SCHEMA = join(import.meta.dirname, "schema-1.18.33.sql");
const GO_SCHEMA = join(import.meta.dirname, "schema-go.sql");

export function newDatabase(path: string, lines: readonly RowLine[] = [], schema = SCHEMA): string {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  // Each statement would wait for the disk, and there is nothing yet that a crash could take.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; BEGIN");
  database.exec(readFileSync(schema, "utf8"));
  for (const line of lines) for (const one of flattened(line)) insert(database, one.table, columnsIn(one));
  database.exec("COMMIT");
  database.close();
  return path;
}

export function newGoDatabase(path: string, lines: readonly RowLine[]): string {
  return newDatabase(path, lines, GO_SCHEMA);
}

function insert(database: DatabaseSync, table: string, row: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(row);
  const marks = names.map(() => "?").join(", ");
  const values = names.map((name) => row[name] as string | number | null);
  database
    .prepare(`INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(", ")}) VALUES (${marks})`)
    .run(...values);
}

function linesOf(path: string): RowLine[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Fixtures hold a database as lines: `opencode.db.jsonl` becomes `opencode.db`. */
export function buildDatabases(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith(".db.jsonl")) continue;
    const path = join(entry.parentPath, entry.name);
    newDatabase(path.slice(0, -".jsonl".length), linesOf(path));
    rmSync(path);
  }
}

/** What a home has once OpenCode was started in it. */
export function emptyStore(home: string): string {
  const time = Date.now();
  const row = { id: "global", worktree: "/", time_created: time, time_updated: time, sandboxes: "[]" };
  return newDatabase(join(home, ".local", "share", "opencode", "opencode.db"), [{ table: "project", row }]);
}
