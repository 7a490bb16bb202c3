// What is going on is told from the stores' evidence, and nothing is claimed that they do not show.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { type Status, statusOf } from "../../src/catalog/status.ts";
import type { KnownRun } from "../../src/storage/runs.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "baton-status-"));
  mkdirSync(join(dir, ".claude/projects/-p"), { recursive: true });
  mkdirSync(join(dir, ".claude/sessions"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const uuid = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const HOUR = 3_600_000;

type Line = Record<string, unknown>;
const prompt: Line = { type: "user", message: { role: "user", content: "Do it" } };
const reply: Line = {
  type: "assistant",
  message: { id: "m1", role: "assistant", content: [{ type: "text", text: "Done" }] },
};
const call: Line = {
  type: "assistant",
  message: {
    id: "m2",
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "make" } }],
  },
};

function session(number: number, lines: readonly Line[], hoursAgo = 1): void {
  const path = join(dir, ".claude/projects/-p", `${uuid(number)}.jsonl`);
  const records = lines.map((line, at) => ({
    ...line,
    uuid: `${number}-${at}`,
    parentUuid: at === 0 ? null : `${number}-${at - 1}`,
    sessionId: uuid(number),
    cwd: "/p",
    timestamp: "2026-01-02T03:04:05.000Z",
  }));
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const time = (Date.now() - hoursAgo * HOUR) / 1000;
  utimesSync(path, time, time);
}

/** The process of this test stands for the agent. */
function held(number: number, fields: Line = {}): void {
  const facts = readFileSync("/proc/self/stat", "utf8");
  const procStart = facts.slice(facts.lastIndexOf(")") + 2).split(" ")[19];
  // One file a process is what the CLI writes; more of them are other numbers for the same process here.
  writeFileSync(
    join(dir, ".claude/sessions", `${number}.json`),
    JSON.stringify({ pid: process.pid, procStart, sessionId: uuid(number), ...fields }),
  );
}

const look = (options: { since?: Date; limit?: number } = {}): Promise<Status> =>
  statusOf({ dir, env: {} }, adapters, { since: new Date(Date.now() - 24 * HOUR), limit: 50, ...options });

const told = ({ running, waiting, finished }: Status) => {
  const numbers = (list: Status["running"]) => list.map(({ originalId }) => Number(originalId.slice(-1)));
  return { running: numbers(running), waiting: numbers(waiting), finished: numbers(finished) };
};

it("what a running agent says of itself decides, and without a word it is unknown", async () => {
  for (const number of [1, 2, 3, 4, 5]) session(number, [prompt, call], number);
  held(1, { status: "busy" });
  held(2, { status: "waiting", waitingFor: "approve Bash" });
  held(3, { status: "idle" });
  held(4);
  const status = await look();
  expect(told(status)).toEqual({ running: [1, 4], waiting: [2], finished: [3, 5] });
  expect(status.waiting[0]).toMatchObject({
    live: true,
    activity: "waiting",
    waitingFor: "approve Bash",
    unanswered: 1,
    last: "call",
    title: "Do it",
    project: "/p",
    origin: "store",
  });
  expect(status.running.map(({ activity }) => activity)).toEqual(["busy", "unknown"]);
});

it("an unanswered call alone is no claim that anybody waits for an approval", async () => {
  session(1, [prompt, call]);
  session(2, [prompt, reply], 2);
  session(3, [prompt, reply, prompt], 3);
  const status = await look();
  expect(told(status)).toEqual({ running: [], waiting: [], finished: [1, 2, 3] });
  expect(status.finished.map(({ unanswered, last, live }) => [unanswered, last, live])).toEqual([
    [1, "call", false],
    [0, "reply", false],
    [0, "prompt", false],
  ]);
});

it("a process that has another's number holds nothing", async () => {
  session(1, [prompt]);
  held(1, { status: "busy", procStart: "1" });
  expect(told(await look())).toEqual({ running: [], waiting: [], finished: [1] });
});

it("only what changed lately is looked at, and only so much of it", async () => {
  for (const number of [1, 2, 3]) session(number, [prompt], number);
  session(4, [prompt], 30);
  expect(await look({ limit: 2 })).toMatchObject({ finished: [{}, {}], more: 1 });
  expect(told(await look({ limit: 2 })).finished).toEqual([1, 2]);
  expect(told(await look({ since: new Date(Date.now() - 48 * HOUR) })).finished).toEqual([1, 2, 3, 4]);
});

it("what a running agent holds is shown before all others, however old it is", async () => {
  for (const number of [1, 2, 3]) session(number, [prompt, reply], number);
  session(4, [prompt, call], 72);
  session(5, [prompt, call], 71);
  held(4, { status: "waiting" });
  held(5, { status: "busy" });
  const status = await look({ limit: 3 });
  expect(told(status)).toEqual({ running: [5], waiting: [4], finished: [1] });
  expect(status.more).toBe(2);
  expect(told(await look({ limit: 1, since: new Date() }))).toEqual({
    running: [5],
    waiting: [4],
    finished: [],
  });
});

const run = (more: Partial<KnownRun>): KnownRun => ({
  id: "run-1",
  agent: "claude",
  session: uuid(1),
  cwd: "/p",
  prompt: "Do it",
  state: "running",
  started: new Date().toISOString(),
  updated: new Date().toISOString(),
  isLive: true,
  ...more,
});

const withRuns = (...runs: KnownRun[]) =>
  statusOf({ dir, env: {} }, adapters, { since: new Date(Date.now() - 24 * HOUR), limit: 10, runs });

it("a run of Baton's stands for its session, with what Baton knows of it", async () => {
  session(1, [prompt, reply]);
  const waiting = run({ state: "waiting", waitingFor: "an approval: Bash rm x" });
  const status = await withRuns(waiting);
  expect(status).toMatchObject({
    running: [],
    waiting: [
      { origin: "run", run: "run-1", originalId: uuid(1), waitingFor: "an approval: Bash rm x", live: true },
    ],
    finished: [],
  });
  expect((await withRuns(run({}))).running).toMatchObject([{ activity: "busy" }]);
  const failed = run({ state: "finished", outcome: "error", error: "rate_limited: Too much", isLive: false });
  expect((await withRuns(failed)).finished).toMatchObject([
    { outcome: "error", error: failed.error, live: false },
  ]);
});

it("a run whose Baton has died is not running, and two of a session that have ended are one", async () => {
  session(1, [prompt, reply]);
  const older = run({ id: "older", isLive: false });
  const { running, finished } = await withRuns(run({ isLive: false }), older);
  expect(running).toEqual([]);
  expect(finished).toMatchObject([{ run: "run-1", problem: "Baton ended in the middle of it" }]);
});

it("a run that goes on is told although another of its session has ended since, and beside another that goes on", async () => {
  session(1, [prompt, reply]);
  const ended = run({ state: "finished", outcome: "error", error: "failed: No", isLive: false });
  const waiting = run({ id: "waiting", state: "waiting", waitingFor: "an approval: Bash rm x" });
  const status = await withRuns(ended, waiting, run({ id: "busy" }));
  expect(status.waiting).toMatchObject([{ run: "waiting", waitingFor: "an approval: Bash rm x" }]);
  expect(status.running).toMatchObject([{ run: "busy", activity: "busy", title: "Do it" }]);
  expect(status.finished).toEqual([]);
  for (const one of [...status.waiting, ...status.running]) expect(one).not.toHaveProperty("error");
  expect(status.running[0]).not.toHaveProperty("waitingFor");
});

it("runs of agents without a store, or without a session yet, are told one by one", async () => {
  const acp = { agent: "acp", session: "s-1" };
  const runs = [
    run({ ...acp, id: "a" }),
    run({ ...acp, id: "b", state: "finished", isLive: false }),
    run({ ...acp, id: "c", state: "finished", isLive: false }),
    run({ session: "", id: "d", isLive: false }),
    run({ session: "", id: "e", isLive: false }),
  ];
  const { running, finished } = await withRuns(...runs);
  expect(running.map((one) => one.run)).toEqual(["a"]);
  expect(finished.map((one) => one.run).toSorted()).toEqual(["b", "c", "d", "e"]);
});

it("a run without a session in any store is told by its prompt, unless it is old", async () => {
  const status = await withRuns(run({ agent: "acp", session: "", id: "a" }));
  expect(status.running).toMatchObject([{ agent: "acp", title: "Do it", project: "/p", path: "" }]);
  const old = new Date(Date.now() - 48 * HOUR).toISOString();
  expect((await withRuns(run({ agent: "acp", updated: old, isLive: false }))).finished).toEqual([]);
});
