// A reader that takes its time: the agent is held meanwhile, is not said to hang, and nothing of what it said before it
// ended is lost.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WAIT_MS } from "../../src/run/waits.ts";
import { newEventChecker } from "../../src/session/event-rules.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { agent, fakeDriver, fakeServerDriver, isRunning, newFake } from "./fake.ts";

const LINES = 20_000;
const TRANSPORTS = { lines: fakeDriver, http: fakeServerDriver };
type Transport = keyof typeof TRANSPORTS;

/** What it complains of is a latch: it is held, or it has written everything. */
function started(transport: Transport, more: NodeJS.ProcessEnv = {}) {
  const told: string[] = [];
  const inputs: string[] = [];
  let wake = Promise.withResolvers<void>();
  const run = newFake({
    program: agent("held.mjs"),
    driver: TRANSPORTS[transport],
    env: { ...process.env, LINES: String(LINES), TRANSPORT: transport, ...more },
    // Less than it is held, which is said every second.
    silenceMs: 3000,
    onComplaint(line) {
      told.push(line);
      wake.resolve();
      wake = Promise.withResolvers();
    },
    onInput({ type }) {
      inputs.push(type);
      if (type === "end") wake.resolve();
    },
  });
  run.prompt("Go");
  const reader = run.events[Symbol.asyncIterator]();
  const events: AgentEvent[] = [];
  const take = async (count: number) => {
    for (let at = 0; at < count; at++) {
      const { value, done } = await reader.next();
      if (done) return false;
      events.push(value);
    }
    return true;
  };
  return {
    events,
    told,
    take,
    /** What it complains of once it has done so four times more, or has nothing more to say. */
    async heard() {
      const known = told.length;
      while (told.length < known + 4 && !inputs.includes("end")) await wake.promise;
      return told.at(-1) ?? "";
    },
    async rest() {
      while (await take(1000));
    },
  };
}

/** All lines in order, and those that were on their way when it ended. */
function expectAll(events: readonly AgentEvent[], count: number): void {
  const said = events.flatMap((event) => (event.type === "raw" ? [Number.parseInt(event.text, 10)] : []));
  expect(said.length).toBeGreaterThanOrEqual(count);
  expect(said.every((line, at) => line === at)).toBe(true);
  const checker = newEventChecker();
  expect([...events.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
}

const resultOf = (events: readonly AgentEvent[]) => events.find((event) => event.type === "result");

describe.each(["lines", "http"] as const)("an agent over %s whose events are taken slowly", (transport) => {
  it("is held again and again, does not hang, and loses nothing", async () => {
    const { events, told, take, heard, rest } = started(transport);
    await take(1);
    const [first, held] = (await heard()).split(" ");
    expect(first).toBe("held");
    expect(Number(held)).toBeLessThan(LINES);
    // Once all that waits is taken, as much again is read, and no more.
    await take(1500);
    const [second, later] = (await heard()).split(" ");
    expect(second).toBe("held");
    expect(Number(later)).toBeGreaterThanOrEqual(Number(held));
    expect(Number(later)).toBeLessThan(LINES);
    await rest();
    // That its events break off may be told after it, where its end is seen later.
    expect(told).toContain(`all ${LINES}`);
    expectAll(events, LINES);
    expect(events.filter(({ type }) => type === "raw")).toHaveLength(LINES);
    expect(resultOf(events)).toMatchObject({ error: { code: "agent_crashed" } });
  });
});

it("an agent that is killed while nobody takes what it has said has said it all the same", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-held-"));
  try {
    const WRITTEN = join(folder, "written");
    const { events, take, heard, rest } = started("lines", { WRITTEN });
    await take(1);
    const [, , pid = Number.NaN] = (await heard()).split(" ").map(Number);
    expect(pid).toBeGreaterThan(1);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => isRunning(pid)).toBe(false);
    await rest();
    expectAll(events, Number(readFileSync(WRITTEN, "utf8")));
    expect(resultOf(events)).toMatchObject({ error: { code: "agent_killed" } });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("an agent that is interrupted while nobody takes what it says", () => {
  const { stopping } = WAIT_MS;
  beforeEach(() => {
    WAIT_MS.stopping = 500;
  });
  afterEach(() => {
    WAIT_MS.stopping = stopping;
  });

  /** What it complains of, one after the other. */
  function talking(more: NodeJS.ProcessEnv = {}) {
    const told: string[] = [];
    let wake = Promise.withResolvers<void>();
    const onComplaint = (line: string) => {
      told.push(line);
      wake.resolve();
      wake = Promise.withResolvers();
    };
    const run = newFake({ program: agent("heeds.mjs"), env: { ...process.env, ...more }, onComplaint });
    run.prompt("Go");
    const heard = async (line: string, times = 1) => {
      for (const end = told.length + times; told.length < end || told.at(-1) !== line; ) await wake.promise;
    };
    return { run, reader: run.events[Symbol.asyncIterator](), heard };
  }

  it("is not ended as one that does not stop, and takes the next prompt", async () => {
    const { run, reader, heard } = talking();
    await reader.next();
    await heard("held");
    run.interrupt();
    await heard("told");
    // Longer than an agent may take to stop.
    await heard("held", 2);
    run.prompt("Go on");
    run.finish();
    const events: AgentEvent[] = [];
    for (let next = await reader.next(); !next.done; next = await reader.next()) events.push(next.value);
    const results = events.filter((event) => event.type === "result");
    expect(results).toMatchObject([{ subtype: "interrupted" }, { subtype: "success" }]);
    expect(events.filter(({ type }) => type === "system")).toEqual([]);
  });

  it("is ended once it is heard again and goes on all the same", async () => {
    const { run, reader, heard } = talking({ STUBBORN: "1" });
    await reader.next();
    await heard("held");
    run.interrupt();
    await heard("told");
    await heard("held", 2);
    const events: AgentEvent[] = [];
    for (let next = await reader.next(); !next.done; next = await reader.next()) events.push(next.value);
    expect(events.filter(({ type }) => type === "result")).toMatchObject([{ subtype: "interrupted" }]);
    expect(events.at(-1)).toMatchObject({ type: "system", subtype: "error", code: "agent_hung" });
  });
});
