// Statements of a database that are asked again and again: preparing one takes as long as a small answer.
import type { DatabaseSync, StatementSync } from "node:sqlite";

const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();
/** Filters make statements of their own, and a server lives long. */
const MOST = 100;

export function statement(database: DatabaseSync, sql: string): StatementSync {
  const own = prepared.get(database) ?? new Map<string, StatementSync>();
  prepared.set(database, own);
  const known = own.get(sql) ?? database.prepare(sql);
  if (own.size >= MOST) own.clear();
  own.set(sql, known);
  return known;
}
