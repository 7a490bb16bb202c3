// What a driver says, told to the protocol without a run, and what becomes of it in short.
import type { Said } from "../../src/adapters/driver.ts";
import { Protocol } from "../../src/run/protocol.ts";
import { newEventChecker } from "../../src/session/event-rules.ts";
import type { AgentEvent } from "../../src/session/events.ts";

export function newProtocol(more: Partial<ConstructorParameters<typeof Protocol>[0]> = {}): Protocol {
  return new Protocol({
    run: "a-run",
    agent: "fake",
    provider: "mock",
    cwd: "/project",
    model: "",
    mode: "default",
    session: "",
    who: { label: "Fake", login: "fake login" },
    now: () => Date.UTC(2026, 0, 2),
    ...more,
  });
}

export function said(events: readonly Said[], protocol = newProtocol()): AgentEvent[] {
  const list = [protocol.begin("A prompt"), ...events.map((event) => protocol.say(event))].flat();
  return [...list, ...protocol.finish({})];
}

/** What it says, in short: types, and what tells calls apart. */
export function short(events: readonly AgentEvent[]): string[] {
  return events.map((event) => {
    if (event.type === "tool_use") return `use ${event.id}`;
    if (event.type === "tool_result") return `result ${event.tool_use_id}`;
    return event.type === "system" ? event.subtype : event.type;
  });
}

export function wrong(events: readonly AgentEvent[]): string[] {
  const checker = newEventChecker();
  return [...events.flatMap((event) => checker.check(event)), ...checker.end()];
}

export const use = (id: string, parent?: string): Said => ({
  type: "tool_use",
  id,
  name: "shell",
  input: { cmd: id },
  call: { tool: "bash", input: { command: id } },
  ...(parent !== undefined && { parent_tool_use_id: parent }),
});
export const result = (id: string, more: Partial<Extract<Said, { type: "tool_result" }>> = {}): Said => ({
  type: "tool_result",
  tool_use_id: id,
  content: `done ${id}`,
  is_error: false,
  ...more,
});
export const END = ["usage", "result", "message_stop"];
