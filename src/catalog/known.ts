// What the catalog knows of the sessions before anything of them is read, so that only what has changed is.
import type { FileRef, Looking, Place, SessionRef } from "../adapters/adapter.ts";
import type { Catalog } from "./catalog.ts";
import type { Found } from "./scan.ts";

export interface Row {
  shard: number;
  key: number;
  agent: string;
  path: string;
  originalId: string;
  thread: string;
  stamp: string;
  parent: string | null;
  isSearchable: boolean;
  isGone: boolean;
  /** Found in a store this time. */
  isThere: boolean;
}

export function rowsIn(catalog: Catalog): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const [shard, database] of catalog.shards.entries()) {
    const all = database.prepare(
      "SELECT key, agent, path, original_id, thread, stamp, parent, searchable, gone FROM session",
    );
    all.setReturnArrays(true);
    for (const columns of all.all() as unknown as Columns[]) {
      const [key, agent, path, originalId, thread, stamp, parent, searchable, gone] = columns;
      const facts = { shard, key, agent, path, originalId, thread, stamp, parent };
      const row = { ...facts, isSearchable: searchable === 1, isGone: gone !== null, isThere: false };
      rows.set(keyOf(row), row);
    }
  }
  return rows;
}

type Columns = [
  key: number,
  agent: string,
  path: string,
  originalId: string,
  thread: string,
  stamp: string,
  parent: string | null,
  searchable: number,
  gone: number | null,
];

type Identity = { agent: string; path: string; originalId: string; thread?: string | undefined };

export function keyOf({ agent, path, originalId, thread }: Identity): string {
  return `${agent}\0${path}\0${originalId}\0${thread ?? ""}`;
}

/** For those who look for sessions: what need not be looked into again. */
export function knowing(catalog: Catalog, rows: ReadonlyMap<string, Row>): Looking {
  const byPath = new Map<string, Row>();
  for (const row of rows.values()) if (row.stamp !== "" && !row.isGone) byPath.set(row.path, row);
  return {
    known(file: FileRef) {
      const row = byPath.get(file.path);
      if (!row) return undefined;
      const [size, , inode] = row.stamp.split(";", 1)[0]?.split(" ") ?? [];
      if (Number(inode) !== file.inode) return undefined;
      const { originalId, parent, thread } = row;
      return {
        originalId,
        size: Number(size),
        ...(parent !== null && { parent }),
        ...(thread !== "" && { thread }),
      };
    },
    database(path) {
      const row = catalog.shards[0]?.prepare("SELECT stamp FROM store WHERE path = ?").get(path);
      return row && { stamp: String(row.stamp), sessions: () => refsIn(catalog, path) };
    },
  };
}

function* refsIn(catalog: Catalog, path: string): Generator<SessionRef> {
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

export function noteStore({ shards }: Catalog, [path, stamp]: readonly [string, string]): void {
  shards[0]?.prepare("INSERT OR REPLACE INTO store (path, stamp) VALUES (?, ?)").run(path, stamp);
}

export function rename({ shards }: Catalog, { shard, key }: Row, path: string): void {
  shards[shard]?.prepare("UPDATE OR IGNORE session SET path = ? WHERE key = ?").run(path, key);
}

/** What was known of them stays: their words are found, and the archive may have them. */
export function forget({ shards }: Catalog, gone: readonly Row[]): number {
  for (const { shard, key } of gone)
    shards[shard]?.prepare("UPDATE session SET gone = ? WHERE key = ? AND gone IS NULL").run(Date.now(), key);
  return gone.length;
}

/** A copy that was a session of its own before is not any more. */
export async function dropCopies(
  catalog: Catalog,
  all: readonly Found<Place>[],
  found: readonly Found<Place>[],
  rows: ReadonlyMap<string, Row>,
): Promise<void> {
  const { newWriter } = await import("./index-write.ts");
  const kept = new Set(found);
  for (const one of all) {
    const row = kept.has(one) ? undefined : rows.get(keyOf(one.ref));
    const shard = row && catalog.shards[row.shard];
    if (row && shard) newWriter(shard).remove(row.key);
  }
}
