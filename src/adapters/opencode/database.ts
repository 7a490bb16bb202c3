// Reads the databases, today's and that of the Go version, as lines of rows: a session with what belongs to it,
// then its messages in the order in which the CLI reads them, each with its parts.
import { realpathSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { lineRecords, type ParsedLine, parsedLine } from "../../storage/rows.ts";
import {
  borrow,
  fewRows,
  giveBack,
  hasTable,
  readBriefly,
  sqliteError,
  wideRow,
  wideRows,
} from "../../storage/sqlite.ts";
import { statement } from "../../storage/statement.ts";
import type { PassOptions } from "../open.ts";
import { isoTime } from "./native.ts";

export type Generation = "rows" | "go";

export function generationOf(database: DatabaseSync): Generation | undefined {
  const found = generations.get(database) ?? lookedUp(database);
  if (found) generations.set(database, found);
  return found;
}

/** Whoever goes through a database asks for every session. */
const generations = new WeakMap<DatabaseSync, Generation>();

function lookedUp(database: DatabaseSync): Generation | undefined {
  if (hasTable(database, "session") && hasTable(database, "message") && hasTable(database, "part"))
    return "rows";
  return hasTable(database, "sessions") && hasTable(database, "messages") ? "go" : undefined;
}

export interface SessionRow {
  id: string;
  parent: string | undefined;
  /** When it last changed, in milliseconds; another one after each change. */
  updated: number;
  /** The bytes of its messages. */
  size: number;
  directory: string | undefined;
}

/** Does something with a database that is only read, and says what is wrong with it. */
export function reading<T>(path: string, use: (database: DatabaseSync) => T): T {
  try {
    return readBriefly(path, use);
  } catch (error) {
    throw sqliteError(error, path);
  }
}

const LIST = {
  rows: "SELECT id, parent_id AS parent, time_updated AS updated, directory, 0 AS events FROM session",
  events: `SELECT s.id, s.parent_id AS parent, s.time_updated AS updated, s.directory, e.seq AS events
    FROM session s LEFT JOIN event_sequence e ON e.aggregate_id = s.id`,
  go: "SELECT id, parent_session_id AS parent, updated_at AS updated, NULL AS directory, 0 AS events FROM sessions",
} as const;

/** `octet_length` needs not read what it measures. */
const SIZE = {
  rows: `SELECT
    (SELECT coalesce(sum(octet_length(data)), 0) FROM message WHERE session_id = s.id) +
    (SELECT coalesce(sum(octet_length(data)), 0) FROM part WHERE session_id = s.id) AS size FROM (SELECT ? AS id) s`,
  go: "SELECT coalesce(sum(octet_length(parts)), 0) AS size FROM messages WHERE session_id = ?",
} as const;

/** `known`: the sessions as they were once, whose sizes are not measured again while nothing was written to them. */
export function sessionRows(
  database: DatabaseSync,
  generation: Generation,
  known: ReadonlyMap<string, Pick<SessionRow, "updated" | "size">> = new Map(),
): SessionRow[] {
  const isCounted = generation === "rows" && hasTable(database, "event_sequence");
  const size = database.prepare(SIZE[generation]);
  const rows = wideRows(database.prepare(LIST[isCounted ? "events" : generation]));
  return Array.from(rows, ({ id, parent, updated, directory, events }) => {
    const row = {
      id: String(id),
      parent: typeof parent === "string" && parent !== "" ? parent : undefined,
      updated: inMilliseconds(Number(updated)) + (Number(events) % FRACTIONS || 0) / FRACTIONS,
      directory: typeof directory === "string" ? directory : undefined,
    };
    const before = isCounted ? known.get(row.id) : undefined;
    const isSame = before !== undefined && before.updated === row.updated;
    return { ...row, size: isSame ? before.size : Number(size.get(row.id)?.size ?? 0) };
  });
}

/**
 * The session's own time stands still while a turn is written. The count of its events does not; as the fraction of
 * a millisecond, of which a double holds this many, it makes a time of every change another one.
 */
const FRACTIONS = 4096;

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
  if (options.single) {
    const [record] = readBriefly(
      path,
      (database) => recordsIn(database, path, id, options).next().value ?? [],
    );
    if (record) yield [record];
    return;
  }
  const database = borrow(path);
  try {
    database.exec("BEGIN");
    yield* recordsIn(database, path, id, options);
  } catch (error) {
    throw sqliteError(error, path);
  } finally {
    giveBack(database);
  }
}

function recordsIn(database: DatabaseSync, path: string, id: string, options: PassOptions) {
  const lines = generationOf(database) === "go" ? goLines : rowLines;
  return lineRecords((first) => lines(database, id, first, path, options), options);
}

/** Of each table all columns, and those that are understood: the others only count where rows are kept. */
const COLUMNS = {
  all: { session: "*", message: "*", part: "*" },
  understood: { session: "*", message: "id, time_created, data", part: "id, data" },
} as const;

function* rowLines(
  database: DatabaseSync,
  id: string,
  first: number,
  path: string,
  { valuesOnly = false, single = false }: PassOptions,
): Generator<ParsedLine> {
  const columns = COLUMNS[valuesOnly ? "understood" : "all"];
  const isThere = `SELECT ${first === 0 ? columns.session : "id"} FROM session WHERE id = ?`;
  const session = wideRow(statement(database, isThere), id);
  if (!session) throw gone(id, path);
  if (first === 0) yield parsedLine("session", session, valuesOnly ? [] : todosOf(database, id));
  const parts = statement(database, `SELECT ${columns.part} FROM part WHERE message_id = ? ORDER BY id`);
  const message = statement(database, `SELECT ${columns.message} FROM message WHERE id = ?`);
  // Their order at once: older databases have no index for it, and would sort them again for each page.
  const order = statement(
    database,
    "SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id LIMIT ? OFFSET ?",
  );
  for (const { id: key = null } of fewRows(order, id, single ? 1 : -1, Math.max(0, first - 1))) {
    const row = wideRow(message, key);
    const inside = fewRows(parts, key).map((part) => parsedLine("part", part));
    if (row) yield parsedLine("message", row, inside);
  }
}

function todosOf(database: DatabaseSync, id: string): ParsedLine[] {
  if (!hasTable(database, "todo")) return [];
  const rows = statement(database, "SELECT * FROM todo WHERE session_id = ? ORDER BY position");
  return fewRows(rows, id).map((row) => parsedLine("todo", row));
}

/** The folder that the database lies in is the session's project; its rows do not say so. */
function* goLines(database: DatabaseSync, id: string, first: number, path: string): Generator<ParsedLine> {
  const session = wideRow(database.prepare("SELECT * FROM sessions WHERE id = ?"), id);
  if (!session) throw gone(id, path);
  const directory = /^(.*)[\\/]\.opencode[\\/][^\\/]+$/.exec(realpathSync(path))?.[1];
  // Nor which message their counts of tokens belong to.
  const reply = database.prepare(
    "SELECT id FROM messages WHERE session_id = ? AND role = 'assistant' ORDER BY created_at DESC, rowid DESC LIMIT 1",
  );
  const found = { ...(directory !== undefined && { directory }), last_reply: reply.get(id)?.id ?? null };
  if (first === 0) yield parsedLine("sessions", { ...session, ...found });
  const messages = database.prepare(
    "SELECT * FROM messages WHERE session_id = ? ORDER BY created_at, rowid LIMIT -1 OFFSET ?",
  );
  for (const { parts, ...message } of wideRows(messages, id, Math.max(0, first - 1)))
    yield parsedLine("messages", { ...message, data: `{"parts":${String(parts)}}` });
}

function gone(id: string, path: string): BatonError {
  return new BatonError("not_found", `${path} holds no session ${id} any more.`, "List the sessions again.");
}
