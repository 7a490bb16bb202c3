// A reader that takes its time: the agent is held meanwhile, is not said to hang, and nothing of what it said before it
// ended is lost.
import { describe, expect, it } from "vitest";
import { newEventChecker } from "../../src/session/event-rules.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { agent, fakeDriver, fakeServerDriver, isRunning, newFake } from "./fake.ts";

const LINES = 20_000;
const TRANSPORTS = { lines: fakeDriver, http: fakeServerDriver };
type Transport = keyof typeof TRANSPORTS;

/** What it complains of is a latch: it is held, or it has written everything. */
function started(transport: Transport) {
  const told: string[] = [];
  const inputs: string[] = [];
  let wake = Promise.withResolvers<void>();
  const run = newFake({
    program: agent("held.mjs"),
    driver: TRANSPORTS[transport],
    env: { ...process.env, LINES: String(LINES), TRANSPORT: transport },
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

/** All lines in order; the last may have been cut off by the end. */
function expectAll(events: readonly AgentEvent[], count: number): void {
  const said = events.flatMap((event) => (event.type === "raw" ? [Number.parseInt(event.text, 10)] : []));
  expect([count, count + 1]).toContain(said.length);
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
    expect(told.at(-1)).toBe(`all ${LINES}`);
    expectAll(events, LINES);
    expect(events.filter(({ type }) => type === "raw")).toHaveLength(LINES);
    expect(resultOf(events)).toMatchObject({ error: { code: "agent_crashed" } });
  });
});

it("an agent that is killed while nobody takes what it has said has said it all the same", async () => {
  const { events, take, heard, rest } = started("lines");
  await take(1);
  const [, written, pid = Number.NaN] = (await heard()).split(" ").map(Number);
  expect(pid).toBeGreaterThan(1);
  process.kill(pid, "SIGKILL");
  await expect.poll(() => isRunning(pid)).toBe(false);
  await rest();
  expectAll(events, written ?? 0);
  expect(resultOf(events)).toMatchObject({ error: { code: "agent_killed" } });
});
