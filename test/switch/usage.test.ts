// Carrying a session costs nothing: its messages are counted once, wherever they now stand as well.
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { sync } from "../../src/catalog/sync.ts";
import { type UsageSums, usageOf } from "../../src/catalog/usage/usage.ts";
import { readOverrides } from "../../src/models/overrides.ts";
import { loadPrices } from "../../src/models/prices.ts";
import { carry } from "../../src/switch/carry.ts";
import { find, named, newWorld, type World } from "./world.ts";

const SAMPLES = join(import.meta.dirname, "../../samples");
const NAMES = ["claude", "codex", "gemini", "opencode"] as const;

async function totals({ home }: World): Promise<UsageSums> {
  const catalog = openCatalog(join(home.dir, ".baton"));
  try {
    await sync(catalog, home, adapters, { words: false });
    return usageOf(catalog.shards, { by: "agent" }, await loadPrices(readOverrides(home.dir))).total;
  } finally {
    catalog.close();
  }
}

describe.each(NAMES)("a session of %s", (from) => {
  it.each(NAMES)("that is carried into %s", async (to) => {
    const world = await newWorld();
    await cp(join(SAMPLES, from, "native"), world.home.dir, { recursive: true });
    const { id } = JSON.parse(await readFile(join(SAMPLES, from, "about.json"), "utf8"));
    const before = await totals(world);
    expect(before.messages).toBeGreaterThan(0);
    const { ref, source } = await find(world, { agent: named(from), id });
    const kind = from === to ? "fork" : "resume";
    await carry({ ...world, source, from: ref, to: named(to), cwd: world.home.dir, kind, yes: true });
    const after = await totals(world);
    expect({ ...after, sessions: before.sessions }).toEqual(before);
  });
});
