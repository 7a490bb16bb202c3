// The same as bad-agents.test.ts for agents that are servers: OpenCode's driver, and one that is ready at once.
import { describe, expect, it } from "vitest";
import type { Driver } from "../../src/adapters/driver.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { AgentEvent, FailureCode } from "../../src/session/events.ts";
import { agent, fakeServerDriver, startFake } from "./fake.ts";

// biome-ignore lint/suspicious/noExplicitAny: each driver has a state of its own.
const DRIVERS: Record<string, Driver<any>> = {
  fake: fakeServerDriver,
  ...Object.fromEntries(
    adapters.flatMap(({ id, run }) => (run && isServer(run) ? [[id, run as Driver]] : [])),
  ),
};

function isServer(driver: Driver): boolean {
  const request = { home: { dir: "/nowhere", env: {} }, cwd: "/", mode: "default" } as const;
  return driver.launch({ ...request, secret: "", version: "" }).transport.type === "http";
}

interface Bad {
  code: FailureCode;
  message?: string;
  raw?: readonly string[];
  hangs?: boolean;
}

const BAD: Record<string, Bad> = {
  slow: { code: "agent_crashed", raw: ["still here 1", "still here 2", "still here 3"] },
  unheard: { code: "agent_hung", raw: [], hangs: true },
  silent: { code: "agent_hung", raw: [], hangs: true },
  stubborn: { code: "agent_hung", raw: [], hangs: true },
  heartbeats: { code: "agent_hung", raw: [], hangs: true },
  complains: { code: "agent_hung", raw: [], hangs: true },
  garbage: { code: "agent_crashed" },
  dies: {
    code: "agent_crashed",
    message: "Fake ended with status 3. It said: something broke",
    raw: [],
  },
  killed: { code: "agent_killed", raw: ["at work"] },
  invalid: { code: "agent_crashed", raw: ["{\ufffd\ufffd\ufffd(\ufffd\ufffd\ufffd"] },
  long: { code: "agent_crashed", raw: ["x".repeat(16_000)] },
  floods: {
    code: "agent_crashed",
    raw: Array.from({ length: 100_000 }, (_, at) => `an event of no protocol, number ${at}`),
  },
  closes: {
    code: "agent_crashed",
    message: "Fake cannot be followed any more: its events broke off (it tells no more).",
    raw: [],
  },
};

it("OpenCode's driver is among them", () => {
  expect(Object.keys(DRIVERS)).toContain("opencode");
});

describe.each(Object.keys(DRIVERS))("the driver of %s", (name) => {
  const driver = DRIVERS[name] as Driver;
  it.each(Object.keys(BAD))("ends a prompt to a server that is %s with one result", async (bad) => {
    const { code, message, raw, hangs } = BAD[bad] as Bad;
    const env = { ...process.env, BAD: bad };
    // A server that is starting is silent too: what it does wrong comes after that.
    const silenceMs = hangs ? 2000 : 20_000;
    const one = startFake({ program: agent("server.mjs"), driver, env, silenceMs });
    one.run.prompt("Hello");
    one.run.finish();
    expect(await one.over).toEqual([]);
    const results = one.events.filter((event) => event.type === "result");
    const error = { code, ...(message !== undefined && { message }) };
    expect(results).toMatchObject([{ subtype: "error", is_error: true, error }]);
    const said = rawOf(one.events);
    if (raw) expect(said.length === raw.length && said.every((text, at) => text === raw[at])).toBe(true);
    else expect(said).toContain("Welcome!");
  });
});

const rawOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "raw" ? [event.text] : []));
