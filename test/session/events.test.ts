// The live protocol: its schema, its rules, and that the page about it names all there is.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newEventChecker } from "../../src/session/event-rules.ts";
import {
  type AgentEvent,
  eventSchema,
  eventsJsonSchema,
  FAILURES,
  PERMISSION_MODES,
  steeringSchema,
} from "../../src/session/events.ts";

const tokens = { input_tokens: 1, output_tokens: 1 };
const INIT = {
  type: "system",
  subtype: "init",
  run: "r",
  agent: "a",
  provider: "p",
  session_id: "s",
  model: "m",
  cwd: "/",
  permission_mode: "auto",
};
const USAGE = { type: "usage", ...tokens };
const RESULT = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "",
  session_id: "s",
  duration_ms: 1,
  usage: tokens,
  permission_denials: [],
};
const STOP = { type: "message_stop" };
const TEXT = { type: "text", text: "Hello" };
const use = (id: string, parent?: string) => ({
  type: "tool_use",
  id,
  name: "Bash",
  input: {},
  ...(parent && { parent_tool_use_id: parent }),
});
const done = (id: string, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "",
  is_error: false,
  ...more,
});
const ASK = { type: "approval_request", id: "q", name: "Bash", input: {}, timeout_ms: 1 };
const ANSWER = { type: "approval", id: "q", decision: "deny", by: "user" };

function wrong(events: readonly object[]): string[] {
  const checker = newEventChecker();
  const numbered = events.map((event, at) => ({
    seq: at + 1,
    timestamp: "2026-01-02T03:04:05.000Z",
    ...event,
  }));
  return [...numbered.flatMap((event) => checker.check(event)), ...checker.end()];
}

describe("the rules", () => {
  it("are kept by a stream that keeps them", () => {
    const turn = [TEXT, use("1"), use("2", "1"), done("2"), done("1"), ASK, ANSWER, USAGE, RESULT, STOP];
    expect(wrong([INIT, ...turn, { ...TEXT, text: "Again" }, USAGE, RESULT, STOP])).toEqual([]);
    expect(wrong([])).toEqual([]);
  });

  it("are kept by a call that is told before its turn, because its subagent speaks, and by ids that come again", () => {
    const both = [use("1"), use("2"), use("3", "2"), done("3"), done("1"), done("2"), USAGE, RESULT, STOP];
    expect(wrong([INIT, ...both, ...both])).toEqual([]);
    const third = [use("1"), use("3"), use("4", "3"), done("4"), done("1"), use("2"), done("2"), done("3")];
    expect(wrong([INIT, ...third, USAGE, RESULT, STOP])).toEqual([]);
  });

  it.each<[string, object[], string]>([
    ["what is no event", [{ type: "nothing" }], "not an event"],
    ["an event without its fields", [INIT, { type: "text" }], "not an event"],
    ["anything before init", [TEXT], "text before init"],
    ["init twice", [INIT, INIT], "init twice"],
    ["a number left out", [INIT, { ...TEXT, seq: 3 }], "seq 3 after 1"],
    ["no result", [INIT, TEXT], "without the result"],
    ["no message_stop", [INIT, USAGE, RESULT], "without message_stop"],
    ["no usage", [INIT, RESULT, STOP], "without usage"],
    ["usage twice", [INIT, USAGE, USAGE, RESULT, STOP], "usage twice"],
    ["two results", [INIT, USAGE, RESULT, RESULT, STOP], "result between result and message_stop"],
    ["message_stop alone", [INIT, STOP], "without a result"],
    ["a result of no call", [INIT, done("1")], "without an open tool_use"],
    ["two calls at once", [INIT, use("1"), use("2"), done("1"), done("2")], "2 before the result of another"],
    ["a call twice", [INIT, use("1"), done("1"), use("1"), done("1"), USAGE, RESULT, STOP], "1 twice"],
    ["a call left open", [INIT, use("1"), USAGE, RESULT, STOP], "while 1 has none"],
    [
      "half an output",
      [INIT, use("1"), done("1", { part: 1, last: false }), USAGE, RESULT, STOP],
      "while 1 has none",
    ],
    ["a question left open", [INIT, ASK, USAGE, RESULT, STOP], "q waits"],
    ["an answer to nothing", [INIT, ANSWER], "nobody asked"],
    [
      "a failure called a success",
      [INIT, USAGE, { ...RESULT, is_error: true }, STOP],
      "success and is_error true",
    ],
    [
      "a failure without a reason",
      [INIT, USAGE, { ...RESULT, subtype: "error", is_error: true }, STOP],
      "does not say which",
    ],
    ["empty text", [INIT, { ...TEXT, text: "" }, USAGE, RESULT, STOP], "text without text"],
    ["a long line", [INIT, { ...TEXT, text: "x".repeat(100_000) }, USAGE, RESULT, STOP], "a line of"],
    ["half a character", [INIT, { ...TEXT, text: "\ud800" }, USAGE, RESULT, STOP], "surrogate"],
    ["a colour", [INIT, { ...TEXT, text: "\u001b[31m" }, USAGE, RESULT, STOP], "escape sequence"],
  ])("notice %s", (_, events, sentence) => {
    expect(wrong(events).join("\n")).toContain(sentence);
  });
});

describe("the schema", () => {
  it("keeps fields that it does not know", () => {
    const event = { ...TEXT, seq: 1, timestamp: "", extra: { deep: [1] } };
    expect(eventSchema.parse(event)).toEqual(event);
    const steering = { type: "prompt", text: "Hello", extra: 1 };
    expect(steeringSchema.parse(steering)).toEqual(steering);
  });

  it("is published with every event and with what steers a run", () => {
    const { $defs } = eventsJsonSchema() as { $defs: Record<string, unknown> };
    expect(Object.keys($defs)).toEqual(expect.arrayContaining(["text", "result", "system_init", "Steering"]));
  });
});

it("docs/live.md names every event, failure, mode and line that steers", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/live.md"), "utf8");
  const types = eventSchema.options.flatMap((one) =>
    "options" in one
      ? one.options.flatMap(({ shape }) => [shape.type.value, shape.subtype.value])
      : [one.shape.type.value],
  );
  const steering = steeringSchema.options.map(({ shape }) => shape.type.value);
  const missing = (names: readonly string[]) => names.filter((name) => !page.includes(`\`${name}\``));
  expect(missing([...types, ...FAILURES, ...PERMISSION_MODES])).toEqual([]);
  expect(steering.filter((name) => !page.includes(`"type":"${name}"`))).toEqual([]);
  expect(types).toContain("approval_request" satisfies AgentEvent["type"]);
});
