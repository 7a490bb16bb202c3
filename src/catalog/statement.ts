// Statements of a shard that are asked again and again: preparing one takes as long as a small answer.
import type { DatabaseSync, StatementSync } from "node:sqlite";

const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();
/** Filters make statements of their own, and a server lives long. */
const MOST = 100;

export function statement(shard: DatabaseSync, sql: string): StatementSync {
  const own = prepared.get(shard) ?? new Map<string, StatementSync>();
  prepared.set(shard, own);
  const known = own.get(sql) ?? shard.prepare(sql);
  if (own.size >= MOST) own.clear();
  own.set(sql, known);
  return known;
}
