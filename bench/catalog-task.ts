// One measurement of the catalog in a process of its own; prints one JSON line.
// Usage: node bench/catalog-task.ts TASK HOME BATON_HOME [COUNT]
import { adapters } from "../src/adapters/index.ts";
import { places } from "../src/adapters/places.ts";
import { type Catalog, openCatalog } from "../src/catalog/catalog.ts";
import { jobOf } from "../src/catalog/index/job.ts";
import { runJobs } from "../src/catalog/index/run.ts";
import { type Found, walk } from "../src/catalog/scan.ts";
import { parseQuery } from "../src/catalog/search/query.ts";
import { search } from "../src/catalog/search/search.ts";
import { sync } from "../src/catalog/sync.ts";
import { append } from "./appended.ts";
import { readEverything, statEverything } from "./floor.ts";
import { queriesFor } from "./queries.ts";

const [name, dir, batonHome, count] = process.argv.slice(2) as [string, string, string, string];
const home = { dir, env: {} };

const tasks: Record<string, () => object | Promise<object>> = {
  floor: () => timed(() => readEverything(dir)),
  walk: () => timed(() => statEverything(dir)),
  "no-op": () => timed(upToDate),
  search: () => withCatalog((catalog) => searches(catalog, Number(count))),
  append: () => withCatalog((catalog) => appends(catalog, Number(count))),
};

const chosen = tasks[name];
if (chosen === undefined) throw new Error(`there is no task ${name}`);
console.log(JSON.stringify(await chosen()));

async function timed(run: () => unknown): Promise<{ ms: number }> {
  const start = performance.now();
  await run();
  return { ms: performance.now() - start };
}

async function withCatalog<T>(use: (catalog: Catalog) => Promise<T>): Promise<T> {
  const catalog = openCatalog(batonHome);
  try {
    return await use(catalog);
  } finally {
    catalog.close();
  }
}

/** Opens the catalog and finds that nothing has changed, as every command does first. */
function upToDate(): Promise<void> {
  return withCatalog(async (catalog) => {
    const { added, updated, removed } = await sync(catalog, home, places, { words: true });
    if (added + updated + removed > 0) throw new Error("the catalog was not up to date");
  });
}

/** Each query once, kinds in turn; the first of all is not counted, because it loads what reads snippets. */
async function searches(catalog: Catalog, each: number): Promise<Record<string, Searched[]>> {
  const queries = queriesFor(titlesIn(catalog), each);
  const kinds = Object.keys(queries) as (keyof typeof queries)[];
  const results: Record<string, Searched[]> = Object.fromEntries(kinds.map((kind) => [kind, []]));
  await searchOnce(catalog, "function");
  for (let at = 0; at < each; at++)
    for (const kind of kinds) results[kind]?.push(await searchOnce(catalog, queries[kind][at] as string));
  return results;
}

interface Searched {
  query: string;
  ms: number;
  total: number;
}

async function searchOnce(catalog: Catalog, query: string): Promise<Searched> {
  const start = performance.now();
  const { total } = await search(catalog, parseQuery(query), async () => adapters);
  return { query, ms: performance.now() - start, total };
}

function titlesIn({ shards }: Catalog): string[] {
  return shards.flatMap((shard) =>
    shard
      .prepare("SELECT title FROM session ORDER BY id LIMIT 2000")
      .all()
      .map(({ title }) => String(title)),
  );
}

/** Sessions of every size grow, each is read into the catalog, and the new word is looked for. */
async function appends(catalog: Catalog, most: number): Promise<{ read: number[]; whole: number[] }> {
  const grown = walk(home, adapters)
    .filter(({ ref }) => (ref.agent === "claude" || ref.agent === "codex") && ref.parent === undefined)
    .sort((a, b) => sizeOf(a) - sizeOf(b));
  const every = Math.max(1, Math.floor(grown.length / most));
  const [read, whole]: [number[], number[]] = [[], []];
  for (const [number, { adapter, ref }] of grown.filter((_, at) => at % every === 0).entries()) {
    const word = `zq${number}qz`;
    const takeBack = append(ref, word);
    try {
      const start = performance.now();
      if (number % 2 === 0) {
        // As one that was told which file has grown: a server that watches.
        const now = await adapter.recognise(ref.path);
        if (!now) throw new Error(`${ref.path} is not recognised`);
        await runJobs([jobOf(now)], adapters, {
          folder: catalog.folder,
          words: true,
          onDone: () => undefined,
        });
        read.push(performance.now() - start);
      } else {
        await sync(catalog, home, places, { words: true });
        whole.push(performance.now() - start);
      }
      const { total } = await searchOnce(catalog, word);
      if (total !== 1) throw new Error(`${word} was found ${total} times in ${ref.path}`);
    } finally {
      takeBack();
    }
  }
  return { read, whole };
}

function sizeOf({ ref }: Found): number {
  return ref.files[0]?.size ?? 0;
}
