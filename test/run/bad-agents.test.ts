// Whatever an agent does, a prompt gets exactly one result, and nothing that it started outlives the run: every driver
// with every kind of agent that is none. (Servers that are none: bad-servers.test.ts.)
import { describe, expect, it } from "vitest";
import { acpDriver } from "../../src/adapters/acp.ts";
import type { Driver } from "../../src/adapters/driver.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { AgentEvent, FailureCode } from "../../src/session/events.ts";
import { agent, fakeDriver, isRunning, startFake, withArguments } from "./fake.ts";

// biome-ignore lint/suspicious/noExplicitAny: each driver has a state of its own.
const DRIVERS: Record<string, Driver<any>> = {
  fake: fakeDriver,
  acp: acpDriver({ argv: ["acp"] }),
  ...Object.fromEntries(adapters.flatMap(({ id, run }) => (run ? [[id, run]] : []))),
};
const isServer = (name: string) => name === "opencode";

interface Bad {
  code: FailureCode;
  /** Drivers that find out something else, from what it says or because they are still starting it. */
  others?: Readonly<Record<string, FailureCode | readonly FailureCode[]>>;
  /** The lines that nobody understands. */
  raw?: readonly string[];
  /** Nothing more is to be waited for. */
  hangs?: boolean;
}

/** The first driver is ready at once; a server has to say where it listens. */
const BAD: Record<string, Bad> = {
  slow: { code: "agent_crashed", raw: ["still here 1", "still here 2", "still here 3"] },
  hangs: { code: "agent_hung", raw: [], hangs: true },
  complains: { code: "agent_hung", raw: [], hangs: true },
  garbage: {
    code: "agent_crashed",
    // One of its lines says no to a request; after another Claude Code's driver ends it, if it has not ended before.
    others: { acp: "unsupported", gemini: "unsupported", claude: ["agent_killed", "agent_crashed"] },
  },
  stubborn: { code: "agent_hung", raw: [], hangs: true },
  dies: {
    code: "agent_crashed",
    others: { claude: "agent_broken", codex: "agent_broken" },
    raw: ['{"type":"assistant","mess'],
  },
  killed: { code: "agent_killed", raw: ["at work"] },
  invalid: { code: "agent_crashed", raw: ["{\ufffd\ufffd\ufffd(\ufffd\ufffd\ufffd", ""] },
  "long-line": { code: "agent_crashed", raw: ["x".repeat(16_000)] },
  deaf: { code: "agent_hung", raw: [], hangs: true },
  leaves: { code: "agent_crashed" },
  missing: { code: "agent_broken", raw: [] },
};
const KINDS = Object.keys(BAD);

describe.each(Object.keys(DRIVERS))("the driver of %s", (name) => {
  const driver = DRIVERS[name] as Driver;
  it.each(KINDS)("ends a prompt to one that %s with one result", async (kind) => {
    const { code, others, raw, hangs } = BAD[kind] as Bad;
    const silenceMs = hangs ? 700 : 20_000;
    const one = startFake({ program: agent(`${kind}.mjs`), driver, silenceMs });
    one.run.prompt("Hello");
    one.run.finish();
    expect(await one.over).toEqual([]);
    const errors = one.events.filter((event) => event.type === "error");
    const expected = [others?.[name] ?? code].flat();
    expect(expected).toContain(errors[0]?.code);
    expect(resultsOf(one.events)).toMatchObject([
      { subtype: "error", is_error: true, error: { code: errors.at(-1)?.code } },
    ]);
    // What a server prints is no event.
    if (raw) expect(rawOf(one.events)).toEqual(isServer(name) ? [] : raw);
  });
});

const resultsOf = (events: readonly AgentEvent[]) => events.filter((event) => event.type === "result");
const rawOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "raw" ? [event.text] : []));

it("says that it has cut a line of five megabytes", async () => {
  const one = startFake({ program: agent("long-line.mjs") });
  one.run.prompt("Hello");
  expect(await one.over).toEqual([]);
  expect(one.events.find(({ type }) => type === "raw")).toMatchObject({ truncated: true });
  const short = startFake({ program: agent("killed.mjs") });
  short.run.prompt("Hello");
  expect(await short.over).toEqual([]);
  expect(short.events.find(({ type }) => type === "raw")).not.toHaveProperty("truncated");
});

it("says what an agent complained about before it died", async () => {
  const complaints: string[] = [];
  const one = startFake({ program: agent("dies.mjs"), onComplaint: (line) => complaints.push(line) });
  one.run.prompt("Hello");
  expect(await one.over).toEqual([]);
  expect(complaints).toEqual(["something broke"]);
  const message = "Fake ended with status 3. It said: something broke";
  expect(resultsOf(one.events)).toMatchObject([{ error: { message } }]);
});

it("notices that an agent has closed its input, in a run of one prompt too", async () => {
  const closed = Promise.withResolvers<void>();
  const one = startFake({
    program: agent("closed.mjs"),
    onInput: ({ type }) => type === "line" && closed.resolve(),
  });
  await closed.promise;
  one.run.prompt("Hello");
  one.run.finish();
  expect(await one.over).toEqual([]);
  expect(resultsOf(one.events)).toMatchObject([{ error: { code: "input_closed" } }]);
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
  const said = rawOf(one.events);
  expect(said).toHaveLength(100_000);
  expect(said.every((text, at) => text === `a line of no protocol, number ${at}`)).toBe(true);
  expect(resultsOf(one.events)).toHaveLength(1);
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
  const pid = Number(/child (\d+)/.exec(rawOf(one.events).join("\n"))?.[1]);
  expect(pid).toBeGreaterThan(1);
  await expect.poll(() => isRunning(pid)).toBe(false);
});
