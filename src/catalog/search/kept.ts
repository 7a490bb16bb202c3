// What of a shard is kept for the next search, as long as nobody has written to it: common words are in the same texts
// and sessions again and again, and who types searches again at once.
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../../storage/statement.ts";
import type { SessionFacts } from "./sessions.ts";
import type { TextPlace } from "./texts.ts";

export interface Kept {
  /** By the keys of sessions. */
  sessions: Map<number, SessionFacts>;
  /** By the rows of `entry`. */
  texts: Map<number, TextPlace>;
}

const MOST_SESSIONS = 50_000;
const MOST_TEXTS = 100_000;

const kept = new WeakMap<DatabaseSync, Kept & { version: string }>();

/** Within a transaction, so that what is read next is of the same version. */
export function keptOf(shard: DatabaseSync): Kept {
  const version = versionOf(shard);
  const own = kept.get(shard);
  const isRoom = own && own.sessions.size < MOST_SESSIONS && own.texts.size < MOST_TEXTS;
  if (isRoom && own.version === version) return own;
  const anew = { version, sessions: new Map(), texts: new Map() };
  kept.set(shard, anew);
  return anew;
}

/** Another one after every write, of other connections and of this one. */
function versionOf(shard: DatabaseSync): string {
  const { data_version: others } = statement(shard, "PRAGMA data_version").get() as { data_version: number };
  const { own } = statement(shard, "SELECT total_changes() AS own").get() as { own: number };
  return `${others} ${own}`;
}
