// Brings the catalog up to date with the stores: finds what is new, has grown, was replaced, renamed or is gone, and
// reads only that. When nothing has changed it is a second look at what was looked at (walks.ts).
import { existsSync } from "node:fs";
import type { Home, Place, Reader, SessionRef } from "../adapters/adapter.ts";
import { fileRef, type OnProblem } from "../adapters/folder.ts";
import type { Catalog } from "./catalog.ts";
import { newCrew } from "./index/crew.ts";
import { type Job, jobOf } from "./index/job.ts";
import type { Done } from "./index/run.ts";
import { bytesOf } from "./index/shares.ts";
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
import { discovered, type Found, newestFirst, sizeOf, stampOf, withoutCopies } from "./scan.ts";
import { type Count, keepWalks, newWalk, unchangedPlaces, versionsOf, type Walk } from "./walks.ts";

export interface SyncOptions {
  /** Who reads what has changed: loaded only then. */
  adapters?(): Promise<readonly Reader[]>;
  /** Whether what was said is made searchable as well; otherwise sessions are only listed. */
  words: boolean;
  /** Stop once that many of the newest sessions are up to date. */
  newest?: number;
  /** What has to be found out before stores are looked at; threads start meanwhile. */
  first?(): Promise<unknown>;
  /** What there is to do in this thread while others read: called only where there is so much to read. */
  meanwhile?(): Promise<unknown>;
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
  // `performance` would load another part of Node.
  const start = process.uptime();
  const work = newWork(catalog, options);
  try {
    // Of a new catalog all sessions will have to be read, or many.
    if (catalog.isNew && (options.newest ?? MANY) >= MANY && hasStore(home, places)) await work.expect();
    await options.first?.();
    const unchanged = unchangedPlaces(catalog, home, places, options.words);
    const others = places.filter(({ id }) => !unchanged.has(id));
    const report = others.length === 0 ? NOTHING : await syncAll(catalog, home, others, options, work);
    return { ...withUnchanged(report, unchanged.values()), ms: (process.uptime() - start) * 1000 };
  } finally {
    await work.end();
  }
}

const NOTHING: SyncReport = {
  added: 0,
  updated: 0,
  removed: 0,
  unchanged: 0,
  problems: 0,
  sessions: 0,
  moved: 0,
  ms: 0,
};

function withUnchanged(report: SyncReport, counts: Iterable<Count>): SyncReport {
  let { unchanged, sessions } = report;
  for (const { all, own } of counts) {
    unchanged += all;
    sessions += own;
  }
  return { ...report, unchanged, sessions };
}

async function syncAll(
  catalog: Catalog,
  home: Home,
  places: readonly Place[],
  options: SyncOptions,
  work: Work,
): Promise<SyncReport> {
  const versions = versionsOf(catalog);
  const rows = rowsIn(
    catalog,
    places.map(({ id }) => id),
  );
  const unseen: string[] = [];
  const stores = new Map<string, string>();
  const looking = {
    ...knowing(catalog, rows),
    onProblem(path: string, error: Error) {
      unseen.push(path);
      options.onProblem?.(path, error);
    },
    onDatabase: (path: string, stamp: string) => stores.set(path, stamp),
  };
  const walks = places.map((place) => newWalk(place, home));
  const seen = walks.flatMap((walk) => discovered(walk.home, [walk.place], { ...looking, ...walk.looking }));
  const all = seen.map(({ adapter, ref }) => met(adapter, ref, rows.of(ref), options.words));
  // Copies have no rows, and the order counts only for what has to be read.
  const found = all.every(({ isCurrent }) => isCurrent) ? all : await withoutCopies(newestFirst(all));
  const { stale, left } = staleOf(found, options);
  const gone = missing(rows, places, unseen);
  const moved = renamed(catalog, stale, gone);
  const elsewhere = continuedIn(stale, rows, moved);
  const removed = forget(
    catalog,
    gone.filter((row) => !moved.has(row) && !elsewhere.has(row)),
  );
  if (found.length < all.length) await dropCopies(catalog, all, found, rows);
  const isFirst = !rows.all.some(({ isSearchable }) => isSearchable);
  const counts = await work.run(stale, isFirst);
  await dropRows(catalog, elsewhere);
  // What is known of a store must not stand for sessions that were left for later.
  for (const store of stores) if (!left.has(store[0])) noteStore(catalog, store);
  const sessions = found.filter(({ ref }) => ref.parent === undefined).length;
  const unchanged = counts.unchanged + found.length - stale.length;
  if (unseen.length === 0 && found.length === all.length)
    keepWalks(catalog, withoutChange(walks, all, gone), options.words, versions);
  return { ...counts, removed, unchanged, sessions, moved: moved.size, ms: 0 };
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
  const work = newWork(catalog, options);
  try {
    const counts = await work.run(refs.map((ref) => jobOf(ref)));
    unchanged += counts.unchanged;
    const ms = performance.now() - start;
    return { ...counts, removed: 0, unchanged, sessions: refs.length, moved: 0, ms, refs };
  } finally {
    await work.end();
  }
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

/** The walks that have found what the catalog has, and nothing less. */
function withoutChange(
  walks: readonly Walk[],
  all: readonly Met[],
  gone: readonly Row[],
): (Walk & { count: Count })[] {
  const changed = new Set(gone.map(({ agent }) => agent));
  const counts = new Map(walks.map(({ place }) => [place.id, { all: 0, own: 0 }]));
  for (const { adapter, ref, isCurrent } of all) {
    const count = counts.get(adapter.id);
    if (!isCurrent || !count) changed.add(adapter.id);
    else {
      count.all++;
      if (ref.parent === undefined) count.own++;
    }
  }
  return walks.flatMap((walk) => {
    const count = changed.has(walk.place.id) ? undefined : counts.get(walk.place.id);
    return count ? [{ ...walk, count }] : [];
  });
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

const MANY = 1000;

/** What reads sessions. Before threads start: what was compiled for other flags than they are started with is not taken. */
async function loadProgram(load?: SyncOptions["adapters"]) {
  const readers = load ? await load() : (await import("../adapters/readers.ts")).readers;
  return { readers, runJobs: (await import("./index/run.ts")).runJobs };
}

/** Whether there may be anything to read. */
function hasStore(home: Home, places: readonly Place[]): boolean {
  return places.some((place) => place.stores(home).some((folder) => existsSync(folder)));
}

/** Reading less than this takes about as long as starting threads. */
const WORTH_THREADS = 8 << 20;

type Counts = Pick<SyncReport, "added" | "updated" | "unchanged" | "problems">;

type Work = ReturnType<typeof newWork>;

/** Reads sessions, in threads where there is much to read, and counts them. */
function newWork({ folder }: Catalog, { words, onProgress, adapters: load, meanwhile }: SyncOptions) {
  const counts: Counts = { added: 0, updated: 0, unchanged: 0, problems: 0 };
  const progress = { sessions: 0, ofSessions: 0, bytes: 0, ofBytes: 0 };
  const onDone = (done: readonly Done[]) => {
    for (const { bytes, outcome, hasProblem } of done) {
      counts[outcome]++;
      if (hasProblem) counts.problems++;
      progress.sessions++;
      progress.bytes += bytes;
    }
    onProgress?.(progress);
  };
  const crew = newCrew({ folder, words, onDone });
  return {
    /** There will be much to read: threads take as long to start as it takes to find it. */
    async expect() {
      if (load) return;
      await loadProgram();
      crew.start();
    },
    /** `isFirst`: the catalog has no words yet. */
    async run(jobs: readonly Job[], isFirst = false): Promise<Counts> {
      if (jobs.length === 0) return counts;
      progress.ofSessions = jobs.length;
      progress.ofBytes = bytesOf(jobs);
      const { readers, runJobs } = await loadProgram(load);
      const own = (share: Iterable<Job>, batch?: number) =>
        runJobs(share, readers, { folder, words, onDone, ...(batch !== undefined && { batch }) });
      // Other threads have the adapters on the list only.
      if (load || progress.ofBytes < WORTH_THREADS) await own(jobs);
      else await crew.run(jobs, words ? (isFirst ? "first words" : "words") : "list", own, meanwhile);
      return counts;
    },
    end: () => crew.end(),
  };
}
