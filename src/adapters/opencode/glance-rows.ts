// The rows of a session for a glance: all at once, and no more columns than the fold understands.
import type { DatabaseSync } from "node:sqlite";
import { jsonIn } from "../../session/json.ts";
import { parsedLine, type RowLine } from "../../storage/rows.ts";
import { borrow, giveBack, sqliteError, wideRow } from "../../storage/sqlite.ts";
import { statement } from "../../storage/statement.ts";
import type { Take } from "../glance.ts";
import { generationOf } from "./database.ts";

/** As `Reading.glance` hands them out. False also where a row holds what only a reader of rows can tell. */
export function glanceRows(path: string, id: string, take: Take): boolean {
  const database = borrow(path);
  try {
    if (generationOf(database) !== "rows") return false;
    database.exec("BEGIN");
    return handOut(database, id, take);
  } catch (error) {
    // An integer that no double holds.
    if ((error as NodeJS.ErrnoException).code === "ERR_OUT_OF_RANGE") return false;
    throw sqliteError(error, path);
  } finally {
    giveBack(database);
  }
}

function handOut(database: DatabaseSync, id: string, take: Take): boolean {
  const session = wideRow(statement(database, "SELECT * FROM session WHERE id = ?"), id);
  const parts = partsIn(database, id);
  if (!session || !parts || !take(parsedLine("session", session).value, 0, 0, 0)) return false;
  let index = 1;
  for (const [key, created, data] of listed(database, MESSAGES, id)) {
    const line = lineOf("message", key, data, { time_created: created });
    const rows = typeof key === "string" ? parts.get(key) : undefined;
    if (!line || !take(rows ? { ...line, rows } : line, index++, 0, 0)) return false;
  }
  return true;
}

const MESSAGES = "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id";
/** By their message: that is what the CLI goes by, whatever session a part names. */
const PARTS = `SELECT p.message_id, p.id, p.data FROM message m JOIN part p ON p.message_id = m.id
  WHERE m.session_id = ?`;

/** By their message, in their order; undefined when one of them is damaged. */
function partsIn(database: DatabaseSync, id: string): Map<string, RowLine[]> | undefined {
  const found = new Map<string, RowLine[]>();
  for (const [message, key, data] of listed(database, PARTS, id)) {
    const line = lineOf("part", key, data, {});
    if (!line) return undefined;
    const own = found.get(String(message));
    if (own) own.push(line);
    else found.set(String(message), [line]);
  }
  for (const own of found.values()) own.sort((a, b) => (String(a.row.id) < String(b.row.id) ? -1 : 1));
  return found;
}

/** Without names, which is faster. */
function listed(database: DatabaseSync, sql: string, id: string): unknown[][] {
  const rows = statement(database, sql);
  rows.setReturnArrays(true);
  return rows.all(id) as unknown as unknown[][];
}

function lineOf(table: string, id: unknown, data: unknown, columns: object): RowLine | undefined {
  if (typeof id !== "string" || typeof data !== "string" || !data.startsWith("{")) return undefined;
  const value = jsonIn(data);
  return value === undefined ? undefined : { table, row: { id, ...columns }, data: value };
}
