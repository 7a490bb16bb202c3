// The protocol keeps its rules whatever a driver says, in whatever order.
import { describe, expect, it } from "vitest";
import type { Said } from "../../src/adapters/driver.ts";
import type { Protocol } from "../../src/run/protocol.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { fc } from "../property.ts";
import { END, newProtocol, result, said, short, use, wrong } from "./told.ts";

describe("order", () => {
  it("parallel calls come one after the other, in the order in which they were made", () => {
    const events = said([use("1"), use("2"), use("3"), result("3"), result("1"), result("2")]);
    const calls = ["use 1", "result 1", "use 2", "result 2", "use 3", "result 3"];
    expect(short(events)).toEqual(["init", ...calls, ...END]);
    expect(wrong(events)).toEqual([]);
  });

  it("a subagent's calls do not wait for the call that started it", () => {
    const events = said([use("task"), use("inner", "task"), result("inner"), result("task")]);
    expect(short(events)).toEqual(["init", "use task", "use inner", "result inner", "result task", ...END]);
    expect(events[2]).toMatchObject({ parent_tool_use_id: "task" });
    expect(wrong(events)).toEqual([]);
  });

  it("a result that comes before its call waits for it", () => {
    expect(short(said([result("1"), use("1")]))).toEqual(["init", "use 1", "result 1", ...END]);
  });

  it("a call that never gets a result is ended with one that says so", () => {
    const events = said([use("1"), use("2"), result("2")]);
    expect(short(events)).toEqual(["init", "use 1", "result 1", "use 2", "result 2", ...END]);
    expect(events[2]).toMatchObject({ is_error: true, content: expect.stringContaining("no result") });
    expect(events[4]).toMatchObject({ is_error: false, content: "done 2" });
  });

  it("what is told twice is said once, and a result of nothing is kept as raw text", () => {
    const events = said([use("1"), use("1"), result("1"), result("1"), use("1"), result("stranger")]);
    expect(short(events)).toEqual(["init", "use 1", "result 1", "raw", ...END]);
  });
});

describe("a turn", () => {
  it("has one result, also when the driver says nothing, or more than one", () => {
    expect(short(said([]))).toEqual(["init", ...END]);
    const protocol = newProtocol();
    const events = [
      ...protocol.begin("One"),
      ...protocol.say({ type: "result" }),
      ...protocol.say({ type: "text", text: "By itself" }),
      ...protocol.say({ type: "result" }),
      ...protocol.finish({}),
    ];
    expect(short(events)).toEqual(["init", ...END, "text", ...END]);
    expect(wrong(events)).toEqual([]);
  });

  it("that fails says which failure, with a hint, once", () => {
    const failure = { code: "not_signed_in", message: "No key", status: 401 } as const;
    const events = said([
      { type: "error", ...failure },
      { type: "error", ...failure },
      { type: "result", is_error: true },
    ]);
    expect(short(events)).toEqual(["init", "error", ...END]);
    expect(events[1]).toMatchObject({
      ...failure,
      provider: "mock",
      hint: expect.stringContaining("fake login"),
    });
    expect(events[3]).toMatchObject({ subtype: "error", is_error: true, error: failure });
  });

  it("that fails for no reason that is told still has an error", () => {
    const events = said([{ type: "result", is_error: true, text: "Sorry." }]);
    expect(events.find(({ type }) => type === "error")).toMatchObject({ code: "failed", message: "Sorry." });
  });

  it("that recovered from an error is a success when the agent says so", () => {
    const events = said([
      { type: "error", code: "stream_cut", message: "cut" },
      { type: "text", text: "All the same." },
      { type: "result", is_error: false },
    ]);
    expect(events.find(({ type }) => type === "result")).toMatchObject({
      subtype: "success",
      is_error: false,
    });
    expect(wrong(events)).toEqual([]);
  });

  it.each([
    [{ interrupted: true }, "interrupted"],
    [{ refused: true }, "refusal"],
    [{ is_error: false }, "success"],
  ] as const)("that ends with %j is a %s", (ending, subtype) => {
    const events = said([{ type: "result", ...ending }]);
    expect(events.find(({ type }) => type === "result")).toMatchObject({ subtype });
    expect(wrong(events)).toEqual([]);
  });

  it("tells tokens as the agent did, added up; otherwise as many as the texts have, marked", () => {
    const told = said([
      { type: "usage", input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 5, total_cost_usd: 0.5 },
      { type: "usage", input_tokens: 1, output_tokens: 3, total_cost_usd: 0.25 },
    ]);
    const usage = { input_tokens: 11, output_tokens: 5, cache_read_input_tokens: 5 };
    expect(told.find(({ type }) => type === "result")).toMatchObject({ usage, total_cost_usd: 0.75 });
    const untold = said([{ type: "text", text: "four words or so" }]);
    const { usage: guessed } = untold.find(({ type }) => type === "result") as Extract<
      AgentEvent,
      { type: "result" }
    >;
    expect(guessed).toMatchObject({ estimated: true, output_tokens: 4 });
    expect(guessed.input_tokens).toBeGreaterThan(0);
  });

  it.each<[string, Said[], object]>([
    ["interrupted", [{ type: "result", interrupted: true }], { output_tokens: 9, estimated: true }],
    ["failed", [{ type: "error", code: "failed", message: "No." }], { output_tokens: 9, estimated: true }],
    ["done", [{ type: "result" }], { output_tokens: 5, total_cost_usd: 0.5 }],
  ])("adds what was said since the agent told its tokens, unless it told all: %s", (how, ending, usage) => {
    const protocol = newProtocol();
    const events = [
      ...protocol.begin("A prompt"),
      ...protocol.say({ type: "text", text: "The first step." }),
      ...protocol.say({ type: "usage", input_tokens: 10, output_tokens: 5, total_cost_usd: 0.5 }),
      ...protocol.say({ type: "text", text: "four words or so" }),
      ...(how === "interrupted" ? protocol.interrupt() : []),
      ...ending.flatMap((event) => protocol.say(event)),
      ...protocol.finish({}),
    ];
    const { seq: _, timestamp: __, ...told } = events.find(({ type }) => type === "usage") as AgentEvent;
    expect(told).toEqual({ type: "usage", input_tokens: 10, ...usage });
    expect(wrong(events)).toEqual([]);
  });

  it("keeps what is estimated where an agent tells only what it has cost", () => {
    const events = said([
      { type: "text", text: "four words or so" },
      { type: "usage", total_cost_usd: 0.5 },
    ]);
    expect(events.find(({ type }) => type === "usage")).toMatchObject({
      output_tokens: 4,
      estimated: true,
      total_cost_usd: 0.5,
    });
  });

  const prices = { input: 2, output: 10 };
  const find = () => ({ matched: "a/b", source: "table" as const, prices, tiers: [] });

  it("says what all of it would cost where the agent has told a part", () => {
    const protocol = newProtocol({ priced: { find, provider: "anthropic" } });
    const events = [
      ...protocol.begin("A prompt"),
      ...protocol.say({ type: "usage", input_tokens: 1_000_000, output_tokens: 100_000, total_cost_usd: 1 }),
      ...protocol.say({ type: "text", text: "four words or so" }),
      ...protocol.interrupt(),
      ...protocol.say({ type: "result", interrupted: true }),
    ];
    expect(events.at(-2)).toMatchObject({ total_cost_usd: 3.00004, cost_computed: true });
  });

  it("says what it would cost where the agent does not, and that we computed it", () => {
    const protocol = newProtocol({ priced: { find, provider: "anthropic" } });
    const events = said([{ type: "usage", input_tokens: 1_000_000, output_tokens: 100_000 }], protocol);
    expect(events.at(-2)).toMatchObject({ total_cost_usd: 3, cost_computed: true });
  });

  it("repeats the last message only, not what was said before a call", () => {
    const events = said([
      { type: "text", text: "Looking. " },
      use("1"),
      result("1"),
      { type: "text", text: "It is " },
      { type: "text", text: "42." },
    ]);
    expect(events.at(-2)).toMatchObject({ result: "It is 42." });
  });
});

describe("init", () => {
  it("comes first whatever is said first, and what is told later becomes events", () => {
    const events = said([
      { type: "text", text: "Early" },
      { type: "init", session_id: "s-1", model: "m-1", version: "1.0" },
      { type: "init", session_id: "s-1", model: "m-2" },
    ]);
    expect(short(events)).toEqual(["init", "text", "session_id", "model", "model", ...END]);
    expect(events[2]).toMatchObject({ session_id: "s-1", previous: "" });
    expect(events[4]).toMatchObject({ model: "m-2", previous: "m-1" });
    expect(events.at(-2)).toMatchObject({ session_id: "s-1" });
  });
});

describe("lines", () => {
  it("of long outputs come in pieces that are the output again", () => {
    const content = `${"🌍 ü\u0000".repeat(60_000)}end`;
    const events = said([use("1"), result("1", { content })]);
    expect(wrong(events)).toEqual([]);
    const parts = events.flatMap((event) => (event.type === "tool_result" ? [event] : []));
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map(({ content }) => content).join("")).toBe(content);
    expect(parts.map(({ part }) => part)).toEqual(parts.map((_, at) => at + 1));
    expect(parts.filter(({ last }) => last)).toEqual([parts.at(-1)]);
  });

  it("of long texts too", () => {
    const text = "\u0001\u0002".repeat(50_000);
    const events = said([{ type: "text", text }]);
    expect(wrong(events)).toEqual([]);
    expect(events.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe(text);
    expect(events.at(-2)).toMatchObject({ truncated: true });
  });

  it("of long arguments are cut, and the whole is kept", () => {
    const kept = new Map<string, unknown>();
    const protocol = newProtocol({
      keepInput(id, input) {
        kept.set(id, input);
        return `/kept/${id}`;
      },
    });
    const input = { path: "a.txt", content: "line\n".repeat(100_000) };
    const events = said(
      [{ type: "tool_use", id: "1", name: "write_file", input, call: { tool: "write", input } }],
      protocol,
    );
    expect(wrong(events)).toEqual([]);
    expect(events[1]).toMatchObject({ input_path: "/kept/1", input: { file_path: "a.txt" } });
    expect(kept.get("1")).toEqual({ file_path: "a.txt", content: input.content });
    const call = { tool: "write" as const, input };
    const asked = protocol.asked({ type: "ask", id: "2", name: "write_file", input, call }, 1000);
    expect(asked.at(-1)).toMatchObject({ type: "approval_request", input_path: "/kept/2 asked" });
  });

  it("of many questions with many answers are short enough to be read", () => {
    const option = { label: "ü".repeat(500), description: "é".repeat(500) };
    const one = { question: "Which? ".repeat(500), options: Array.from({ length: 40 }, () => option) };
    const protocol = newProtocol();
    const questions = Array.from({ length: 60 }, () => one);
    const call = { tool: "ask" as const, input: { questions } };
    const events = protocol.asked({ type: "ask", id: "1", name: "ask", input: {}, call, questions }, 1000);
    expect(wrong([...events, ...protocol.finish({})])).toEqual([]);
    const asked = events.find((event) => event.type === "approval_request");
    expect(asked?.questions?.length).toBeGreaterThan(3);
    expect(asked?.questions?.[0]?.options?.length).toBeGreaterThan(10);
  });

  it("have no sequence that comes in two pieces either", () => {
    const events = said([
      { type: "text", text: "a\u001b[3" },
      { type: "text", text: "1mred\u009b0m b" },
    ]);
    expect(wrong(events)).toEqual([]);
    expect(events.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe("ared b");
  });

  it("have no escape sequence and no half character", () => {
    const bad = "\u001b[31mred\u001b[0m \ud800 \u001b]0;title\u0007";
    const events = said([
      { type: "text", text: bad },
      {
        type: "tool_use",
        id: "1",
        name: bad,
        input: { a: bad },
        call: { tool: "unknown", input: { a: [bad] } },
      },
      result("1", { content: bad }),
      { type: "raw", text: bad },
      { type: "error", code: "failed", message: bad },
      { type: "retry", attempt: 1, error: { code: "failed", message: bad } },
      { type: "system", subtype: "notice", message: bad },
    ]);
    expect(wrong(events)).toEqual([]);
    expect(events[1]).toMatchObject({ text: "red \ufffd " });
  });
});

const words = fc.oneof(fc.string(), fc.constantFrom("\u001b[1m", "\ud800", "🌍", "x".repeat(120_000)));
const id = fc.constantFrom("1", "2", "3", "__proto__");
/** What a subagent does, also one whose call waits, calls itself, or is not known. */
const above = fc.option(
  fc.constantFrom("1", "2", "constructor").map((one) => ({ parent_tool_use_id: one })),
  { nil: {}, freq: 2 },
);
const failure = fc.record({ code: fc.constantFrom("failed", "rate_limited", "dns"), message: words });
const fromSubagent = <T>(events: fc.Arbitrary<T>) =>
  fc.tuple(events, above).map(([event, from]) => ({ ...event, ...from }));
const anything: fc.Arbitrary<Said> = fc.oneof(
  fromSubagent(
    fc.record({
      type: fc.constantFrom("text", "thinking"),
      text: words,
      message: fc.option(id, { nil: undefined }),
    }),
  ),
  fc.record({ type: fc.constant("init"), session_id: id, model: words }),
  fc.constant({ type: "begin" }),
  { weight: 4, arbitrary: fromSubagent(id.map((one) => use(one))) },
  fromSubagent(
    fc.tuple(id, words, fc.boolean()).map(([one, content, is_error]) => result(one, { content, is_error })),
  ),
  fc.record({ type: fc.constant("usage"), input_tokens: fc.nat(), output_tokens: fc.nat() }),
  fromSubagent(failure.map((one) => ({ type: "error", ...one }))),
  fromSubagent(failure.map((one) => ({ type: "system", subtype: "error", ...one }))),
  fromSubagent(
    fc.record({
      type: fc.constant("system"),
      subtype: fc.constantFrom("notice", "compact_boundary"),
      message: words,
    }),
  ),
  fromSubagent(fc.record({ type: fc.constant("retry"), attempt: fc.nat(), error: failure })),
  fc.record({ type: fc.constant("result"), is_error: fc.boolean(), interrupted: fc.boolean(), text: words }),
  fc.record({ type: fc.constant("raw"), text: words }),
) as fc.Arbitrary<Said>;

/** One of the things that can happen to a run. */
type Step = (protocol: Protocol) => AgentEvent[];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: anything.map(
      (event): Step =>
        (protocol) =>
          protocol.say(event),
    ),
  },
  fc.tuple(id, above).map(([one, from]): Step => {
    const call = { tool: "bash" as const, input: { command: "x" } };
    return (protocol) => protocol.asked({ type: "ask", id: one, name: "shell", input: {}, call, ...from }, 1);
  }),
  fc.tuple(id, fc.constantFrom("allow", "deny")).map(
    ([one, decision]): Step =>
      (protocol) =>
        protocol.decided(one, decision, "user"),
  ),
  fc.constant<Step>((protocol) => protocol.interrupt()),
  fc.constant<Step>((protocol) => protocol.modeIs("auto")),
  fc.constant<Step>((protocol) => protocol.begin("Another prompt")),
);

it("keeps every rule, whatever is said and done in whatever order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      const protocol = newProtocol();
      const events = steps.flatMap((one) => one(protocol));
      expect(wrong([...events, ...protocol.finish({})])).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
