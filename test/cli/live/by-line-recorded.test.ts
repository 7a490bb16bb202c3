// What real agents have said, by lines: nothing is lost, all of it has its order and its time, and the rules hold.
import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { byLine } from "../../../src/cli/live/by-line.ts";
import { newEventChecker } from "../../../src/session/event-rules.ts";
import type { AgentEvent, Bare } from "../../../src/session/events.ts";
import { loadRedactor } from "../../../src/transform/redact.ts";
import { readRecording, replay } from "../../run/replay.ts";

const FOLDER = join(import.meta.dirname, "../../run/transcripts");

async function* stream(events: readonly AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* events;
}

/** Everything in its order, pieces of a message or of an output that follow each other put together. */
function gist(events: readonly AgentEvent[]) {
  const list: (Partial<AgentEvent> & { whole?: string })[] = [];
  let last = "";
  for (const { seq: _, timestamp: __, ...event } of events) {
    const { whole, rest } = split(event);
    const name = JSON.stringify(rest);
    const before = list.at(-1);
    if (whole !== undefined && before && name === last) before.whole += whole;
    else list.push({ ...rest, ...(whole !== undefined && { whole }) });
    last = name;
  }
  return list;
}

function split(event: Bare): { whole?: string; rest: Partial<AgentEvent> } {
  if (event.type === "text" || event.type === "thinking") {
    const { text: whole, ...rest } = event;
    return { whole, rest };
  }
  if (event.type !== "tool_result") return { rest: event };
  const { content: whole, part: _, last: __, ...rest } = event;
  return { whole, rest };
}

const { text: hide } = await loadRedactor();

it.each(["claude", "codex", "gemini", "opencode"])("all recordings of %s", async (agent) => {
  const paths = globSync(join(FOLDER, agent, "*.jsonl")).filter((path) => !path.endsWith(".golden.jsonl"));
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    const { events } = replay(agent, readRecording(path));
    const told: AgentEvent[] = [];
    for await (const event of byLine(stream(events), hide)) told.push(event);
    expect(gist(told)).toEqual(gist(events));
    const times = told.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
    const checker = newEventChecker();
    expect([...told.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
  }
});
