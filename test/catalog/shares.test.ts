// Who reads what: every session once, and each thread first what it is best at.
import { describe, expect, it } from "vitest";
import type { Job } from "../../src/catalog/index/job.ts";
import { sharesOf, takeJobs } from "../../src/catalog/index/shares.ts";
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
function taken(jobs: readonly Job[], count: number, words: boolean, turns: readonly number[]): Job[][] {
  // As threads have them: copies, but for the memory that they share.
  const threads = sharesOf(jobs, count, words).map((share) => takeJobs(structuredClone(share)));
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
  it.each([false, true])("are each taken once, whoever is faster (words: %s)", (words) => {
    fc.assert(
      fc.property(someJobs, fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(3)), (jobs, count, turns) => {
        const all = taken(jobs, count, words, turns).flat();
        expect(order(all).toSorted((a, b) => a - b)).toEqual(order(jobs));
      }),
    );
  });

  it("are one thread's for each shard, the newest first, where there are words", () => {
    fc.assert(
      fc.property(someJobs, fc.array(fc.nat(3)), (jobs, turns) => {
        const lists = taken(jobs, 2, true, turns);
        const shards = lists.flatMap((own) => [...new Set(own.map(({ shard }) => shard))]);
        expect(shards).toHaveLength(new Set(shards).size);
        for (const own of lists) expect(order(own)).toEqual(order(own).toSorted((a, b) => a - b));
      }),
    );
  });

  it("are one thread's for each agent in a list, until it can help others", () => {
    const size = 3 << 20;
    const jobs = Array.from({ length: 12 }, (_, at) =>
      jobOf(at, { agent: AGENTS[at % 2] ?? "", shard: 0, size }),
    );
    const [first = [], second = []] = taken(jobs, 2, false, [0, 1, 0, 1, 0, 1]);
    const agents = (own: readonly Job[]) => new Set(own.slice(0, 3).map(({ ref }) => ref.agent));
    expect([agents(first), agents(second)]).toEqual([new Set(["claude"]), new Set(["codex"])]);
    // The first goes on alone, and takes what the second has not begun.
    expect(first.slice(-2).map(({ ref }) => ref.agent)).toEqual(["codex", "codex"]);
  });
});
