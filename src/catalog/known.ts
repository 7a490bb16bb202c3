// What the catalog knows of the sessions before anything of them is read, so that only what has changed is.
import type { FileRef, Looking, Place, SessionRef } from "../adapters/adapter.ts";
import type { Catalog } from "./catalog.ts";
import type { Found } from "./scan.ts";

type Columns = [
  path: string,
  stamp: string,
  originalId: string,
  agent: string,
  thread: string | null,
  parent: string | null,
  key: number,
  searchable: number,
  gone: number | null,
];

/** A row, taken apart only where it is asked: of nearly all of them no more than path and stamp is looked at. */
export class Row {
  readonly shard: number;
  /** Found in a store this time. */
  isThere = false;
  private readonly columns: Columns;

  constructor(shard: number, columns: Columns) {
    this.shard = shard;
    this.columns = columns;
  }

  get path(): string {
    return this.columns[0];
  }

  get stamp(): string {
    return this.columns[1];
  }

  get originalId(): string {
    return this.columns[2];
  }

  get agent(): string {
    return this.columns[3];
  }

  get thread(): string | undefined {
    return this.columns[4] ?? undefined;
  }

  get parent(): string | undefined {
    return this.columns[5] ?? undefined;
  }

  get key(): number {
    return this.columns[6];
  }

  get isSearchable(): boolean {
    return this.columns[7] === 1;
  }

  get isGone(): boolean {
    return this.columns[8] !== null;
  }
}

/** The rows of the catalog, by where their sessions are: most paths are one session's, a database's are many. */
export interface Rows {
  all: readonly Row[];
  of(ref: Identity): Row | undefined;
  /** The only row of a path. */
  at(path: string): Row | undefined;
}

/** Those of these agents. */
export function rowsIn(catalog: Catalog, agents: readonly string[]): Rows {
  const all: Row[] = [];
  const byPath = new Map<string, Row | Map<string, Row>>();
  for (const [shard, database] of catalog.shards.entries()) {
    const query = database.prepare(
      "SELECT path, stamp, original_id, agent, nullif(thread, ''), parent, key, searchable, gone FROM session WHERE agent IN (SELECT value FROM json_each(?))",
    );
    query.setReturnArrays(true);
    for (const columns of query.all(JSON.stringify(agents)) as unknown as Columns[]) {
      const [path] = columns;
      const row = new Row(shard, columns);
      all.push(row);
      const known = byPath.get(path);
      if (!known) byPath.set(path, row);
      else if (known instanceof Map) known.set(keyOf(row), row);
      else byPath.set(path, new Map([known, row].map((one) => [keyOf(one), one])));
    }
  }
  return {
    all,
    of(ref) {
      const found = byPath.get(ref.path);
      if (!found || found instanceof Map) return found?.get(keyOf(ref));
      return isSame(found, ref) ? found : undefined;
    },
    at(path) {
      const found = byPath.get(path);
      return found instanceof Map ? undefined : found;
    },
  };
}

function isSame(row: Row, { agent, originalId, thread }: Identity): boolean {
  return row.originalId === originalId && row.agent === agent && row.thread === thread;
}

type Identity = { agent: string; path: string; originalId: string; thread?: string | undefined };

function keyOf({ agent, originalId, thread }: Identity): string {
  return `${agent}\0${originalId}\0${thread ?? ""}`;
}

/** For those who look for sessions: what need not be looked into again. */
export function knowing(catalog: Catalog, rows: Rows): Looking {
  return {
    known(file: FileRef) {
      const row = rows.at(file.path);
      if (!row || row.stamp === "" || row.isGone) return undefined;
      const { originalId, parent, thread, stamp } = row;
      const size = Number(stamp.slice(0, stamp.indexOf(" ")));
      // The stamp begins with the size of the main file, its time and its inode.
      const main = stamp.includes(";") ? stamp.slice(0, stamp.indexOf(";")) : stamp;
      if (!main.endsWith(` ${file.inode}`)) return undefined;
      return { originalId, size, parent, thread };
    },
    database(path) {
      const stamp = storeStamp(catalog, path);
      return stamp === undefined ? undefined : { stamp, sessions: () => refsIn(catalog, path) };
    },
  };
}

export function* refsIn(catalog: Catalog, path: string): Generator<SessionRef> {
  for (const shard of catalog.shards) {
    const found = shard.prepare(
      "SELECT agent, original_id, thread, parent, files FROM session WHERE path = ? AND gone IS NULL",
    );
    for (const { agent, original_id: originalId, thread, parent, files } of found.all(path))
      yield {
        agent: String(agent),
        originalId: String(originalId),
        path,
        files: JSON.parse(String(files)) as FileRef[],
        ...(parent !== null && { parent: String(parent) }),
        ...(thread !== "" && { thread: String(thread) }),
      };
  }
}

/** How many are there, subagents' too. */
export function sessionsIn({ shards }: Catalog): number {
  const counted = "SELECT count(*) AS count FROM session WHERE gone IS NULL";
  return shards.reduce((sum, shard) => sum + Number(shard.prepare(counted).get()?.count), 0);
}

export function storeStamp({ shards }: Catalog, path: string): string | undefined {
  const row = shards[0]?.prepare("SELECT stamp FROM store WHERE path = ?").get(path);
  return row && String(row.stamp);
}

export function noteStore(catalog: Catalog, [path, stamp]: readonly [string, string]): void {
  // Closing a database that was written to takes longer than all else where nothing has changed.
  if (storeStamp(catalog, path) === stamp) return;
  catalog.shards[0]?.prepare("INSERT OR REPLACE INTO store (path, stamp) VALUES (?, ?)").run(path, stamp);
}

export function rename({ shards }: Catalog, { shard, key }: Row, path: string): void {
  shards[shard]?.prepare("UPDATE OR IGNORE session SET path = ? WHERE key = ?").run(path, key);
}

/** What was known of them stays: their words are found, and the archive may have them. */
export function forget({ shards }: Catalog, gone: readonly Row[]): number {
  for (const { shard, key, path } of gone) {
    shards[shard]?.prepare("UPDATE session SET gone = ? WHERE key = ? AND gone IS NULL").run(Date.now(), key);
    // When its store is back as it was, what is known of it must not stand for the sessions in it.
    shards[0]?.prepare("DELETE FROM store WHERE path = ?").run(path);
  }
  return gone.length;
}

/** A copy that was a session of its own before is not any more. */
export async function dropCopies(
  catalog: Catalog,
  all: readonly Found<Place>[],
  found: readonly Found<Place>[],
  rows: Rows,
): Promise<void> {
  const kept = new Set(found);
  const copies = all.flatMap((one) => (kept.has(one) ? [] : (rows.of(one.ref) ?? [])));
  await dropRows(catalog, copies);
}

export async function dropRows({ shards }: Catalog, rows: Iterable<Row>): Promise<void> {
  for (const { shard: number, key } of rows) {
    const { newWriter } = await import("./index/write.ts");
    const shard = shards[number];
    if (shard) newWriter(shard).remove(key);
  }
}
