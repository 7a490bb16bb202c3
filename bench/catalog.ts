// The bars of the catalog, on two generated homes.
import { readdirSync, rmSync, statSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Place, type Ran, runBaton, runNothing, task } from "./child.ts";
import { statEverything } from "./floor.ts";
import { cachedHome } from "./home.ts";
import { bar, explain, interleave, MB, median, quick, title } from "./report.ts";

interface Timed {
  ms: number;
}

export async function catalogBars(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "baton-bench-catalog-"));
  try {
    for (const sessions of quick ? [1000] : [1000, 10_000]) {
      const home = cachedHome(sessions);
      const { files, bytes } = statEverything(home);
      title(`The catalog of ${sessions} sessions: ${files} files, ${(bytes / MB).toFixed(0)} MB`);
      const place = { home, batonHome: join(folder, String(sessions)) };
      await coldBars(place, bytes);
      await warmBars(place);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function coldBars(place: Place, bytes: number): Promise<void> {
  type Name = "floor" | "list" | "newest" | "whole" | "archive";
  const { floor, list, newest, whole, archive } = await interleave<Name, Timed | Ran>({
    floor: () => task<Timed>("catalog-task.ts", "floor", place.home),
    list: () => cold(place, ["list", "--json", "--limit", "1000000"]),
    newest: () => cold(place, ["list", "--limit", "200"]),
    whole: () => cold(place, ["sync", "--json"]),
    archive: () => runBaton(["archive", "--json"], place),
  });
  const base = median(floor.map(({ ms }) => ms));
  const times = (all: Timed[]) => median(all.map(({ ms }) => ms)) / base;
  explain(
    `floor ${base.toFixed(0)} ms; the stores are in the page cache, $BATON_HOME is empty at each start`,
  );
  bar("cold: everything listed, whole process", times(list), 1.5, "x floor");
  bar("cold: the newest 200 listed, whole process", median(newest.map(({ ms }) => ms)), 1000, "ms");
  bar("cold: everything searchable, whole process", times(whole), 4, "x floor");
  bar("cold: everything searchable, peak memory", highest(whole) / MB, 400, "MB");
  bar("cold: archived as well", times(whole) + times(archive), 6, "x floor");
  const share = (name: string) => (100 * sizeOf(join(place.batonHome, name))) / bytes;
  bar("the catalog's size, of the corpus's", share("catalog"), 40, "%");
  bar("the archive's size, of the corpus's", share("archive"), 30, "%");
}

function cold(place: Place, args: readonly string[]): Promise<Ran> {
  rmSync(place.batonHome, { recursive: true, force: true });
  return runBaton(args, place);
}

/** The last cold round has left a complete catalog. */
async function warmBars(place: Place): Promise<void> {
  await runBaton(["sync"], place);
  const { nothing, walk, noop, list } = await interleave<"nothing" | "walk" | "noop" | "list", Timed>({
    nothing: async () => ({ ms: await runNothing() }),
    walk: () => task("catalog-task.ts", "walk", place.home),
    noop: () => task("catalog-task.ts", "no-op", place.home, place.batonHome),
    list: () => runBaton(["list"], place),
  });
  const [least, walked] = [middle(nothing), middle(walk)];
  bar("sync when nothing has changed", middle(noop) / walked, 2, "x a stat walk");
  explain(`${middle(noop).toFixed(0)} ms; the walk over all files ${walked.toFixed(0)} ms`);
  bar("list, warm, whole process", middle(list) / (least + walked), 2, "x (node -e 0 + stat walk)");
  explain(`${middle(list).toFixed(0)} ms; node -e 0 ${least.toFixed(0)} ms`);
}

const middle = (all: Timed[]) => median(all.map(({ ms }) => ms));

function highest(all: (Timed | Ran)[]): number {
  return Math.max(...all.map((one) => ("rss" in one ? one.rss : 0)));
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
