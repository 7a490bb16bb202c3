// A catalog that was made anew knows the sessions that only the archive holds.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { adoptGone } from "../../src/catalog/archive/adopt.ts";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { discardCatalog, openCatalog } from "../../src/catalog/catalog.ts";
import { listSessions } from "../../src/catalog/query.ts";
import { sync } from "../../src/catalog/sync.ts";
import { found, type Place, samplePlace } from "./archived.ts";

async function synced<T>(
  { home, batonHome }: Place,
  use: (catalog: ReturnType<typeof openCatalog>) => Promise<T>,
) {
  const catalog = openCatalog(batonHome);
  try {
    await sync(catalog, home, adapters, { words: true });
    return await use(catalog);
  } finally {
    catalog.close();
  }
}

describe("a session that is gone", () => {
  it("is listed and searchable in a catalog that was made anew, as it was before", async () => {
    const place = await samplePlace();
    const { home, batonHome } = place;
    await archiveSessions(batonHome, await found(place));
    const facts = (catalog: Parameters<typeof listSessions>[0]) =>
      listSessions(catalog, { archived: true, subagents: true }).sessions.map(
        // Of rows in a database only those of messages are counted.
        ({ gone: _, updated: __, size: ___, ...session }) => session,
      );
    const words = (catalog: ReturnType<typeof openCatalog>) =>
      catalog.shards.map((shard) => shard.prepare("SELECT count(*) AS n FROM entry").get()?.n);
    const before = await synced(place, async (catalog) => [facts(catalog), words(catalog)]);
    for (const name of [".claude", ".codex", ".gemini", ".local"])
      rmSync(join(home.dir, name), { recursive: true });
    discardCatalog(batonHome);
    const after = await synced(place, async (catalog) => {
      expect(facts(catalog)).toEqual([]);
      expect(await adoptGone(catalog, batonHome, adapters, await found(place))).toBe(8);
      expect(await adoptGone(catalog, batonHome, adapters, await found(place))).toBe(0);
      expect(listSessions(catalog, {}).sessions).toEqual([]);
      return [facts(catalog), words(catalog)];
    });
    const sorted = (list: unknown) => (list as { id: string }[]).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(sorted(after[0])).toEqual(sorted(before[0]));
    expect(after[1]).toEqual(before[1]);
  });
});
