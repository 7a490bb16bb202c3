// Agents made with the official SDK and the generic driver that runs them, through a real process.
import { afterEach, expect } from "vitest";
import { acpDriver } from "../../src/adapters/acp.ts";
import type { AcpOptions } from "../../src/adapters/acp-state.ts";
import type { RunRequest } from "../../src/adapters/driver.ts";
import type { AgentEvent, EventOf, EventType } from "../../src/session/events.ts";
import type { Setup } from "../run/agents/acp-agent.ts";
import { agent, type Collected, startFake } from "../run/fake.ts";

export type Options = Partial<Pick<RunRequest, "mode" | "model" | "session">> & {
  hasApprover?: boolean;
  special?: Partial<AcpOptions>;
};

const started: Collected[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) {
    one.run.end();
    await one.over;
  }
});

export function start(
  setup: Setup = {},
  { hasApprover = true, special, ...request }: Options = {},
): Collected {
  const argv = ["node", agent("acp-agent.ts"), JSON.stringify(setup)];
  const one = startFake({
    agent: "acp",
    provider: "acp",
    driver: acpDriver({ argv, ...special }),
    program: process.execPath,
    who: { label: "Test Agent" },
    request: {
      home: { dir: "/nowhere", env: {} },
      cwd: import.meta.dirname,
      version: "0.0.0",
      mode: "default",
      ...request,
    },
    hasApprover,
  });
  started.push(one);
  return one;
}

/** All that follows from one prompt, without numbers and times; the stream keeps the protocol's rules. */
export async function told(setup: Setup, prompt: string, options: Options = {}): Promise<AgentEvent[]> {
  const one = start(setup, options);
  one.run.prompt(prompt);
  one.run.finish();
  expect(await one.over).toEqual([]);
  return one.events;
}

export const of = <T extends EventType>(events: readonly AgentEvent[], type: T) =>
  events.filter((event): event is EventOf<T> => event.type === type);
export const text = (events: readonly AgentEvent[]) =>
  of(events, "text")
    .map((event) => event.text)
    .join("");
export const result = (events: readonly AgentEvent[]) => of(events, "result").at(-1);
