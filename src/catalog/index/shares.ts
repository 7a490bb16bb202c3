// Who reads what, of several threads: each has an order of its own in which it takes pieces of the work that nobody has
// taken yet. Plain data and shared memory, so that it can be handed to a thread.
import { SHARDS } from "../catalog.ts";
import { sizeOf } from "../scan.ts";
import type { Job } from "./job.ts";

export interface Share {
  pieces: readonly WorkPiece[];
  /** A number for each piece of all shares: 1 = somebody has taken it. */
  taken: Int32Array<SharedArrayBuffer>;
  /** How many bytes of texts to put in at once. */
  batch: number;
}

interface WorkPiece {
  number: number;
  jobs: readonly Job[];
  /** Another thread has the rest of their shard, and begins with what is newer. */
  isEarly: boolean;
}

/** The jobs of a share that no other thread was faster to take. */
export function* takeJobs({ pieces, taken }: Share): Generator<Job> {
  for (const { number, jobs, isEarly } of pieces) {
    if (Atomics.compareExchange(taken, number, 0, 1) !== 0) continue;
    for (const job of jobs) yield isEarly ? { ...job, isEarly } : job;
  }
}

/** What is wanted of the sessions. */
export type Wanted = "list" | "words" | "first words";

/**
 * With words each thread has shards of its own, one after the other, newest first whatever agent the sessions are from:
 * none waits for another. Where the shards have no words yet, one that is done takes from the end of what others have
 * left. A list only writes a few rows, so each has agents of its own there and helps others later: the code that reads
 * an agent's sessions has to be compiled in each thread that runs it.
 */
export function sharesOf(jobs: readonly Job[], count: number, wanted: Wanted): Share[] {
  const words = wanted !== "list";
  const groups = groupsOf(jobs, words ? ({ shard }) => shard : ({ ref }) => ref.agent);
  const owned = evenly(groups, count);
  const orders = owned.map((own) => {
    const others = groups.filter((group) => !own.includes(group)).flatMap(piecesOf);
    const help = wanted === "words" ? [] : words ? others.reverse() : others;
    return { own: own.flatMap(piecesOf), help };
  });
  const numbers = new Map<readonly Job[], number>();
  for (const piece of orders.flatMap(({ own }) => own))
    if (!numbers.has(piece)) numbers.set(piece, numbers.size);
  const taken = new Int32Array(new SharedArrayBuffer(4 * Math.max(1, numbers.size)));
  return orders.map((order) => ({
    pieces: [...order.own, ...order.help].map((piece, at) => ({
      number: numbers.get(piece) ?? 0,
      jobs: piece,
      isEarly: words && at >= order.own.length,
    })),
    taken,
    batch: batchFor(jobs),
  }));
}

/** More would take too much memory. */
export const LARGEST_BATCH = 11 << 20;
const SMALLEST_BATCH = 3 << 20;
const BATCHES = 12;

/**
 * What gathers the words of a batch is the faster the less there is in it, but each leaves a segment in its shard, and
 * with many of these a search is slow, or they have to be merged.
 */
function batchFor(jobs: readonly Job[]): number {
  const own = bytesOf(jobs) / SHARDS / BATCHES;
  return Math.min(LARGEST_BATCH, Math.max(SMALLEST_BATCH, Math.round(own)));
}

export function bytesOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { ref }) => sum + sizeOf(ref), 0);
}

interface Group {
  jobs: readonly Job[];
  bytes: number;
  pieces?: Job[][];
}

/** The largest first. */
function groupsOf(jobs: readonly Job[], keyOf: (job: Job) => unknown): Group[] {
  const groups = [...Map.groupBy(jobs, keyOf).values()].map((own) => ({ jobs: own, bytes: bytesOf(own) }));
  return groups.sort((a, b) => b.bytes - a.bytes);
}

function evenly(largestFirst: readonly Group[], count: number): Group[][] {
  const shares = Array.from({ length: count }, () => ({ bytes: 0, groups: [] as Group[] }));
  for (const group of largestFirst) {
    const least = shares.reduce((a, b) => (b.bytes < a.bytes ? b : a));
    least.bytes += group.bytes;
    least.groups.push(group);
  }
  return shares.map(({ groups }) => groups);
}

/** So small that none of the threads waits long for the last piece of another. */
const PIECE = 1 << 20;

/** The same ones each time: they are known by what they are. */
function piecesOf(group: Group): Job[][] {
  if (group.pieces) return group.pieces;
  const pieces: Job[][] = [];
  let bytes = PIECE;
  for (const job of group.jobs) {
    if (bytes >= PIECE) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)?.push(job);
    bytes += sizeOf(job.ref);
  }
  group.pieces = pieces;
  return pieces;
}
