// The SQLite store of versions 0.2.x (spring 2025), `__store.db`: its rows are read as the records that later
// versions write as lines, so that one reader serves both.
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import type { Position } from "../../storage/position.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { Home, Looking, SessionRef } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import { isObject, type Json } from "./native.ts";
import { configDir, discoverFiles } from "./paths.ts";

const STORE = "__store.db";

export function isStore(path: string): boolean {
  return basename(path) === STORE;
}

/** Sessions of the old store that no file holds. */
export function* discoverStore(home: Home, looking?: Looking): Generator<SessionRef> {
  const file = fileRef(join(configDir(home), STORE), "main", looking);
  if (!file || file.size === 0) return;
  // Rows that are still in the log are sessions as well.
  fileRef(`${file.path}-wal`, "main", looking);
  const ref = (originalId: string): SessionRef => ({
    agent: "claude",
    originalId,
    path: file.path,
    files: [file],
    thread: originalId,
  });
  let ids: string[];
  try {
    ids = query(file.path, (database) =>
      database
        .prepare("SELECT DISTINCT session_id FROM base_messages ORDER BY session_id")
        .all()
        .map((row) => String(row.session_id)),
    );
  } catch {
    // Opening it will say what is wrong with the file, which may be over the next time.
    looking?.onUnsure?.();
    ids = [STORE];
  }
  const inFiles = new Set(Array.from(discoverFiles(home), ({ originalId }) => originalId));
  for (const id of ids) if (!inFiles.has(id)) yield ref(id);
}

export async function* readStore(
  ref: SessionRef,
  options: { from: Position; raw?: boolean },
): AsyncGenerator<NativeRecord[]> {
  let rows: Json[];
  try {
    rows = query(ref.path, (database) => rowsOf(database, ref.parent ?? ref.originalId));
  } catch (error) {
    throw new BatonError(
      "damaged",
      `${ref.path} is not a store that Baton can read.`,
      "It was written by Claude Code 0.2; a backup of it may be better.",
      error,
    );
  }
  const lines = rows.flatMap((row) => linesOf(row));
  const records = lines.map((value, index): NativeRecord => {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    const place = { index, line: index + 1, offset: index, length: bytes.length };
    return {
      ...place,
      value: options.raw ? undefined : value,
      whole: true,
      terminated: true,
      losses: [],
      bytes,
    };
  });
  yield records.slice(options.from.index);
}

/** The messages of a session as they were put in, which times do not tell, each with what the other tables say of it. Not every version has all tables. */
function rowsOf(database: DatabaseSync, session: string): Json[] {
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const tables = new Set(names.map(({ name }) => name));
  const lookUp = (table: string, key: string) =>
    tables.has(table) ? prepared(database, `SELECT * FROM ${table} WHERE ${key} = ?`) : undefined;
  const user = lookUp("user_messages", "uuid");
  const assistant = lookUp("assistant_messages", "uuid");
  const summary = lookUp("conversation_summaries", "leaf_uuid");
  const base = prepared(database, "SELECT * FROM base_messages WHERE session_id = ? ORDER BY rowid");
  return base(session).map((row) => {
    const uuid = String(row.uuid);
    const own = row.message_type === "assistant" ? assistant : user;
    return { ...own?.(uuid)[0], ...row, summary: summary?.(uuid)[0]?.summary };
  });
}

/** A query by one key. Integers beyond what a number holds would otherwise be an error. */
function prepared(database: DatabaseSync, sql: string): (key: string) => Json[] {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  return (key) =>
    statement
      .all(key)
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])));
}

/** A row as the lines that version 1.0 would have written. */
function linesOf(row: Json): Json[] {
  const lines: Json[] = [
    {
      type: row.message_type,
      uuid: row.uuid,
      parentUuid: row.parent_uuid,
      sessionId: row.session_id,
      isSidechain: row.isSidechain === 1,
      timestamp: timeOf(row.timestamp),
      cwd: row.cwd,
      version: row.version,
      ...(typeof row.cost_usd === "number" && { costUSD: row.cost_usd }),
      ...(row.is_api_error_message === 1 && { isApiErrorMessage: true }),
      ...(row.tool_use_result != null && { toolUseResult: parsed(row.tool_use_result) }),
      message: messageOf(row),
    },
  ];
  if (typeof row.summary === "string")
    lines.push({ type: "summary", summary: row.summary, leafUuid: row.uuid });
  return lines;
}

/** A message that is cut off stays the text it is, which the reader reports. */
function messageOf({ message: column, model }: Json): unknown {
  const message = parsed(column);
  if (isObject(message))
    return typeof model === "string" && message.model === undefined ? { ...message, model } : message;
  const isDamaged = message === column && typeof column === "string" && /^\s*[[{"]/.test(column);
  return isDamaged ? column : { content: message };
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Seconds in the earliest stores, milliseconds later. */
function timeOf(value: unknown): unknown {
  return typeof value === "number" && value < 1e11 ? value * 1000 : value;
}

function query<T>(path: string, ask: (database: DatabaseSync) => T): T {
  // Loaded only where such a store exists.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return ask(database);
  } finally {
    database.close();
  }
}
