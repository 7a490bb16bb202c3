// What ranking has to know of sessions.
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../../storage/statement.ts";
import type { Kept as Found } from "../here.ts";
import { foldText } from "../index/words.ts";
import type { Kept } from "./kept.ts";

export interface SessionFacts extends Found {
  /** When it last changed, in milliseconds. */
  updated: number;
  /** As the index spells its words. */
  title: string;
  /** See schema.ts; NULL also when nothing is. */
  hidden: Uint8Array | null;
}

/** Those of the sessions that are still there, and maybe others. */
export function factsOf(
  shard: DatabaseSync,
  { sessions: facts }: Kept,
  keys: Iterable<number>,
): ReadonlyMap<number, SessionFacts> {
  const missing: number[] = [];
  for (const key of keys) if (!facts.has(key)) missing.push(key);
  if (missing.length === 0) return facts;
  const named = statement(shard, FACTS);
  named.setReturnArrays(true);
  for (const [key, updated, title, hidden, agent, path, gone] of named.all(
    JSON.stringify(missing),
  ) as unknown as Columns[])
    facts.set(key, { updated, title: foldText(title).toLowerCase(), hidden, agent, path, gone });
  return facts;
}

/** Of most sessions nothing is hidden, and an empty blob takes as long to hand over as all the rest. */
const FACTS = `SELECT s.key, s.updated, s.title, nullif(s.hidden, x''), s.agent, s.path, s.gone
  FROM json_each(?) AS wanted CROSS JOIN session s ON s.key = wanted.value`;

type Columns = [
  key: number,
  updated: number,
  title: string,
  hidden: Uint8Array | null,
  agent: string,
  path: string,
  gone: number | null,
];
