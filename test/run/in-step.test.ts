// While an agent runs, what it writes into its store is in the catalog as it is written.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { listSessions } from "../../src/catalog/query.ts";
import { keepInStep } from "../../src/run/in-step.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "baton-in-step-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const SESSION = "00000000-0000-4000-8000-000000000001";

function line(at: number, type: "user" | "assistant", words: string): string {
  const message = {
    role: type,
    content: [{ type: "text", text: words }],
    ...(type === "assistant" && { id: `m${at}` }),
  };
  const facts = { uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, sessionId: SESSION, cwd: "/p" };
  return `${JSON.stringify({ type, message, ...facts, timestamp: "2026-01-02T03:04:05.000Z" })}\n`;
}

it("a new session and each of its turns appear while the run goes on", async () => {
  const [home, batonHome] = [join(dir, "home"), join(dir, "baton")];
  const folder = join(home, ".claude/projects/-p");
  mkdirSync(folder, { recursive: true });
  const place = adapters.find(({ id }) => id === "claude");
  if (!place) throw new Error("no such adapter");
  const problems: unknown[] = [];
  const inStep = keepInStep({
    home: { dir: home, env: {} },
    batonHome,
    place,
    onProblem: (error) => problems.push(error),
  });
  const counts = () => {
    const catalog = openCatalog(batonHome);
    try {
      return listSessions(catalog, { limit: 10 }).sessions.map(({ messageCount }) => messageCount);
    } finally {
      catalog.close();
    }
  };
  const file = join(folder, `${SESSION}.jsonl`);
  writeFileSync(file, line(0, "user", "Do it"));
  await expect.poll(counts, { timeout: 10_000 }).toEqual([1]);
  appendFileSync(file, line(1, "assistant", "Done"));
  await expect.poll(counts, { timeout: 10_000 }).toEqual([2]);
  appendFileSync(file, line(2, "user", "Again"));
  await inStep.close();
  expect(counts()).toEqual([3]);
  expect(problems).toEqual([]);
});

it("a home that cannot hold a catalog is told, and nothing else happens", async () => {
  writeFileSync(join(dir, "file"), "");
  const problems: unknown[] = [];
  const [place] = adapters;
  if (!place) throw new Error("no adapter");
  const home = { dir, env: {} };
  await keepInStep({
    home,
    batonHome: join(dir, "file"),
    place,
    onProblem: (error) => problems.push(error),
  }).close();
  expect(problems).toHaveLength(1);
});
