// Whatever an agent does, a prompt gets exactly one result, and nothing that it started outlives the run: every driver
// with every kind of agent that is none.
import { describe, expect, it } from "vitest";
import { acpDriver } from "../../src/adapters/acp.ts";
import type { Driver } from "../../src/adapters/driver.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { FailureCode } from "../../src/session/events.ts";
import { agent, fakeDriver, isRunning, startFake, withArguments } from "./fake.ts";

// biome-ignore lint/suspicious/noExplicitAny: each driver has a state of its own.
const DRIVERS: Record<string, Driver<any>> = {
  fake: fakeDriver,
  acp: acpDriver({ argv: ["acp"] }),
  ...Object.fromEntries(adapters.flatMap(({ id, run }) => (run ? [[id, run]] : []))),
};

/** What they are found to be by a driver that is always ready. */
const BAD: Record<string, FailureCode | RegExp> = {
  "slow.mjs": "agent_crashed",
  "hangs.mjs": "agent_hung",
  "garbage.mjs": "agent_crashed",
  "stubborn.mjs": "agent_hung",
  "dies.mjs": "agent_crashed",
  "killed.mjs": "agent_killed",
  "invalid.mjs": "agent_crashed",
  "long-line.mjs": "agent_crashed",
  "deaf.mjs": "agent_hung",
  "closed.mjs": /input_closed|agent_hung/,
  "leaves.mjs": "agent_crashed",
  "missing.mjs": "agent_broken",
};

/** Whether it is noticed that nobody listens depends on what is said to it. */
function codeOf(program: string): unknown {
  const code = BAD[program];
  return code instanceof RegExp ? expect.stringMatching(code) : code;
}

describe.each(Object.keys(DRIVERS))("the driver of %s", (name) => {
  const driver = DRIVERS[name] as Driver;
  it.each(Object.keys(BAD))("ends a prompt to %s with one result", async (program) => {
    const one = startFake({ program: agent(program), driver, silenceMs: 700 });
    one.run.prompt("Hello");
    one.run.finish();
    expect(await one.over).toEqual([]);
    const results = one.events.filter(({ type }) => type === "result");
    expect(results).toMatchObject([{ subtype: "error", is_error: true }]);
    expect(one.events.some(({ type }) => type === "error")).toBe(true);
    if (name === "fake") expect(results).toMatchObject([{ error: { code: codeOf(program) } }]);
  });
});

it("says that a program is missing without starting anything", async () => {
  const one = startFake({ program: null });
  one.run.prompt("Hello");
  expect(await one.over).toEqual([]);
  expect(one.events.find(({ type }) => type === "result")).toMatchObject({
    error: { code: "agent_missing" },
  });
});

it("takes a hundred thousand lines as fast as they are read, with a result at the end", async () => {
  const one = startFake({ program: agent("floods.mjs"), silenceMs: 30_000 });
  one.run.prompt("Hello");
  expect(await one.over).toEqual([]);
  expect(one.events.filter(({ type }) => type === "raw")).toHaveLength(100_000);
  expect(one.events.filter(({ type }) => type === "result")).toHaveLength(1);
});

it("takes a prompt of five megabytes, whether or not it is read", async () => {
  const prompt = "ü".repeat(5 << 20);
  const line = JSON.stringify({ event: { type: "text", text: "Read." } });
  const done = JSON.stringify({ event: { type: "result" } });
  const read = startFake({
    program: process.execPath,
    driver: withArguments([agent("scripted.mjs"), line, done]),
  });
  read.run.prompt(prompt);
  read.run.finish();
  expect(await read.over).toEqual([]);
  expect(read.events.find(({ type }) => type === "result")).toMatchObject({
    subtype: "success",
    result: "Read.",
  });
  const unread = startFake({ program: agent("deaf.mjs"), silenceMs: 500 });
  unread.run.prompt(prompt);
  expect(await unread.over).toEqual([]);
  expect(unread.events.find(({ type }) => type === "result")).toMatchObject({
    error: { code: "agent_hung" },
  });
});

it("ends what the agent has left behind, in whatever group it is", async () => {
  const one = startFake({ program: agent("leaves.mjs") });
  one.run.prompt("Hello");
  expect(await one.over).toEqual([]);
  const said = one.events.flatMap((event) => (event.type === "raw" ? [event.text] : [])).join("\n");
  const pid = Number(/child (\d+)/.exec(said)?.[1]);
  expect(pid).toBeGreaterThan(1);
  await expect.poll(() => isRunning(pid)).toBe(false);
});
