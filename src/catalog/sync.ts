// Brings the catalog up to date with the stores: finds what is new, has grown, was replaced, renamed or is gone, and
// reads only that. When nothing has changed it is a walk over the stores and a comparison.

import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Adapter, Home } from "../adapters/adapter.ts";
import type { OnProblem } from "../adapters/folder.ts";
import { adapters as listed } from "../adapters/index.ts";
import { type Catalog, SHARDS, shardOf } from "./catalog.ts";
import { type Done, type Job, runJobs } from "./index-run.ts";
import { type Found, findSessions, idOf, sizeOf, stampOf } from "./scan.ts";
import type { ThreadTask } from "./sync-thread.ts";

export interface SyncOptions {
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
  ms: number;
}

export async function sync(
  catalog: Catalog,
  home: Home,
  adapters: readonly Adapter[],
  options: SyncOptions,
): Promise<SyncReport> {
  const start = performance.now();
  const unseen: string[] = [];
  const found = await findSessions(home, adapters, (path, error) => {
    unseen.push(path);
    options.onProblem?.(path, error);
  });
  const rows = rowsIn(catalog);
  const stale = staleOf(found, rows, options);
  const gone = missing(rows, adapters, unseen);
  const moved = renamed(stale, gone);
  for (const [job, row] of moved) rename(catalog, row, job.ref.path);
  const removed = forget(
    catalog,
    gone.filter((row) => ![...moved.values()].includes(row)),
  );
  const report = { added: 0, updated: 0, removed, unchanged: found.length - stale.length, problems: 0 };
  await runAll(catalog.folder, stale, adapters, options, report);
  return { ...report, ms: performance.now() - start };
}

/** What the catalog knows of a session before anything of it is read. */
interface Row {
  shard: number;
  key: number;
  agent: string;
  path: string;
  originalId: string;
  thread: string;
  stamp: string;
  searchable: boolean;
  isGone: boolean;
  /** Found in a store this time. */
  isThere: boolean;
}

function rowsIn(catalog: Catalog): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const [shard, database] of catalog.shards.entries()) {
    const all = database.prepare(
      "SELECT key, agent, path, original_id, thread, stamp, searchable, gone FROM session",
    );
    all.setReturnArrays(true);
    for (const one of all.all() as unknown as unknown[][]) {
      const [key, agent, path, originalId, thread, stamp, searchable, gone] = one as Columns;
      rows.set(keyOf(agent, path, originalId, thread), {
        shard,
        key,
        agent,
        path,
        originalId,
        thread,
        stamp,
        searchable: searchable === 1,
        isGone: gone !== null,
        isThere: false,
      });
    }
  }
  return rows;
}

type Columns = [number, string, string, string, string, string, number, number | null];

function keyOf(agent: string, path: string, originalId: string, thread: string | undefined): string {
  return `${agent}\0${path}\0${originalId}\0${thread ?? ""}`;
}

/** Newest first, as they are found. */
function staleOf(found: readonly Found[], rows: Map<string, Row>, { words, newest }: SyncOptions): Job[] {
  const stale: Job[] = [];
  let listed = 0;
  for (const { ref } of found) {
    const row = rows.get(keyOf(ref.agent, ref.path, ref.originalId, ref.thread));
    if (row) row.isThere = true;
    const isWanted = newest === undefined || listed < newest;
    if (ref.parent === undefined) listed++;
    const isCurrent = row?.stamp === stampOf(ref) && !row.isGone && (row.searchable || !words);
    if (isWanted && !isCurrent) stale.push({ ref, shard: shardOf(idOf(ref)) });
  }
  return stale;
}

/** Rows of sessions that are not in their store any more, as far as the stores could be looked at. */
function missing(rows: Map<string, Row>, adapters: readonly Adapter[], unseen: readonly string[]): Row[] {
  const asked = new Set(adapters.map(({ id }) => id));
  const isHidden = (path: string) =>
    unseen.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return [...rows.values()].filter(
    (row) => !row.isThere && !row.isGone && asked.has(row.agent) && !isHidden(row.path),
  );
}

/** A file that has only another name now: its session, its size, its time and its inode are the same. */
function renamed(stale: readonly Job[], gone: readonly Row[]): Map<Job, Row> {
  const found = new Map<Job, Row>();
  if (gone.length === 0) return found;
  const byStamp = new Map(gone.map((row) => [`${row.agent}\0${row.originalId}\0${row.stamp}`, row]));
  for (const job of stale) {
    const row = byStamp.get(`${job.ref.agent}\0${job.ref.originalId}\0${stampOf(job.ref)}`);
    if (row) found.set(job, row);
  }
  return found;
}

function rename({ shards }: Catalog, { shard, key }: Row, path: string): void {
  shards[shard]?.prepare("UPDATE OR IGNORE session SET path = ? WHERE key = ?").run(path, key);
}

/** What was known of them stays: their words are found, and an archive may have them. */
function forget({ shards }: Catalog, gone: readonly Row[]): number {
  for (const { shard, key } of gone)
    shards[shard]?.prepare("UPDATE session SET gone = ? WHERE key = ? AND gone IS NULL").run(Date.now(), key);
  return gone.length;
}

type Counts = Omit<SyncReport, "ms">;

/** Reading less than this takes about as long as starting threads. */
const WORTH_THREADS = 8 << 20;

async function runAll(
  folder: string,
  jobs: readonly Job[],
  adapters: readonly Adapter[],
  { words, onProgress }: SyncOptions,
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
  // A thread finds adapters by their names, so only those on the list can be used there.
  const canThread = adapters.every((adapter) => listed.includes(adapter));
  if (!canThread || progress.ofBytes < WORTH_THREADS)
    await runJobs(jobs, adapters, { folder, words, onDone });
  else await inThreads(folder, jobs, words, onDone);
}

function bytesOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { ref }) => sum + sizeOf(ref), 0);
}

/** Each thread has shards of its own, so none waits for another. */
async function inThreads(
  folder: string,
  jobs: readonly Job[],
  words: boolean,
  onDone: (done: Done) => void,
): Promise<void> {
  const count = Math.min(SHARDS, Math.max(1, availableParallelism()));
  const shares = Array.from({ length: count }, (_, at) => jobs.filter(({ shard }) => shard % count === at));
  const threads = shares
    .filter((share) => share.length > 0)
    .map((share) => startThread({ folder, words, jobs: share }, onDone));
  try {
    await Promise.all(threads.map(({ ended }) => ended));
  } finally {
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }
}

function startThread(task: ThreadTask, onDone: (done: Done) => void) {
  // The sources in a clone, the compiled program elsewhere.
  const file = new URL(`./sync-thread${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { workerData: task, resourceLimits: { maxYoungGenerationSizeMb: 16 } });
  worker.on("message", onDone);
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error("a thread that reads sessions has ended")),
    );
  });
  return { worker, ended };
}
