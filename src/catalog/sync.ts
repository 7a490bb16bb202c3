// Brings the catalog up to date with the stores: finds what is new, has grown, was replaced, renamed or is gone, and
// reads only that. When nothing has changed it is a walk over the stores and a comparison.

import { getCompileCacheDir } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, extname } from "node:path";
import type { Home, Place, Reader, SessionRef } from "../adapters/adapter.ts";
import { fileRef, type OnProblem } from "../adapters/folder.ts";
import { type Catalog, SHARDS } from "./catalog.ts";
import { type Job, jobOf } from "./index/job.ts";
import type { Done, RunOptions } from "./index/run.ts";
import {
  dropCopies,
  dropRows,
  forget,
  knowing,
  noteStore,
  type Row,
  type Rows,
  refsIn,
  rename,
  rowsIn,
  sessionsIn,
} from "./known.ts";
import { type Found, sizeOf, stampOf, walk, withoutCopies } from "./scan.ts";
import type { ThreadTask } from "./sync-thread.ts";

export interface SyncOptions {
  /** Who reads what has changed: loaded only then. */
  adapters?(): Promise<readonly Reader[]>;
  /** Whether what was said is made searchable as well; otherwise sessions are only listed. */
  words: boolean;
  /** Stop once that many of the newest sessions are up to date. */
  newest?: number;
  onProgress?(progress: Progress): void;
  /** A part of a store that could not be looked at. */
  onProblem?: OnProblem;
}

export interface Progress {
  sessions: number;
  ofSessions: number;
  bytes: number;
  ofBytes: number;
}

export interface SyncReport {
  added: number;
  updated: number;
  removed: number;
  unchanged: number;
  /** Sessions that have a problem, of those that were read now. */
  problems: number;
  /** How many there are, subagents' not counted. */
  sessions: number;
  /** Sessions that only lie elsewhere now, which are not read again. */
  moved: number;
  ms: number;
}

export async function sync(
  catalog: Catalog,
  home: Home,
  places: readonly Place[],
  options: SyncOptions,
): Promise<SyncReport> {
  const start = performance.now();
  const rows = rowsIn(catalog);
  const unseen: string[] = [];
  const stores = new Map<string, string>();
  const seen = walk(home, places, {
    ...knowing(catalog, rows),
    onProblem(path, error) {
      unseen.push(path);
      options.onProblem?.(path, error);
    },
    onDatabase: (path, stamp) => stores.set(path, stamp),
  });
  const all = seen.map(({ adapter, ref }) => met(adapter, ref, rows.of(ref), options.words));
  // Copies have no rows.
  const found = all.every(({ isCurrent }) => isCurrent) ? all : await withoutCopies(all);
  const { stale, left } = staleOf(found, options);
  const gone = missing(rows, places, unseen);
  const moved = renamed(catalog, stale, gone);
  const elsewhere = continuedIn(stale, rows, moved);
  const removed = forget(
    catalog,
    gone.filter((row) => !moved.has(row) && !elsewhere.has(row)),
  );
  if (found.length < all.length) await dropCopies(catalog, all, found, rows);
  const counts = { added: 0, updated: 0, removed, unchanged: found.length - stale.length, problems: 0 };
  await runAll(catalog.folder, stale, options, counts);
  await dropRows(catalog, elsewhere);
  // What is known of a store must not stand for sessions that were left for later.
  for (const store of stores) if (!left.has(store[0])) noteStore(catalog, store);
  const sessions = found.filter(({ ref }) => ref.parent === undefined).length;
  return { ...counts, sessions, moved: moved.size, ms: performance.now() - start };
}

/**
 * The same for files that are known to have changed, without looking at other sessions. Undefined when that is not
 * enough: a file that is new, or gone, or not the main file of exactly one session.
 */
export async function syncFiles(
  catalog: Catalog,
  paths: Iterable<string>,
  places: readonly Pick<Place, "id" | "renewed">[],
  options: SyncOptions,
): Promise<(SyncReport & { refs: SessionRef[] }) | undefined> {
  const start = performance.now();
  const given = new Set(paths);
  const found = new Map<string, SessionRef>();
  for (const path of given) {
    const known = onlyRef(catalog, path);
    const now = known && renewed(known, places);
    if (!now) return undefined;
    for (const ref of now) found.set(ref.path, ref);
  }
  const refs: SessionRef[] = [];
  let unchanged = sessionsIn(catalog);
  for (const ref of found.values()) {
    const known = onlyRef(catalog, ref.path);
    const paths = new Set(ref.files.map(({ path }) => path));
    // What a session has lost may be a session as well.
    if (known?.files.some(({ path }) => !paths.has(path))) return undefined;
    if (known && !given.has(ref.path) && stampOf(known) === stampOf(ref)) continue;
    refs.push(ref);
    if (known) unchanged--;
  }
  const counts = { added: 0, updated: 0, removed: 0, unchanged, problems: 0 };
  const jobs = refs.map((ref) => jobOf(ref));
  await runAll(catalog.folder, jobs, options, counts);
  return { ...counts, sessions: refs.length, moved: 0, ms: performance.now() - start, refs };
}

/** Undefined for a path that is no session's, or that of several. */
function onlyRef(catalog: Catalog, path: string): SessionRef | undefined {
  const [known, ...others] = refsIn(catalog, path);
  return others.length > 0 ? undefined : known;
}

function renewed(
  known: SessionRef,
  places: readonly Pick<Place, "id" | "renewed">[],
): readonly SessionRef[] | undefined {
  const place = places.find(({ id }) => id === known.agent);
  if (place?.renewed) return place.renewed(known);
  // Its file is one of the session's that spawned it as well.
  if (known.parent !== undefined) return undefined;
  const files = known.files.map(({ path, role }) => fileRef(path, role));
  return files.every((file) => file !== undefined) ? [{ ...known, files }] : undefined;
}

/** A session in a store, and what is known of it. */
interface Met extends Found<Place> {
  /** The catalog has it as it is. */
  isCurrent: boolean;
  /** The catalog has nothing of it. */
  isNew: boolean;
}

function met(adapter: Place, ref: SessionRef, row: Row | undefined, words: boolean): Met {
  if (row) row.isThere = true;
  const isCurrent = row?.stamp === stampOf(ref) && !row.isGone && (row.isSearchable || !words);
  return { adapter, ref, isCurrent, isNew: row === undefined };
}

/** Newest first, as they are found; and the paths of those that are left for later. */
function staleOf(
  found: readonly Met[],
  { newest = Number.POSITIVE_INFINITY }: SyncOptions,
): { stale: Job[]; left: ReadonlySet<string> } {
  const stale: Job[] = [];
  const left = new Set<string>();
  let seen = 0;
  for (const { ref, isCurrent, isNew } of found) {
    if (!isCurrent && seen >= newest) left.add(ref.path);
    else if (!isCurrent) stale.push(jobOf(ref, isNew));
    if (ref.parent === undefined) seen++;
  }
  return { stale, left };
}

/** Rows of sessions that are not in their store any more, as far as the stores could be looked at. */
function missing(rows: Rows, places: readonly Place[], unseen: readonly string[]): Row[] {
  const asked = new Set(places.map(({ id }) => id));
  const isBehind = (path: string) =>
    unseen.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return rows.all.filter((row) => !row.isThere && !row.isGone && asked.has(row.agent) && !isBehind(row.path));
}

/** Files that only have another name now: session, size, time and inode are the same. */
function renamed(catalog: Catalog, stale: readonly Job[], gone: readonly Row[]): ReadonlySet<Row> {
  const moved = new Set<Row>();
  const printOf = (agent: string, originalId: string, stamp: string) => `${agent}\0${originalId}\0${stamp}`;
  const byPrint = new Map(gone.map((row) => [printOf(row.agent, row.originalId, row.stamp), row]));
  for (const job of byPrint.size > 0 ? stale : []) {
    const { ref } = job;
    const row = byPrint.get(printOf(ref.agent, ref.originalId, stampOf(ref)));
    if (!row) continue;
    moved.add(row);
    job.isNew = false;
    rename(catalog, row, ref.path);
  }
  return moved;
}

/** Sessions that were found at a new place, no shorter than they were: their own place has none any more. */
function continuedIn(stale: readonly Job[], rows: Rows, moved: ReadonlySet<Row>): ReadonlySet<Row> {
  const keyOf = ({ agent, originalId, thread }: Pick<Row, "agent" | "originalId"> & { thread?: string }) =>
    `${agent}\0${originalId}\0${thread ?? ""}`;
  const isNew = ({ ref }: Job) => rows.of(ref) === undefined;
  const sizes = new Map(stale.filter(isNew).map(({ ref }) => [keyOf(ref), sizeOf(ref)]));
  if (sizes.size === 0) return new Set();
  // A stamp begins with the size of the main file.
  const isShorter = (row: Row) => Number.parseInt(row.stamp, 10) > (sizes.get(keyOf(row)) ?? -1);
  const away = rows.all.filter((row) => !row.isThere && !moved.has(row) && sizes.has(keyOf(row)));
  return new Set(away.filter((row) => !isShorter(row)));
}

type Counts = Omit<SyncReport, "ms" | "sessions" | "moved">;

/** Reading less than this takes about as long as starting threads. */
const WORTH_THREADS = 8 << 20;

async function runAll(
  folder: string,
  jobs: readonly Job[],
  { words, onProgress, adapters: load }: SyncOptions,
  counts: Counts,
): Promise<void> {
  if (jobs.length === 0) return;
  const progress = { sessions: 0, ofSessions: jobs.length, bytes: 0, ofBytes: bytesOf(jobs) };
  const onDone = ({ bytes, outcome, hasProblem }: Done) => {
    counts[outcome]++;
    if (hasProblem) counts.problems++;
    progress.sessions++;
    progress.bytes += bytes;
    onProgress?.(progress);
  };
  const readers = load ? await load() : (await import("../adapters/readers.ts")).readers;
  const { runJobs } = await import("./index/run.ts");
  const run = (share: readonly Job[]) => runJobs(share, readers, { folder, words, onDone });
  // Other threads have the adapters on the list only.
  if (load || progress.ofBytes < WORTH_THREADS) await run(jobs);
  else await inThreads(jobs, { folder, words, onDone }, run);
}

function bytesOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { ref }) => sum + sizeOf(ref), 0);
}

const MUCH = 512 << 20;

/** Each thread has shards of its own, so none waits for another. This one is the first of them, if it is soon done. */
async function inThreads(
  jobs: readonly Job[],
  { folder, words, onDone }: RunOptions,
  run: (share: readonly Job[]) => Promise<void>,
): Promise<void> {
  const [{ Worker }, { setFlagsFromString }] = await Promise.all([
    import("node:worker_threads"),
    import("node:v8"),
  ]);
  // Texts live until they are stored, and the engine would let several hundred megabytes of them pile up.
  if (words) setFlagsFromString("--heap-growing-percent=30");
  const count = Math.min(SHARDS, Math.max(1, availableParallelism()));
  const shares = Array.from({ length: count }, (_, at) => jobs.filter(({ shard }) => shard % count === at));
  // The memory of the other threads is bounded, which counts where there is much to read.
  const own = bytesOf(jobs) < MUCH ? (shares.shift() ?? []) : [];
  const threads = shares
    .filter((share) => share.length > 0)
    .map((share) => startThread({ folder, words, jobs: share }, onDone, Worker));
  try {
    await Promise.all([run(own), ...threads.map(({ ended }) => ended)]);
  } finally {
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }
}

/**
 * A thread does not know by itself where the program keeps what it has compiled, and starts slowly without: it has
 * to be told before it loads any of our files.
 */
const BEGIN = `
const { compiled, program } = require("node:worker_threads").workerData;
if (compiled) require("node:module").enableCompileCache(compiled);
import(program);`;

function startThread(
  task: ThreadTask,
  onDone: (done: Done) => void,
  Worker: typeof import("node:worker_threads").Worker,
) {
  // The sources in a clone, the compiled program elsewhere.
  const program = new URL(`./sync-thread${extname(import.meta.url)}`, import.meta.url).href;
  const worker = new Worker(BEGIN, {
    eval: true,
    workerData: { ...task, program, compiled: compiledIn() },
    resourceLimits: { maxYoungGenerationSizeMb: task.words ? 12 : 48 },
  });
  worker.on("message", onDone);
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error("a thread that reads sessions has ended")),
    );
  });
  return { worker, ended };
}

function compiledIn(): string | undefined {
  const folder = getCompileCacheDir();
  // It names the folder of this version of Node inside the one that was given.
  return folder === undefined ? undefined : dirname(folder);
}
