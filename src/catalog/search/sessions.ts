// What ranking has to know of sessions. Common words are in the same ones again and again, so it is kept for the next
// search as long as nobody has written to the shard.
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../../storage/statement.ts";
import type { Kept } from "../here.ts";
import { foldText } from "../index/words.ts";

export interface SessionFacts extends Kept {
  /** When it last changed, in milliseconds. */
  updated: number;
  /** As the index spells its words. */
  title: string;
  /** See schema.ts; NULL also when nothing is. */
  hidden: Uint8Array | null;
}

/** Those of the sessions that are still there, and maybe others. */
export function factsOf(shard: DatabaseSync, keys: Iterable<number>): ReadonlyMap<number, SessionFacts> {
  const facts = factsKept(shard);
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

const kept = new WeakMap<DatabaseSync, { version: string; facts: Map<number, SessionFacts> }>();
const MOST_KEPT = 50_000;

function factsKept(shard: DatabaseSync): Map<number, SessionFacts> {
  const version = versionOf(shard);
  const own = kept.get(shard);
  if (own?.version === version && own.facts.size < MOST_KEPT) return own.facts;
  const facts = new Map<number, SessionFacts>();
  kept.set(shard, { version, facts });
  return facts;
}

/** Another one after every write, of other connections and of this one. */
function versionOf(shard: DatabaseSync): string {
  const { data_version: others } = statement(shard, "PRAGMA data_version").get() as { data_version: number };
  const { own } = statement(shard, "SELECT total_changes() AS own").get() as { own: number };
  return `${others} ${own}`;
}
