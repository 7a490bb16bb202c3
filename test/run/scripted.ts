// An agent that says these lines at every prompt, and what some of them are.
import type { AgentEvent, EventOf } from "../../src/session/events.ts";
import { agent, type FakeOptions, startFake, withArguments } from "./fake.ts";

export const line = (event: unknown) => JSON.stringify({ event });
export const TEXT = line({ type: "text", text: "Hello." });
export const DONE = line({ type: "result" });
export const ASK = line({
  type: "ask",
  id: "a-1",
  tool_use_id: "1",
  name: "shell",
  input: { cmd: "rm x" },
  call: { tool: "bash", input: { command: "rm x" } },
});
export const LOOK = line({
  type: "ask",
  id: "a-2",
  name: "cat",
  input: {},
  call: { tool: "read", input: { path: "x" } },
});
export const QUESTION = line({
  type: "ask",
  id: "q-1",
  name: "ask_user",
  input: {},
  call: { tool: "ask", input: {} },
  questions: [{ question: "Which one?", options: [{ label: "This" }] }],
});

export function scripted(lines: readonly string[], more: Partial<FakeOptions> = {}) {
  const driver = withArguments([agent("scripted.mjs"), ...lines]);
  return startFake({ program: process.execPath, driver, ...more });
}

export const mode = (name: "default" | "interactive" | "auto" | "deny"): Partial<FakeOptions> => ({
  request: { home: { dir: "/nowhere", env: {} }, cwd: "/", mode: name, version: "0.0.0" },
});

export function resultsOf(events: readonly AgentEvent[]): EventOf<"result">[] {
  return events.filter((event) => event.type === "result");
}
