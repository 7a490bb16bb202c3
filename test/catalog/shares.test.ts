// Who reads what: every session once, and each thread first what it is best at.
import { describe, expect, it } from "vitest";
import type { Job } from "../../src/catalog/index/job.ts";
import { sharesOf, takeJobs, type Wanted } from "../../src/catalog/index/shares.ts";
import { fc } from "../property.ts";

const AGENTS = ["claude", "codex", "gemini"];

const someJobs = fc
  .array(
    fc.record({
      agent: fc.constantFrom(...AGENTS),
      shard: fc.nat(3),
      size: fc.integer({ max: 9 << 20, min: 1 }),
    }),
    { maxLength: 40 },
  )
  .map((all) => all.map((one, at) => jobOf(at, one)));

function jobOf(at: number, { agent, shard, size }: { agent: string; shard: number; size: number }): Job {
  const path = `/${at}`;
  const file = { path, role: "main" as const, size, mtimeMs: 0, inode: at };
  return { ref: { agent, originalId: String(at), path, files: [file] }, id: String(at), shard, isNew: true };
}

/** Each thread takes a job when it is its turn. */
function taken(jobs: readonly Job[], count: number, wanted: Wanted, turns: readonly number[]): Job[][] {
  // As threads have them: copies, but for the memory that they share.
  const threads = sharesOf(jobs, count, wanted).map((share) => takeJobs(structuredClone(share)));
  const lists: Job[][] = threads.map(() => []);
  for (const turn of turns) {
    const { value } = threads[turn % count]?.next() ?? {};
    if (value) lists[turn % count]?.push(value);
  }
  for (const [at, thread] of threads.entries()) lists[at]?.push(...thread);
  return lists;
}

const order = (jobs: readonly Job[]) => jobs.map(({ id }) => Number(id));

describe("jobs that are shared out", () => {
  it.each(["list", "words", "first words"] as const)(
    "are each taken once, whoever is faster (%s)",
    (wanted) => {
      fc.assert(
        fc.property(someJobs, fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(3)), (jobs, count, turns) => {
          const all = taken(jobs, count, wanted, turns).flat();
          expect(order(all).toSorted((a, b) => a - b)).toEqual(order(jobs));
        }),
      );
    },
  );

  it("are read shard after shard, the newest first, where there are words", () => {
    fc.assert(
      fc.property(someJobs, (jobs) => {
        // One that is alone has nobody to help.
        const [own = []] = taken(jobs, 1, "words", []);
        const shards = own.map(({ shard }) => shard).filter((shard, at) => shard !== own[at - 1]?.shard);
        expect(shards).toHaveLength(new Set(shards).size);
        for (const shard of shards) {
          const inside = order(own.filter((job) => job.shard === shard));
          expect(inside).toEqual(inside.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  it("are one thread's for each shard where there are words, until it can help others from the end", () => {
    const size = 3 << 20;
    const jobs = Array.from({ length: 12 }, (_, at) => jobOf(at, { agent: "claude", shard: at % 2, size }));
    const [first = [], second = []] = taken(jobs, 2, "first words", [0, 1, 0, 1, 0, 1, 0, 0, 0]);
    const shards = (own: readonly Job[]) => new Set(own.slice(0, 3).map(({ shard }) => shard));
    expect([shards(first), shards(second)]).toEqual([new Set([0]), new Set([1])]);
    // The first has done its own shard; the other one has three sessions left, of which it takes the oldest.
    expect(order(first)).toEqual([0, 2, 4, 6, 8, 10, 11, 9, 7]);
    expect(order(second)).toEqual([1, 3, 5]);
    expect(order(first.filter(({ isEarly }) => isEarly))).toEqual([11, 9, 7]);
  });

  it("are one thread's for each shard where others have words already, however long it takes", () => {
    fc.assert(
      fc.property(someJobs, fc.array(fc.nat(3)), (jobs, turns) => {
        const lists = taken(jobs, 2, "words", turns);
        const shards = lists.flatMap((own) => [...new Set(own.map(({ shard }) => shard))]);
        expect(shards).toHaveLength(new Set(shards).size);
      }),
    );
  });

  it("come with smaller batches where there is less", () => {
    const batchOf = (count: number) =>
      sharesOf(
        Array.from({ length: count }, (_, at) => jobOf(at, { agent: "claude", shard: 0, size: 9 << 20 })),
        2,
        "first words",
      )[0]?.batch;
    expect([batchOf(1), batchOf(32), batchOf(1000)]).toEqual([3 << 20, 6 << 20, 11 << 20]);
  });

  it("are one thread's for each agent in a list, until it can help others", () => {
    const size = 3 << 20;
    const jobs = Array.from({ length: 12 }, (_, at) =>
      jobOf(at, { agent: AGENTS[at % 2] ?? "", shard: 0, size }),
    );
    const [first = [], second = []] = taken(jobs, 2, "list", [0, 1, 0, 1, 0, 1]);
    const agents = (own: readonly Job[]) => new Set(own.slice(0, 3).map(({ ref }) => ref.agent));
    expect([agents(first), agents(second)]).toEqual([new Set(["claude"]), new Set(["codex"])]);
    // The first goes on alone, and takes what the second has not begun.
    expect(first.slice(-2).map(({ ref }) => ref.agent)).toEqual(["codex", "codex"]);
  });
});
