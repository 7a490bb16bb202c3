// The newest session has the greatest row numbers, whoever reads what first: that is what a search goes by.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { type Job, jobOf } from "../../src/catalog/index/job.ts";
import { runJobs } from "../../src/catalog/index/run.ts";
import { walk } from "../../src/catalog/scan.ts";

const LINE = { type: "user", cwd: "/v", timestamp: "2026-01-01T00:00:00.000Z", uuid: "1", parentUuid: null };

it("sessions that one thread reads before another comes to newer ones stand behind these", async () => {
  const root = mkdtempSync(join(tmpdir(), "baton-recency-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, "home/.claude/projects/-v");
  mkdirSync(folder, { recursive: true });
  for (let day = 1; day <= 12; day++) {
    const path = join(folder, `00000000-0000-4000-8000-0000000000${String(day + 10)}.jsonl`);
    writeFileSync(
      path,
      `${JSON.stringify({ ...LINE, message: { role: "user", content: `word ${day}` } })}\n`,
    );
    utimesSync(path, day, day);
  }
  const catalog = openCatalog(join(root, "own"));
  onTestFinished(() => catalog.close());
  // All in one shard, the newest first.
  const jobs = walk({ dir: join(root, "home"), env: {} }, adapters).map(({ ref }) => ({
    ...jobOf(ref, true),
    shard: 0,
  }));
  const run = (from: number, to: number, isEarly: boolean) =>
    runJobs(
      jobs.slice(from, to).map((job): Job => (isEarly ? { ...job, isEarly: true } : job)),
      adapters,
      { folder: catalog.folder, words: true, onDone: () => undefined },
    );
  await run(10, 12, true);
  await run(0, 3, false);
  await run(8, 10, true);
  await run(3, 6, false);
  await run(6, 8, false);
  const rows = catalog.shards[0]?.prepare(
    "SELECT s.updated FROM entry e JOIN session s ON s.key = e.session ORDER BY e.id DESC",
  );
  expect(rows?.all().map(({ updated }) => Number(updated) / 1000)).toEqual([
    12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
  ]);
});
