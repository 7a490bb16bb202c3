// Reads the databases, today's and that of the Go version, as lines of rows: a session with what belongs to it,
// then its messages in the order in which the CLI reads them, each with its parts.
import { realpathSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { lineRecords, rowLine } from "../../storage/rows.ts";
import { hasTable, openToRead, sqliteError, wideRow, wideRows } from "../../storage/sqlite.ts";
import type { PassOptions } from "../open.ts";
import { isoTime } from "./native.ts";

export type Generation = "rows" | "go";

export function generationOf(database: DatabaseSync): Generation | undefined {
  if (hasTable(database, "session") && hasTable(database, "message") && hasTable(database, "part"))
    return "rows";
  return hasTable(database, "sessions") && hasTable(database, "messages") ? "go" : undefined;
}

export interface SessionRow {
  id: string;
  parent: string | undefined;
  /** When it last changed, in milliseconds. */
  updated: number;
  /** The bytes of its messages. */
  size: number;
  directory: string | undefined;
}

/** Does something with a database that is only read, and says what is wrong with it. */
export function reading<T>(path: string, use: (database: DatabaseSync) => T): T {
  const database = openToRead(path);
  try {
    return use(database);
  } catch (error) {
    throw sqliteError(error, path);
  } finally {
    database.close();
  }
}

/** `octet_length` needs not read what it measures. */
const LIST = {
  rows: `SELECT s.id, s.parent_id AS parent, s.time_updated AS updated, s.directory,
    (SELECT coalesce(sum(octet_length(m.data)), 0) FROM message m WHERE m.session_id = s.id) +
    (SELECT coalesce(sum(octet_length(p.data)), 0) FROM part p WHERE p.session_id = s.id) AS size
    FROM session s`,
  go: `SELECT s.id, s.parent_session_id AS parent, s.updated_at AS updated, NULL AS directory,
    (SELECT coalesce(sum(octet_length(m.parts)), 0) FROM messages m WHERE m.session_id = s.id) AS size
    FROM sessions s`,
} as const;

export function sessionRows(database: DatabaseSync, generation: Generation): SessionRow[] {
  return Array.from(
    wideRows(database.prepare(LIST[generation])),
    ({ id, parent, updated, size, directory }) => ({
      id: String(id),
      parent: typeof parent === "string" && parent !== "" ? parent : undefined,
      updated: inMilliseconds(Number(updated)),
      size: Number(size),
      directory: typeof directory === "string" ? directory : undefined,
    }),
  );
}

/** Damage is taken for long ago. */
function inMilliseconds(time: number): number {
  const milliseconds = time < 1e11 ? time * 1000 : time;
  return isoTime(milliseconds) === undefined ? 0 : milliseconds;
}

/** What changes when somebody writes to this session, and only then. */
export function identityOf(path: string, id: string): string {
  return reading(path, (database) => {
    const isRows = generationOf(database) === "rows";
    const [message, part] = isRows ? ["message", "part"] : ["messages", undefined];
    const stamp = isRows ? "time_updated" : "updated_at";
    const facts = [message, part].flatMap((table) =>
      table === undefined
        ? []
        : [
            database
              .prepare(`SELECT count(*) n, CAST(max(${stamp}) AS TEXT) t FROM ${table} WHERE session_id = ?`)
              .get(id),
          ],
    );
    return JSON.stringify(facts);
  });
}

/** One pass in one transaction: others may write meanwhile, and are not seen. */
export async function* readDatabase(
  path: string,
  id: string,
  options: PassOptions,
): AsyncGenerator<NativeRecord[]> {
  const database = openToRead(path);
  try {
    database.exec("BEGIN");
    const lines = generationOf(database) === "go" ? goLines : rowLines;
    yield* lineRecords((first) => lines(database, id, first, path), options);
  } catch (error) {
    throw sqliteError(error, path);
  } finally {
    database.close();
  }
}

function* rowLines(database: DatabaseSync, id: string, first: number, path: string): Generator<string> {
  const session = wideRow(database.prepare("SELECT * FROM session WHERE id = ?"), id);
  if (!session) throw gone(id, path);
  if (first === 0) yield rowLine("session", session, todosOf(database, id));
  const parts = database.prepare("SELECT * FROM part WHERE message_id = ? ORDER BY id");
  const messages = database.prepare(
    "SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id LIMIT -1 OFFSET ?",
  );
  for (const message of wideRows(messages, id, Math.max(0, first - 1))) {
    const inside = Array.from(wideRows(parts, String(message.id)), (part) => rowLine("part", part));
    yield rowLine("message", message, inside);
  }
}

function todosOf(database: DatabaseSync, id: string): string[] {
  if (!hasTable(database, "todo")) return [];
  const rows = database.prepare("SELECT * FROM todo WHERE session_id = ? ORDER BY position");
  return Array.from(wideRows(rows, id), (row) => rowLine("todo", row));
}

/** The folder that the database lies in is the session's project; its rows do not say so. */
function* goLines(database: DatabaseSync, id: string, first: number, path: string): Generator<string> {
  const session = wideRow(database.prepare("SELECT * FROM sessions WHERE id = ?"), id);
  if (!session) throw gone(id, path);
  const directory = /^(.*)[\\/]\.opencode[\\/][^\\/]+$/.exec(realpathSync(path))?.[1];
  // Nor which message their counts of tokens belong to.
  const reply = database.prepare(
    "SELECT id FROM messages WHERE session_id = ? AND role = 'assistant' ORDER BY created_at DESC, rowid DESC LIMIT 1",
  );
  const found = { ...(directory !== undefined && { directory }), last_reply: reply.get(id)?.id ?? null };
  if (first === 0) yield rowLine("sessions", { ...session, ...found });
  const messages = database.prepare(
    "SELECT * FROM messages WHERE session_id = ? ORDER BY created_at, rowid LIMIT -1 OFFSET ?",
  );
  for (const { parts, ...message } of wideRows(messages, id, Math.max(0, first - 1)))
    yield rowLine("messages", { ...message, data: `{"parts":${String(parts)}}` });
}

function gone(id: string, path: string): BatonError {
  return new BatonError("not_found", `${path} holds no session ${id} any more.`, "List the sessions again.");
}
