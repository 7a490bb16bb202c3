// A catalog of a private home, searched the way a command does.
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import type { Adapter, Home } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { type Catalog, openCatalog } from "../../src/catalog/catalog.ts";
import { parseQuery } from "../../src/catalog/search/query.ts";
import { type SearchOptions, type SearchResult, search } from "../../src/catalog/search/search.ts";
import { sync } from "../../src/catalog/sync.ts";

export interface Searching {
  catalog: Catalog;
  find(query: string, options?: SearchOptions): Promise<SearchResult>;
  update(): Promise<void>;
}

export async function searchIn(home: Home, using: readonly Adapter[] = adapters): Promise<Searching> {
  const catalog = openCatalog(join(home.dir, ".baton"));
  onTestFinished(() => catalog.close());
  const update = async () => {
    await sync(catalog, home, using, { words: true });
  };
  await update();
  return {
    catalog,
    update,
    find: (query, options = {}) => search(catalog, parseQuery(query), async () => using, options),
  };
}

/** The words of each text in a shard, by its row. */
export function indexedWords(shard: DatabaseSync): Map<number, string[]> {
  shard.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.instances USING fts5vocab(main, words, instance)");
  const texts = new Map<number, string[]>();
  for (const { doc, term } of shard
    .prepare("SELECT doc, term FROM temp.instances ORDER BY doc, offset")
    .iterate()) {
    const words = texts.get(Number(doc)) ?? [];
    words.push(String(term));
    texts.set(Number(doc), words);
  }
  return texts;
}
