// A protocol of a few words for tests of what holds for every agent: each line of the agent is `{"event": …}`, after which it is to be
// ended where it says `"stop"` too, or nothing that anybody understands; prompts and decisions are sent as they are.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Driver, Output } from "../../src/adapters/driver.ts";
import { type LiveRun, type RunOptions, startRun } from "../../src/run/live.ts";
import { newEventChecker } from "../../src/session/event-rules.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { jsonIn } from "../../src/session/json.ts";

const AGENTS = join(import.meta.dirname, "agents");
export const agent = (name: string) => join(AGENTS, name);

export const fakeDriver: Driver<Record<string, never>> = {
  changes: { model: false, mode: false },
  launch: () => ({ argv: ["fake"], env: {}, transport: { type: "lines" } }),
  initial: () => ({}),
  step(_, input): Output[] {
    switch (input.type) {
      case "start":
        return [{ type: "ready" }];
      case "line": {
        const value = jsonIn(input.text);
        const isEvent = typeof value === "object" && value !== null && "event" in value;
        return [
          { type: "event", event: isEvent ? (value.event as never) : { type: "raw", text: input.text } },
          ...(isEvent && "stop" in value ? [{ type: "stop" } as const] : []),
        ];
      }
      case "prompt":
      case "interrupt":
      case "decide":
        return [{ type: "send", line: JSON.stringify(input) }];
      default:
        return [];
    }
  },
};

export function withArguments(args: readonly string[]): Driver<Record<string, never>> {
  return {
    ...fakeDriver,
    launch: () => ({ argv: ["fake", ...args], env: {}, transport: { type: "lines" } }),
  };
}

/** The same for agents that are servers: events as they are, prompts as requests. */
export const fakeServerDriver: Driver<Record<string, never>> = {
  ...fakeDriver,
  launch: () => ({ argv: ["fake"], env: {}, transport: { type: "http", events: "/event", headers: {} } }),
  isPulse: (line) => line.includes("heartbeat"),
  step(state, input): Output[] {
    if (input.type === "answer") return [];
    return fakeDriver.step(state, input).map((output, at) => {
      if (output.type !== "send") return output;
      return { type: "request", id: at, method: "POST", path: `/${input.type}`, body: input };
    });
  },
};

export interface Collected {
  run: LiveRun;
  events: AgentEvent[];
  /** Kept once the run is over: what was wrong with its stream. */
  over: Promise<string[]>;
  until(wanted: (event: AgentEvent) => boolean): Promise<AgentEvent>;
}

export type FakeOptions = Partial<RunOptions> & Pick<RunOptions, "program">;

export function startFake(options: FakeOptions): Collected {
  return collect(newFake(options));
}

/** Its events are taken by whoever starts it. */
export function newFake(options: FakeOptions): LiveRun {
  return startRun({
    agent: "fake",
    provider: "mock",
    driver: fakeDriver,
    who: { label: "Fake" },
    request: { home: { dir: "/nowhere", env: {} }, cwd: AGENTS, mode: "default", version: "0.0.0" },
    hasApprover: false,
    env: process.env,
    ...options,
  });
}

function collect(run: LiveRun): Collected {
  const events: AgentEvent[] = [];
  const checker = newEventChecker();
  const wrong: string[] = [];
  const waiting = new Set<() => void>();
  let isOver = false;
  const over = (async () => {
    for await (const event of run.events) {
      events.push(event);
      wrong.push(...checker.check(event));
      for (const look of waiting) look();
    }
    isOver = true;
    for (const look of waiting) look();
    return [...wrong, ...checker.end()];
  })();
  return {
    run,
    events,
    over,
    until: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(wanted);
          if (found) resolve(found);
          else if (isOver) reject(new Error(`the run ended: ${JSON.stringify(events)}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** A process that has ended may stand in the list until somebody asks how. */
export function isRunning(pid: number): boolean {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !"ZX".includes(facts.slice(facts.lastIndexOf(")") + 2)[0] ?? "X");
  } catch {
    // It is not there.
    return false;
  }
}
