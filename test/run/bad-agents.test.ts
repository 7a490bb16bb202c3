// Whatever an agent does, a prompt gets exactly one result, and nothing that it started outlives the run: every driver
// with every kind of agent that is none. (Servers that are none: bad-servers.test.ts.)
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { acpDriver } from "../../src/adapters/acp.ts";
import type { Driver } from "../../src/adapters/driver.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { AgentEvent, FailureCode } from "../../src/session/events.ts";
import {
  agent,
  type FakeOptions,
  fakeDriver,
  fakeServerDriver,
  isRunning,
  startFake,
  withArguments,
} from "./fake.ts";

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

it.each([
  ["an environment that is too long", { env: { LONG: "x".repeat(3_000_000) } }, "spawn E2BIG"],
  ["a folder that is none", inFolder(agent("slow.mjs")), "spawn ENOTDIR"],
  ["a folder that is not there", inFolder("/nowhere/at/all"), "ENOENT"],
] as const)("says what keeps an agent from starting: %s", async (_, more, words) => {
  for (const driver of [fakeDriver, fakeServerDriver]) {
    const one = startFake({ program: agent("slow.mjs"), driver, ...more });
    one.run.prompt("Hello");
    one.run.prompt("And then that");
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toHaveLength(2);
    for (const { error } of resultsOf(one.events)) {
      expect(error?.code).toBe("agent_broken");
      expect(error?.message).toMatch(new RegExp(`^Fake could not be started\\. It said: .*${words}$`));
    }
  }
});

function inFolder(cwd: string): Partial<FakeOptions> {
  return { request: { home: { dir: "/nowhere", env: {} }, cwd, mode: "default", version: "0.0.0" } };
}

it("says so too of what its guard cannot start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-busy-"));
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  // Somebody is still writing it, as an update does.
  const written = openSync(program, "r+");
  try {
    const one = startFake({ program });
    one.run.prompt("Hello");
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([
      { error: { code: "agent_broken", message: expect.stringMatching(/ETXTBSY$/) } },
    ]);
  } finally {
    closeSync(written);
    rmSync(folder, { recursive: true });
  }
});

it("says so where no descriptor is left for an agent", async () => {
  const script = join(import.meta.dirname, "full-child.ts");
  const child = spawn("sh", ["-c", 'ulimit -n 200; exec "$0" "$@"', process.execPath, script], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [said, complaints, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  expect({ complaints, status }).toEqual({ complaints: "", status: 0 });
  expect(JSON.parse(said)).toMatchObject([
    { error: { code: "agent_broken", message: expect.stringContaining("EMFILE") } },
  ]);
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
