// What real agents have said, by lines: nothing is lost, each message has its order, and the rules hold.
import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { byLine } from "../../../src/cli/live/by-line.ts";
import { newEventChecker } from "../../../src/session/event-rules.ts";
import type { AgentEvent } from "../../../src/session/events.ts";
import { readRecording, replay } from "../../run/replay.ts";

const FOLDER = join(import.meta.dirname, "../../run/transcripts");

async function* stream(events: readonly AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* events;
}

/** The whole text of each message, and everything else as it came. */
function gist(events: readonly AgentEvent[]) {
  const texts: Record<string, string> = {};
  const others: string[] = [];
  for (const { seq: _, timestamp: __, ...event } of events)
    if (event.type === "text" || event.type === "thinking") {
      const key = `${event.type} ${event.message} ${event.parent_tool_use_id}`;
      texts[key] = (texts[key] ?? "") + event.text;
    } else if (event.type !== "tool_result") others.push(JSON.stringify(event));
  return { texts, others };
}

it.each(["claude", "codex", "gemini", "opencode"])("all recordings of %s", async (agent) => {
  const paths = globSync(join(FOLDER, agent, "*.jsonl")).filter((path) => !path.endsWith(".golden.jsonl"));
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    const { events } = replay(agent, readRecording(path));
    const told: AgentEvent[] = [];
    for await (const event of byLine(stream(events), (words, from = 0) => words.slice(from)))
      told.push(event);
    expect(gist(told)).toEqual(gist(events));
    const checker = newEventChecker();
    expect([...told.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
  }
});
