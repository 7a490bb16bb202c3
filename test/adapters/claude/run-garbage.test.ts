// Claude Code's live driver and lines of any shape: it never throws, and nothing in it grows.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { driver } from "../../../src/adapters/claude/run.ts";
import type { Input } from "../../../src/adapters/driver.ts";
import { events, prompted, request } from "./live.ts";

describe("lines of any shape", () => {
  it("are raw where nobody understands them", () => {
    const one = prompted();
    for (const text of ["not JSON", "42", "[1]", '{"type":"something_new"}', "{}", '{"type":7}'])
      expect(one.step({ type: "line", text })).toEqual([{ type: "event", event: { type: "raw", text } }]);
    expect(one.step({ type: "line", text: "  " })).toEqual([]);
    const deep = `{"type":"assistant","message":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    expect(events(one.step({ type: "line", text: deep }))).toMatchObject([{ type: "raw" }]);
  });

  it("never make it throw, and what it says can be written", () => {
    const next = randomFrom(7);
    const odd: unknown[] = [null, 0, -1, "", "x", true, [], [null], {}, { type: {} }, 1e308, "__proto__"];
    for (const line of recordedLines()) {
      const one = prompted({ mode: "interactive" });
      for (let round = 0; round < 12; round++) {
        const outputs = one.tell(mutated(line, next, odd));
        expect(() => JSON.stringify(outputs)).not.toThrow();
        for (const { event } of outputs.filter((output) => output.type === "event"))
          expect(typeof event.type).toBe("string");
      }
    }
  });

  it("leave nothing behind, however many there are", () => {
    const one = prompted({ mode: "interactive" });
    const before = one.size();
    const driven = driver.initial(request({ mode: "interactive" }));
    for (let at = 0; at < 20_000; at++) for (const line of busy(at)) driver.step(driven, line);
    expect(JSON.stringify(driven).length).toBeLessThan(before + 2000);
    // Even of what is never answered or ended.
    for (let at = 0; at < 5000; at++)
      driver.step(driven, { type: "line", text: JSON.stringify(unanswered(at)) });
    expect(driven.asks.length + driven.tasks.length).toBeLessThan(3000);
  });
});

function recordedLines(): unknown[] {
  const folder = join(import.meta.dirname, "../../run/transcripts/claude");
  const found = globSync(join(folder, "*.jsonl")).filter((path) => !path.endsWith(".golden.jsonl"));
  const all = found.flatMap((path) => readFileSync(path, "utf8").trim().split("\n"));
  const kinds = new Map<string, unknown>();
  for (const text of all) {
    const json = JSON.parse(text).input?.json;
    if (json) kinds.set(`${json.type} ${json.subtype} ${json.event?.type} ${json.request?.subtype}`, json);
  }
  expect(kinds.size).toBeGreaterThan(20);
  return [...kinds.values()];
}

/** The same line with one of its values, wherever it lies, replaced by something else. */
function mutated(value: unknown, next: (most: number) => number, odd: readonly unknown[]): unknown {
  if (typeof value !== "object" || value === null || next(5) === 0) return odd[next(odd.length)];
  const keys = Object.keys(value);
  const key = keys[next(keys.length)];
  if (key === undefined) return odd[next(odd.length)];
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  copy[key] = mutated(copy[key], next, odd);
  return copy;
}

function randomFrom(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % most;
  };
}

/** A call that is asked for, allowed and done, of a subagent that comes and goes. */
function* busy(at: number): Generator<Input> {
  const line = (json: unknown): Input => ({ type: "line", text: JSON.stringify(json) });
  const task = { task_id: `t${at}`, tool_use_id: `c${at}` };
  yield line({ type: "system", subtype: "task_started", task_type: "local_agent", ...task });
  yield line({ type: "stream_event", event: { type: "message_start", message: { id: `m${at}` } } });
  const asked = { subtype: "can_use_tool", tool_name: "Bash", input: { command: `echo ${at}` } };
  yield line({ type: "control_request", request_id: `r${at}`, request: asked });
  yield { type: "decide", id: `r${at}`, decision: { allow: true } };
  yield line({ type: "system", subtype: "task_notification", ...task });
}

function unanswered(at: number): unknown {
  if (at % 2 === 0)
    return {
      type: "system",
      subtype: "task_started",
      task_id: `t${at}`,
      tool_use_id: "c",
      task_type: "local_agent",
    };
  return {
    type: "control_request",
    request_id: `r${at}`,
    request: { subtype: "can_use_tool", tool_name: "Write" },
  };
}
