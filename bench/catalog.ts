// The bars of the catalog, on two generated homes.
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { memoryOf, type Place, runBaton, runNothing, startBaton, task } from "./child.ts";
import { statEverything } from "./floor.ts";
import { cachedHome, whileChanged } from "./home.ts";
import type { QueryKind } from "./queries.ts";
import { bar, explain, interleave, MB, median, percentile, quick, title } from "./report.ts";

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
      await searchBars(place);
      await appendBars(place, sessions);
      if (sessions === 1000) await idleBar(place);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function coldBars(place: Place, bytes: number): Promise<void> {
  type Name = "floor" | "list" | "newest" | "whole" | "archive";
  const { memory } = await interleave({
    memory: () => coldMemory(place, ["sync", "--json", "--no-archive"]),
  });
  const { floor, list, newest, whole, archive } = await interleave<Name, Timed>({
    floor: () => task<Timed>("catalog-task.ts", "floor", place.home),
    list: () => cold(place, ["list", "--limit", "1000000"]),
    newest: () => cold(place, ["list", "--limit", "200"]),
    whole: () => cold(place, ["sync", "--json", "--no-archive"]),
    archive: () => cold(place, ["sync", "--json"]),
  });
  const base = median(floor.map(({ ms }) => ms));
  const times = (all: Timed[]) => median(all.map(({ ms }) => ms)) / base;
  explain(
    `floor ${base.toFixed(0)} ms; the stores are in the page cache, $BATON_HOME is empty at each start`,
  );
  bar("cold: everything listed, whole process", times(list), 1.5, "x floor");
  bar("cold: the newest 200 listed, whole process", median(newest.map(({ ms }) => ms)), 1000, "ms");
  bar("cold: everything searchable, whole process", times(whole), 4, "x floor");
  bar("cold: everything searchable, peak memory", Math.max(...memory) / MB, 400, "MB");
  bar("cold: everything searchable and archived", times(archive), 6, "x floor");
  const share = (name: string) => (100 * sizeOf(join(place.batonHome, name))) / bytes;
  bar("the catalog's size, of the corpus's", share("catalog"), 40, "%");
  bar("the archive's size, of the corpus's", share("archive"), 30, "%");
}

function cold(place: Place, args: readonly string[]): Promise<Timed> {
  rmSync(place.batonHome, { recursive: true, force: true });
  return runBaton(args, place);
}

function coldMemory(place: Place, args: readonly string[]): Promise<number> {
  rmSync(place.batonHome, { recursive: true, force: true });
  return memoryOf(args, place);
}

/** The last cold round has left a complete catalog. */
async function warmBars(place: Place): Promise<void> {
  await runBaton(["sync"], place);
  const { nothing, walk, noop, list } = await interleave<"nothing" | "walk" | "noop" | "list", Timed>({
    nothing: async () => ({ ms: await runNothing() }),
    walk: () => task("catalog-task.ts", "walk", place.home),
    noop: () => task("catalog-task.ts", "no-op", place.home, place.batonHome),
    list: () => runBaton(["list", "--limit", "30"], place),
  });
  const [least, walked] = [middle(nothing), middle(walk)];
  bar("sync when nothing has changed", middle(noop) / walked, 2, "x a stat walk");
  explain(`${middle(noop).toFixed(0)} ms; the walk over all files ${walked.toFixed(0)} ms`);
  bar("list, warm, whole process", middle(list) / (least + walked), 2, "x (node -e 0 + stat walk)");
  explain(`${middle(list).toFixed(0)} ms; node -e 0 ${least.toFixed(0)} ms`);
}

type Found = Record<QueryKind, { ms: number; total: number; query: string }[]>;

async function searchBars(place: Place): Promise<void> {
  const each = quick ? 40 : 200;
  const found = await task<Found>("catalog-task.ts", "search", place.home, place.batonHome, String(each));
  const kinds = Object.keys(found) as QueryKind[];
  const timesOf = (...names: QueryKind[]) => names.flatMap((name) => found[name].map(({ ms }) => ms));
  const mix = timesOf("rare", "common", "phrase", "several");
  bar("search, p50 of rare, common, phrase, several words", percentile(mix, 0.5), 5, "ms");
  bar("search, p95 of rare, common, phrase, several words", percentile(mix, 0.95), 40, "ms");
  bar("search, p95 of beginnings of 4 letters and more", percentile(timesOf("prefix"), 0.95), 100, "ms");
  bar("search, p95 of Chinese and Japanese", percentile(timesOf("cjk"), 0.95), 100, "ms");
  explain(`${each} queries of each kind, 20 hits with snippets each; p50 and p95 in ms, matches at p50:`);
  for (const kind of kinds) {
    const matches = percentile(
      found[kind].map(({ total }) => total),
      0.5,
    );
    const [half, most] = [0.5, 0.95].map((share) => percentile(timesOf(kind), share).toFixed(1));
    explain(`  ${kind.padEnd(8)} ${half?.padStart(7)} ${most?.padStart(7)}  ${matches}`);
  }
}

/** Sessions of the kept corpus grow and shrink again; if that is interrupted, the corpus is made anew. */
async function appendBars(place: Place, sessions: number): Promise<void> {
  const most = quick ? 60 : 400;
  const { read, whole } = await whileChanged(sessions, () =>
    task<{ read: number[]; whole: number[] }>(
      "catalog-task.ts",
      "append",
      place.home,
      place.batonHome,
      String(most),
    ),
  );
  bar("10 KB more in a session, listed and searchable: p99", percentile(read, 0.99), 30, "ms");
  bar("10 KB more in a session, listed and searchable: longest", Math.max(...read), 500, "ms");
  explain(`${read.length} sessions of all sizes, once it is known which one has grown`);
  explain(`found out by a sync of everything: p50 ${median(whole).toFixed(0)} ms`);
}

const IDLE_SECONDS = quick ? 10 : 60;

async function idleBar(place: Place): Promise<void> {
  const child = startBaton(["sync", "--watch", "--quiet"], place);
  try {
    const pid = child.pid ?? 0;
    await untilIdle(child, pid);
    const before = cpuTime(pid);
    await setTimeout(IDLE_SECONDS * 1000);
    bar(`sync --watch, idle for ${IDLE_SECONDS} s: processor time`, cpuTime(pid) - before, 50, "ms");
  } finally {
    child.kill();
  }
}

const LOOK_MS = 2000;
const MOST_LOOKS = 60;

/** It first brings the catalog up to date; then it uses no processor for a while. */
async function untilIdle(child: ChildProcess, pid: number): Promise<void> {
  let last = -1;
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    await setTimeout(LOOK_MS);
    if (child.exitCode !== null) throw new Error(`baton sync --watch ended with ${child.exitCode}`);
    const used = cpuTime(pid);
    if (used === last) return;
    last = used;
  }
}

const TICKS_PER_SECOND = 100;

/** Of all threads of a process, in milliseconds. */
function cpuTime(pid: number): number {
  const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = after.split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

const middle = (all: Timed[]) => median(all.map(({ ms }) => ms));

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
