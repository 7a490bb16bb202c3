// One measurement of the catalog in a process of its own; prints one JSON line.
// Usage: node bench/catalog-task.ts TASK HOME BATON_HOME
import { adapters } from "../src/adapters/index.ts";
import { openCatalog } from "../src/catalog/catalog.ts";
import { sync } from "../src/catalog/sync.ts";
import { keepMemorySmall } from "../src/cli/memory.ts";
import { readEverything, statEverything } from "./floor.ts";

const [name, home, batonHome] = process.argv.slice(2) as [string, string, string];

const tasks: Record<string, () => object | Promise<object>> = {
  floor: () => timed(() => readEverything(home)),
  walk: () => timed(() => statEverything(home)),
  "no-op": () => timed(upToDate),
};

const chosen = tasks[name];
if (chosen === undefined) throw new Error(`there is no task ${name}`);
console.log(JSON.stringify(await chosen()));

async function timed(run: () => unknown): Promise<{ ms: number }> {
  const start = performance.now();
  await run();
  return { ms: performance.now() - start };
}

/** Opens the catalog and finds that nothing has changed, as every command does first. */
async function upToDate(): Promise<void> {
  keepMemorySmall();
  const catalog = openCatalog(batonHome);
  const { added, updated, removed } = await sync(catalog, { dir: home, env: {} }, adapters, { words: true });
  catalog.close();
  if (added + updated + removed > 0) throw new Error("the catalog was not up to date");
}
