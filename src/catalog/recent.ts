// Sessions by the beginning of a name, newest first: what a shell offers while a command is typed.
import type { Catalog } from "./catalog.ts";
import { IS_READ } from "./query.ts";

export interface Recent {
  id: string;
  agent: string;
  originalId: string;
  title: string;
  updated: number;
}

/**
 * `prefix`: of an id, or `agent:` and the beginning of the agent's own id. `gone`: those that are in no store any more
 * instead.
 */
export function recentSessions(
  catalog: Catalog,
  prefix: string,
  limit: number,
  { gone = false } = {},
): Recent[] {
  const colon = prefix.indexOf(":");
  const column = colon === -1 ? "id" : "original_id";
  const begins = prefix.slice(colon + 1);
  const agent = colon === -1 ? null : prefix.slice(0, colon);
  const found = catalog.shards.flatMap((shard) =>
    shard
      .prepare(
        `SELECT id, agent, original_id AS originalId, title, updated FROM session
         WHERE ${IS_READ} AND parent IS NULL AND (gone IS NOT NULL) = ? AND agent = coalesce(?, agent)
           AND substr(${column}, 1, ?) = ?
         ORDER BY updated DESC LIMIT ?`,
      )
      .all(Number(gone), agent, Array.from(begins).length, begins, limit),
  ) as unknown as Recent[];
  return found.toSorted((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1)).slice(0, limit);
}
