// What each session cost, kept beside the sessions until something is written there: summing up every message takes
// longer than a list may. A note in each shard says of which prices and stores the costs are; writers drop it.
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Catalog } from "../catalog.ts";
import { COSTS } from "../schema.ts";
import type { SessionCost, SessionCosts } from "./session-costs.ts";

/** `about`: whatever else they depend on. */
export async function keptCosts(
  { shards }: Catalog,
  about: unknown,
  sumUp: () => Promise<SessionCosts>,
): Promise<SessionCosts> {
  const print = createHash("sha1").update(JSON.stringify(about)).digest("base64url");
  if (shards.every((shard) => shard.prepare(NOTE).get(COSTS)?.stamp === print)) return shards.map(costsIn);
  const versions = shards.map(versionOf);
  const costs = await sumUp();
  for (const [number, shard] of shards.entries())
    ifWritable(shard, () => {
      // What has been written since is not in them.
      if (versionOf(shard) === versions[number]) keep(shard, costs[number] ?? new Map(), print);
    });
  return costs;
}

const NOTE = "SELECT stamp FROM store WHERE path = ?";

function costsIn(shard: DatabaseSync): ReadonlyMap<number, SessionCost> {
  const rows = shard.prepare("SELECT session, dollars, kind, unpriced FROM cost").all();
  return new Map(rows.map(({ session, ...cost }) => [Number(session), cost as unknown as SessionCost]));
}

/** Another number after every change that another connection has made. */
function versionOf(shard: DatabaseSync): number {
  return Number(shard.prepare("PRAGMA data_version").get()?.data_version);
}

function keep(shard: DatabaseSync, costs: ReadonlyMap<number, SessionCost>, print: string): void {
  shard.exec("DELETE FROM cost");
  const insert = shard.prepare("INSERT INTO cost (session, dollars, kind, unpriced) VALUES (?, ?, ?, ?)");
  for (const [session, { dollars, kind, unpriced }] of costs) insert.run(session, dollars, kind, unpriced);
  shard.prepare("INSERT OR REPLACE INTO store (path, stamp) VALUES (?, ?)").run(COSTS, print);
}

/**
 * Nobody waits for it: whoever is writing would make it out of date. Nor does anybody go without an answer because
 * it cannot be kept.
 */
function ifWritable(shard: DatabaseSync, work: () => void): void {
  const { timeout } = shard.prepare("PRAGMA busy_timeout").get() as { timeout: number };
  shard.exec("PRAGMA busy_timeout = 0");
  try {
    shard.exec("BEGIN IMMEDIATE");
    work();
    shard.exec("COMMIT");
  } catch (error) {
    if (shard.isTransaction) shard.exec("ROLLBACK");
    if (!UNWRITABLE.has(Number((error as { errcode?: number }).errcode) & 0xff)) throw error;
  } finally {
    shard.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
}

/** SQLite: busy, locked, read-only, a failing disk, a full one, a file that cannot be opened. */
const UNWRITABLE: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);
