// Costs are summed up once, and again after anything that they depend on has changed.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { type Catalog, openCatalog, openShard, SHARDS } from "../../src/catalog/catalog.ts";
import { sync } from "../../src/catalog/sync.ts";
import { keptCosts } from "../../src/catalog/usage/kept-costs.ts";
import { type SessionCosts, sessionCosts } from "../../src/catalog/usage/session-costs.ts";
import type { FindPrice } from "../../src/models/prices.ts";
import { claudePath, newHome, reply, type UsageHome } from "./usage-home.ts";

/** A dollar for a million tokens. */
const find: FindPrice = () => ({
  matched: "somebody/something",
  source: "list",
  prices: { input: 1, output: 1 },
  tiers: [],
});

const said = (session: number, number: number) =>
  reply({ session, number, seconds: session * 10 + number, message: `msg_${session}_number_${number}` });

function setUp() {
  const home = newHome();
  home.write(claudePath(1), [said(1, 1)]);
  home.write(claudePath(2), [said(2, 1), said(2, 2)]);
  const catalog = openCatalog(join(home.dir, ".baton"));
  onTestFinished(() => catalog.close());
  return { home, catalog };
}

const read = ({ dir }: UsageHome, catalog: Catalog) =>
  sync(catalog, { dir, env: {}, projects: [] }, adapters, { words: false });

/** All costs, and whether they had to be summed up for it. */
async function ask(catalog: Catalog, about: unknown = "prices", during?: () => Promise<unknown>) {
  let isSummed = false;
  const costs = await keptCosts(catalog, about, async () => {
    isSummed = true;
    const found = sessionCosts(catalog.shards, find);
    await during?.();
    return found;
  });
  return { dollars: dollarsOf(costs), isSummed };
}

const dollarsOf = (costs: SessionCosts) =>
  costs.flatMap((shard) => [...shard.values()].map(({ dollars }) => dollars)).toSorted();

it("they are summed up once", async () => {
  const { home, catalog } = setUp();
  await read(home, catalog);
  const first = await ask(catalog);
  expect(first).toEqual({ dollars: [0.0011, 0.0022], isSummed: true });
  await read(home, catalog);
  expect(await ask(catalog)).toEqual({ ...first, isSummed: false });
});

it("again after a session has grown or come", async () => {
  const { home, catalog } = setUp();
  await read(home, catalog);
  await ask(catalog);
  home.append(claudePath(1), [said(1, 2), said(1, 3)]);
  await read(home, catalog);
  expect(await ask(catalog)).toEqual({ dollars: [0.0022, 0.0033], isSummed: true });
  home.write(claudePath(3), [said(3, 1)]);
  await read(home, catalog);
  expect(await ask(catalog)).toEqual({ dollars: [0.0011, 0.0022, 0.0033], isSummed: true });
});

it("a session that its agent has deleted has been paid for", async () => {
  const { home, catalog } = setUp();
  await read(home, catalog);
  const first = await ask(catalog);
  rmSync(join(home.dir, claudePath(2)));
  await read(home, catalog);
  expect((await ask(catalog)).dollars).toEqual(first.dollars);
});

it("again with other prices", async () => {
  const { home, catalog } = setUp();
  await read(home, catalog);
  await ask(catalog);
  expect((await ask(catalog, "other prices")).isSummed).toBe(true);
  expect((await ask(catalog, "other prices")).isSummed).toBe(false);
});

it("what is written meanwhile is not missed", async () => {
  const { home, catalog } = setUp();
  await read(home, catalog);
  await ask(catalog, "prices", async () => {
    home.append(claudePath(1), [said(1, 2)]);
    await read(home, catalog);
  });
  expect(await ask(catalog)).toEqual({ dollars: [0.0022, 0.0022], isSummed: true });
});

it("nobody waits for a writer", async () => {
  const { home, catalog } = setUp();
  await read(home, catalog);
  const writers = Array.from({ length: SHARDS }, (_, number) => openShard(catalog.folder, number));
  for (const writer of writers) writer.exec("BEGIN IMMEDIATE");
  expect(await ask(catalog)).toMatchObject({ dollars: [0.0011, 0.0022] });
  for (const writer of writers) {
    writer.exec("COMMIT");
    writer.close();
  }
  expect((await ask(catalog)).isSummed).toBe(true);
  expect((await ask(catalog)).isSummed).toBe(false);
});

it.each([
  ["full", (shard: DatabaseSync) => shard.exec("PRAGMA max_page_count = 1")],
  ["read-only", (shard: DatabaseSync) => shard.exec("PRAGMA query_only = 1")],
])("they are told also when the disk is %s and they cannot be kept", async (_, spoil) => {
  const { catalog } = setUp();
  const many = new Map(
    Array.from({ length: 5000 }, (_, key) => [key, { dollars: key, kind: "computed" as const, unpriced: 0 }]),
  );
  const costs = catalog.shards.map(() => many);
  for (const shard of catalog.shards) spoil(shard);
  expect(await keptCosts(catalog, "prices", async () => costs)).toEqual(costs);
  expect((await ask(catalog)).isSummed).toBe(true);
});
