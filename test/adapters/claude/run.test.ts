// Claude Code's live driver, in what its recordings do not show: how it is launched, begins and ends, what a turn is, and
// that every text is told once.
import { describe, expect, it } from "vitest";
import { driver } from "../../../src/adapters/claude/run.ts";
import type { Output } from "../../../src/adapters/driver.ts";
import type { PermissionMode } from "../../../src/session/events.ts";
import { events, lines, prompted, request, rest, result, SESSION, started } from "./live.ts";

describe("launching", () => {
  it.each<[PermissionMode, boolean]>([
    ["default", false],
    ["interactive", true],
    ["auto", true],
    ["deny", true],
  ])("in mode %s", (mode, isSet) => {
    const { argv, env } = driver.launch(request({ mode }));
    expect(argv.slice(0, 2)).toEqual(["claude", "-p"]);
    expect(argv.join(" ").includes("--permission-mode default")).toBe(isSet);
    expect(argv.join(" ")).not.toMatch(/bypass|dangerously|no-session-persistence|setting-sources/);
    // What the requests to the vendor say of who sends them stays the CLI's own.
    expect(Object.keys(env)).toEqual(["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"]);
  });

  it("goes on with a session, with a model", () => {
    const { argv } = driver.launch(request({ session: SESSION, model: "opus" }));
    expect(argv.slice(-4)).toEqual(["--resume", SESSION, "--model", "opus"]);
  });
});

describe("starting and ending", () => {
  const answer = (response: object) => ({
    type: "control_response",
    response: { request_id: "baton-1", ...response },
  });

  it("is ready when it is initialized", () => {
    const one = started();
    expect(lines(one.step({ type: "start" }))).toMatchObject([{ request: { subtype: "initialize" } }]);
    expect(one.tell(answer({ subtype: "success" }))).toEqual([{ type: "ready" }]);
    expect(one.tell(answer({ subtype: "success" }))).toEqual([]);
  });

  it("says when it cannot make the CLI ask", () => {
    const one = started({ mode: "interactive" });
    one.step({ type: "start" });
    const outputs = one.tell(answer({ subtype: "success", response: { hooks_applied: false } }));
    expect(events(outputs)).toMatchObject([{ type: "system", subtype: "notice" }]);
  });

  it("changes what was wanted before that once it is ready", () => {
    const one = started({ mode: "default" });
    one.step({ type: "start" });
    expect(one.step({ type: "set_model", model: "opus" })).toEqual([]);
    expect(one.step({ type: "set_mode", mode: "deny" })).toEqual([]);
    const response = { current_permission_mode: "acceptEdits" };
    const outputs = one.tell(answer({ subtype: "success", response }));
    expect(lines(outputs).map((line) => line.request.subtype)).toEqual(["set_model", "set_permission_mode"]);
    // Back to what the user's own settings say.
    expect(lines(one.step({ type: "set_mode", mode: "default" }))[0].request.mode).toBe("acceptEdits");
  });

  it("says what the CLI does not change", () => {
    const one = prompted();
    one.step({ type: "set_mode", mode: "deny" });
    const refusal = { subtype: "error", request_id: "baton-2", error: "Not now." };
    expect(events(one.tell({ type: "control_response", response: refusal }))).toMatchObject([
      { type: "system", subtype: "error", code: "unsupported" },
      { type: "mode", mode: "auto" },
    ]);
    one.step({ type: "set_mode", mode: "interactive" });
    const success = { subtype: "success", request_id: "baton-3" };
    expect(events(one.tell({ type: "control_response", response: success }))).toEqual([
      { type: "mode", mode: "interactive" },
    ]);
  });

  it("stops when the CLI does not take its first request", () => {
    const one = started();
    one.step({ type: "start" });
    const outputs = one.tell(answer({ subtype: "error", error: "Nothing doing." }));
    expect(events(outputs)).toMatchObject([{ code: "agent_broken" }, { type: "result", is_error: true }]);
    expect(outputs.at(-1)).toEqual({ type: "stop" });
    expect(one.tell(result())).toEqual([]);
  });

  it.each([
    { type: "system", subtype: "init", session_id: "another" },
    { type: "system", subtype: "session_state_changed", state: "running", session_id: "another" },
  ])("stops when another session goes on: $subtype", (line) => {
    const one = started({ session: SESSION });
    const outputs = one.tell(line);
    expect(events(outputs)).toMatchObject([{ code: "session_missing" }, { type: "result", is_error: true }]);
    expect(outputs.at(-1)).toEqual({ type: "stop" });
  });

  it.each([
    [
      1,
      "error: unknown option '--permission-prompt-tool'",
      { code: "agent_broken", hint: expect.any(String) },
    ],
    [1, "No conversation found with session ID: x", { code: "session_missing" }],
    [2, "", { code: "agent_broken" }],
  ])("knows why it never was ready: %s %s", (exitCode, stderr, expected) => {
    expect(events(started().step({ type: "end", exitCode, signal: null, stderr }))).toMatchObject([expected]);
  });

  it.each([
    [null, "SIGKILL"],
    [143, null],
    [0, null],
  ])("leaves other ends to the run: %s %s", (exitCode, signal) => {
    expect(started().step({ type: "end", exitCode, signal, stderr: "" })).toEqual([]);
    expect(prompted().step({ type: "end", exitCode: 1, signal: null, stderr: "" })).toEqual([]);
  });
});

describe("a turn", () => {
  it("that nobody asked for is announced, and has a result whatever comes of it", () => {
    const one = prompted();
    one.tell(result({ result: "First." }));
    one.tell(rest("idle"));
    expect(events(one.tell(rest("running")))).toEqual([{ type: "begin" }]);
    expect(events(one.tell(rest("running")))).toEqual([]);
    expect(events(one.tell(rest("idle")))).toMatchObject([{ type: "result" }]);
    one.step({ type: "prompt", text: "Go" });
    expect(events(one.tell(rest("running")))).toEqual([]);
  });

  it("that nobody asked for ends together with a prompt that comes in the middle of it", () => {
    const one = prompted();
    one.tell(result());
    one.tell(rest("idle"));
    one.tell(rest("running"));
    one.step({ type: "prompt", text: "Again" });
    expect(events(one.tell(result({ result: "Its own." }))).map(({ type }) => type)).toEqual(["usage"]);
    expect(events(one.tell(result({ result: "The answer." }))).map(({ type }) => type)).toEqual(["usage"]);
    expect(events(one.tell(rest("idle")))).toMatchObject([{ type: "result", text: "The answer." }]);
  });

  it("is no sign of work that it is there", () => {
    expect(driver.isPulse?.('{"type":"keep_alive"}')).toBe(true);
    expect(driver.isPulse?.('{"type":"assistant"}')).toBe(false);
  });

  it("is over when the CLI is at rest, whatever results came before", () => {
    const one = prompted();
    expect(events(one.tell(result({ result: "First." }))).map(({ type }) => type)).toEqual(["usage"]);
    expect(events(one.tell(result({ result: "Last." }))).map(({ type }) => type)).toEqual(["usage"]);
    expect(events(one.tell(rest("idle")))).toEqual([
      { type: "result", is_error: false, stop_reason: "end_turn", text: "Last." },
    ]);
    expect(one.tell(rest("idle"))).toEqual([]);
  });

  it("is over with its result where the CLI does not say when it is at rest", () => {
    const one = prompted();
    one.tell(result());
    one.tell(rest("idle"));
    one.step({ type: "prompt", text: "Again" });
    expect(events(one.tell(result()))).toMatchObject([{ type: "usage" }, { type: "result" }]);
  });

  it("is over without a result too", () => {
    expect(events(prompted().tell(rest("idle")))).toEqual([{ type: "result" }]);
  });

  it("counts tokens and dollars since the last result, of all models", () => {
    const model_usage_since_last_result = {
      one: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, thinkingTokens: 1, costUSD: 0.5 },
      two: { inputTokens: 10, outputTokens: 20, cacheCreationInputTokens: 4, costUSD: 0.25 },
    };
    const total = { total_cost_usd: 99, usage: { input_tokens: 500 } };
    expect(events(prompted().tell(result({ ...total, model_usage_since_last_result })))).toEqual([
      {
        type: "usage",
        input_tokens: 11,
        output_tokens: 22,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 4,
        reasoning_tokens: 1,
        total_cost_usd: 0.75,
      },
    ]);
  });

  it("does not believe what an unknown model costs", () => {
    const facts = { inputTokens: 1, outputTokens: 2, costUSD: 0.5, costBasis: "unknown" };
    const [usage] = events(prompted().tell(result({ model_usage_since_last_result: { odd: facts } })));
    expect(usage).toMatchObject({ model: "odd", input_tokens: 1 });
    expect(usage).not.toHaveProperty("total_cost_usd");
  });

  it("takes the difference of the totals of earlier versions", () => {
    const cost = (one: ReturnType<typeof prompted>, total_cost_usd: number) =>
      events(one.tell(result({ total_cost_usd }))).map(
        (event) => "total_cost_usd" in event && event.total_cost_usd,
      );
    const one = prompted();
    expect(cost(one, 0.5)).toEqual([0.5]);
    expect(cost(one, 0.75)).toEqual([0.25]);
    // What a session has cost before is in its first total.
    const resumed = prompted({ session: SESSION });
    expect(cost(resumed, 5)).toEqual([false]);
    expect(cost(resumed, 5.5)).toEqual([0.5]);
  });
});

describe("what is said", () => {
  const delta = (index: number, text: string) => ({
    type: "stream_event",
    event: { type: "content_block_delta", index, delta: { type: "text_delta", text } },
  });
  const whole = (id: string, text: string, parent: string | null = null) => ({
    type: "assistant",
    parent_tool_use_id: parent,
    message: { id, content: [{ type: "text", text }] },
  });
  const texts = (outputs: Output[]) =>
    events(outputs).map((event) => ("text" in event ? event.text : event.type));

  it("is said once, in pieces or as a whole", () => {
    const one = prompted();
    one.tell({ type: "stream_event", event: { type: "message_start", message: { id: "m" } } });
    const outputs = [
      delta(0, "One"),
      // The whole block may come before or after the next has begun.
      delta(1, "Two"),
      whole("m", "Of a subagent", "toolu_1"),
      whole("m", "One"),
      whole("m", "Two"),
      whole("m", "Three, which never came in pieces"),
      whole("other", "Of another message"),
    ].flatMap((line) => one.tell(line));
    expect(texts(outputs)).toEqual([
      "One",
      "Two",
      "Of a subagent",
      "Three, which never came in pieces",
      "Of another message",
    ]);
  });

  it("has results of every shape", () => {
    const content = [
      { type: "tool_result", tool_use_id: "a", content: "plain" },
      { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "x" }, { type: "image" }] },
      { type: "tool_result", tool_use_id: "c", is_error: true },
      { type: "tool_result", content: "of nothing" },
    ];
    expect(events(prompted().tell({ type: "user", message: { content } }))).toEqual([
      { type: "tool_result", tool_use_id: "a", content: "plain", is_error: false },
      { type: "tool_result", tool_use_id: "b", content: "x\n[image]", is_error: false },
      { type: "tool_result", tool_use_id: "c", content: "", is_error: true },
    ]);
  });

  it("has the vendor's own tools and what came of them", () => {
    const content = [
      { type: "server_tool_use", id: "a", name: "web_search", input: { query: "q" } },
      { type: "web_search_tool_result", tool_use_id: "a", content: [{ type: "text", text: "found" }] },
    ];
    expect(events(prompted().tell({ type: "assistant", message: { id: "m", content } }))).toMatchObject([
      { type: "tool_use", id: "a", call: { tool: "web_search" } },
      { type: "tool_result", tool_use_id: "a", content: "found" },
    ]);
  });

  it("has a compaction, with its summary or without", () => {
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      compact_metadata: { trigger: "auto" },
    };
    const summary = { type: "user", isSynthetic: true, message: { content: "What they said." } };
    const one = prompted();
    expect(one.tell(boundary)).toEqual([]);
    const compact = { type: "system", subtype: "compact_boundary", trigger: "auto" };
    expect(events(one.tell(summary))).toEqual([{ ...compact, summary: "What they said." }]);
    one.tell(boundary);
    expect(events(one.tell(whole("m", "Going on")))).toMatchObject([compact, { type: "text" }]);
  });
});
