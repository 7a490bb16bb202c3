// Whatever an agent says over the Agent Client Protocol, its driver goes on, and remembers little of it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decision, Input } from "../../../src/adapters/driver.ts";
import { prompted, ready, started } from "./run-told.ts";

describe("whatever it says", () => {
  const kinds = [
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "usage_update",
    "config_option_update",
    "current_mode_update",
    "compaction_update",
    "compaction_summary_chunk",
    "notice",
    "nonsense",
  ];
  const update = fc.record({
    sessionUpdate: fc.constantFrom(...kinds),
    toolCallId: fc.oneof(fc.constantFrom("a", "__proto__", "write_file__x"), fc.jsonValue()),
    status: fc.oneof(fc.constantFrom("pending", "in_progress", "completed", "failed"), fc.jsonValue()),
    kind: fc.oneof(
      fc.constantFrom("read", "edit", "delete", "move", "execute", "search", "fetch", "think"),
      fc.jsonValue(),
    ),
    content: fc.oneof(
      fc.array(
        fc.record({
          type: fc.constantFrom("content", "diff", "terminal"),
          path: fc.jsonValue(),
          oldText: fc.jsonValue(),
          newText: fc.string(),
          content: fc.jsonValue(),
        }),
      ),
      fc.jsonValue(),
    ),
    rawInput: fc.jsonValue(),
    rawOutput: fc.jsonValue(),
    locations: fc.jsonValue(),
    title: fc.jsonValue(),
    entries: fc.jsonValue(),
    configOptions: fc.jsonValue(),
    cost: fc.jsonValue(),
    summary: fc.jsonValue(),
    compactionId: fc.jsonValue(),
  });
  const message = fc.oneof(
    update.map((told) => ({ method: "session/update", params: { sessionId: "s1", update: told } })),
    fc.record({ id: fc.nat(9), result: fc.jsonValue() }),
    fc.record({ id: fc.nat(9), error: fc.jsonValue() }),
    fc.record({
      id: fc.oneof(fc.nat(), fc.string(), fc.jsonValue()),
      method: fc.constantFrom("session/request_permission", "elicitation/create", "fs/read_text_file", "x"),
      params: fc.oneof(
        fc.record({
          toolCall: fc.jsonValue(),
          options: fc.jsonValue(),
          mode: fc.constant("form"),
          requestedSchema: fc.oneof(
            fc.record({
              properties: fc.dictionary(
                fc.string(),
                fc.record({
                  type: fc.constantFrom("string", "array", "boolean", "number"),
                  enum: fc.jsonValue(),
                  items: fc.jsonValue(),
                  oneOf: fc.jsonValue(),
                }),
              ),
            }),
            fc.jsonValue(),
          ),
        }),
        fc.jsonValue(),
      ),
    }),
    fc.record({ method: fc.string(), params: fc.jsonValue() }),
  );
  const decision: fc.Arbitrary<Decision> = fc.record({
    allow: fc.boolean(),
    always: fc.boolean(),
    answers: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string()))),
  });
  const input: fc.Arbitrary<Input> = fc.oneof(
    {
      weight: 8,
      arbitrary: message.map((value) => ({ type: "line" as const, text: JSON.stringify(value) })),
    },
    fc.string().map((text) => ({ type: "line" as const, text })),
    fc.constantFrom<Input>(
      { type: "prompt", text: "Go" },
      { type: "interrupt" },
      { type: "set_model", model: "x" },
      { type: "set_mode", mode: "deny" },
    ),
    fc
      .tuple(fc.nat(20), decision)
      .map(([at, decided]) => ({ type: "decide" as const, id: `ask-${at}`, decision: decided })),
  );

  it("the driver never throws, and its state is JSON", () => {
    fc.assert(
      fc.property(fc.array(input, { maxLength: 40 }), fc.boolean(), (inputs, isReady) => {
        const { state, step } = isReady ? ready() : started({ session: "x" });
        for (const one of inputs) expect(Array.isArray(step(one))).toBe(true);
        step({ type: "end", exitCode: null, signal: "SIGKILL", stderr: "" });
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
      { numRuns: 300 },
    );
  });

  it("its state stays small", () => {
    const { state, update, line } = prompted();
    for (let at = 0; at < 100_000; at++) {
      const call = {
        sessionUpdate: "tool_call_update",
        toolCallId: `glob__${at}`,
        title: "'*'",
        kind: "search",
      };
      if (at % 4 === 0)
        update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "word " } });
      else if (at % 4 === 1) update({ ...call, status: at % 8 === 1 ? "completed" : "in_progress" });
      else if (at % 4 === 2)
        update({ sessionUpdate: "plan", entries: [{ content: `step ${at}`, status: "pending" }] });
      else line({ id: at, method: "session/request_permission", params: { toolCall: call, options: [] } });
    }
    expect(JSON.stringify(state).length).toBeLessThan(100_000);
  });
});
