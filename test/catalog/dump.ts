// Everything a catalog says, in an order of its own: two catalogs of the same stores say the same, however they came
// about.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "../../src/adapters/index.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { type SyncOptions, type SyncReport, sync } from "../../src/catalog/sync.ts";

export interface Dump {
  sessions: { problems: string }[];
  usage: unknown[];
  /** A line for each word of each text: where it stands. */
  words: string[];
}

const SESSION = `id, agent, original_id, thread, path, size, updated, created, provider, title, summary, project,
  model, messages, tokens, cost, problems, parent, searchable, gone IS NOT NULL AS gone, hex(hidden) AS hidden`;

/** The files of a catalog, which are others after it was made anew. */
export function shardsIn(batonHome: string): string[] {
  const catalog = openCatalog(batonHome);
  catalog.close();
  return catalog.shards.map((_, number) => join(catalog.folder, `shard-${number}.db`));
}

export function dump(batonHome: string): Dump {
  const catalog = openCatalog(batonHome);
  try {
    const all = (query: string) =>
      catalog.shards.flatMap((shard) =>
        shard
          .prepare(query)
          .all()
          .map((row) => JSON.stringify(row)),
      );
    for (const shard of catalog.shards)
      shard.exec("CREATE VIRTUAL TABLE temp.term USING fts5vocab('main', 'words', 'instance')");
    return {
      sessions: all(`SELECT ${SESSION} FROM session`)
        .toSorted()
        .map((row) => JSON.parse(row)),
      usage: all("SELECT s.id, u.* FROM usage u JOIN session s ON s.key = u.session")
        .map((row) => ({ ...JSON.parse(row), session: 0 }))
        .toSorted((a, b) => (a.id + a.message < b.id + b.message ? -1 : 1)),
      words:
        all(`SELECT s.id, s.path, e.position, e.entry, e.scope, t.value AS tool, f.value AS file, e.record, e.offset, e.length,
        w.offset AS at, w.term FROM temp.term w JOIN entry e ON e.id = w.doc JOIN session s ON s.key = e.session
        LEFT JOIN name t ON t.key = e.tool LEFT JOIN name f ON f.key = e.file`).toSorted(),
    };
  } finally {
    catalog.close();
  }
}

export async function synced(
  home: string,
  batonHome: string,
  options: Partial<SyncOptions> = {},
  projects: readonly string[] = [],
): Promise<SyncReport> {
  const catalog = openCatalog(batonHome);
  try {
    return await sync(catalog, { dir: home, env: {}, projects }, adapters, { words: true, ...options });
  } finally {
    catalog.close();
  }
}

/** What a catalog made of the same stores at once says. */
export async function dumpAtOnce(home: string): Promise<Dump> {
  const fresh = mkdtempSync(join(tmpdir(), "baton-fresh-"));
  try {
    await synced(home, fresh);
    return dump(fresh);
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

/** The sample sessions of these agents, in their stores. */
export function lay(home: string, ...agents: string[]): void {
  for (const agent of agents) cpSync(join(SAMPLES, agent, "native"), home, { recursive: true });
}

const SAMPLES = join(import.meta.dirname, "../../samples");
