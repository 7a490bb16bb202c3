// What becomes of a turn: what is told once, when it is over, and what every failure means.
import { describe, expect, it } from "vitest";
import { driver } from "../../../src/adapters/opencode/run.ts";
import { busy, ready, SESSION } from "./told.ts";

describe("a turn", () => {
  it("tells texts once, in pieces or whole, and nothing that the user said", () => {
    const told = busy()
      .event("message.updated", { sessionID: SESSION, info: { id: "msg_0", role: "user" } })
      .part({ id: "prt_0", messageID: "msg_0", type: "text", text: "Go" })
      .part({ id: "prt_1", type: "reasoning", text: "" });
    for (const delta of ["I th", "ink", ""])
      told.event("message.part.delta", {
        sessionID: SESSION,
        messageID: "msg_1",
        partID: "prt_1",
        field: "text",
        delta,
      });
    told.part({ id: "prt_1", type: "reasoning", text: "I think so" });
    told
      .part({ id: "prt_2", type: "text", text: "Whole." })
      .part({ id: "prt_2", type: "text", text: "Whole." });
    expect(told.events("thinking").map(({ text }) => text)).toEqual(["I th", "ink", " so"]);
    expect(told.events("text")).toEqual([{ type: "text", text: "Whole.", message: "prt_2" }]);
  });

  it("tells a call when its arguments are whole, and its result once", () => {
    const input = { command: "ls" };
    const told = busy()
      .tool("call_1", { status: "pending", input: {}, raw: "" })
      .tool("call_1", { status: "running", input })
      .tool("call_1", { status: "running", input, metadata: { output: "a" } });
    for (let times = 0; times < 2; times++)
      told.tool("call_1", { status: "completed", input, output: "a\n", metadata: { exit: 2 } });
    expect(told.events("tool_use")).toMatchObject([
      { id: "call_1", name: "bash", input, call: { tool: "bash", input } },
    ]);
    expect(told.events("tool_result")).toEqual([
      { type: "tool_result", tool_use_id: "call_1", content: "a\n", is_error: true },
    ]);
  });

  it("tells what a stopped call had said, and no call that nobody finished", () => {
    const metadata = { interrupted: true, output: "half" };
    const told = busy()
      .tool("call_1", { status: "error", input: { command: "ls" }, error: "Aborted", metadata })
      .tool("call_2", { status: "error", input: {}, raw: "{", error: "Aborted", metadata });
    expect(told.events("tool_result")).toMatchObject([{ content: "half\nAborted", is_error: true }]);
    expect(told.events("tool_use")).toHaveLength(1);
  });

  it("counts every step once, and reasoning as part of the output", () => {
    const cache = { read: 30, write: 4 };
    const tokens = { total: 59, input: 10, output: 10, reasoning: 5, cache };
    const told = busy();
    for (let times = 0; times < 2; times++)
      told.part({ id: "prt_1", type: "step-finish", tokens, cost: 0.5 });
    expect(told.events("usage")).toEqual([
      {
        type: "usage",
        input_tokens: 10,
        output_tokens: 15,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 4,
        reasoning_tokens: 5,
        total_cost_usd: 0.5,
      },
    ]);
  });

  it("that fails is idle twice, and has one result", () => {
    const error = { name: "APIError", data: { message: "No.", statusCode: 401 } };
    const told = busy().error(error.name, error.data).idle();
    expect(told.events("result")).toEqual([]);
    told.replyOver("msg_1", { error }).idle();
    expect(told.events("error")).toHaveLength(1);
    expect(told.events("result")).toHaveLength(1);
  });

  it("that fails before its reply is not blamed on the next one", () => {
    const told = ready()
      .tell({ type: "prompt", text: "Go" })
      .answer("/session", { id: SESSION })
      .status("busy");
    told.error("UnknownError", { message: "Model not found: sim/x." }).idle();
    expect(told.events("error")).toMatchObject([{ code: "model_unknown" }]);
    told.tell({ type: "prompt", text: "Again" });
    told.error("UnknownError", {
      message: "ProviderModelNotFoundError: Model not found: sim/x.\n    at run (a.js)",
    });
    expect(told.events("result")).toHaveLength(1);
    told.status("busy").reply("msg_1").replyOver("msg_1").idle();
    expect(told.events("error")).toHaveLength(1);
    expect(told.events("result")).toHaveLength(2);
  });

  it("that dies without a word has its reason after it is idle", () => {
    const told = ready().tell({ type: "prompt", text: "Go" }).answer("/session", { id: SESSION });
    told.status("busy").idle();
    expect(told.events("result")).toEqual([]);
    told.error("UnknownError", { message: "TypeError: x is undefined\n    at run (a.js)" });
    expect(told.events("error")).toMatchObject([{ code: "failed", message: "TypeError: x is undefined" }]);
    expect(told.events("result")).toHaveLength(1);
  });

  it("that never begins fails when OpenCode says so", () => {
    const told = ready().tell({ type: "prompt", text: "Go" }).answer("/session", { id: SESSION });
    told.error("UnknownError", { message: 'Agent not found: "mine".' });
    expect(told.events("result")).toHaveLength(1);
    const refused = ready().tell({ type: "prompt", text: "Go" }).answer("/session", { id: SESSION });
    refused.answer("/prompt_async", { name: "NotFoundError", data: { message: "Session not found" } }, 404);
    expect(refused.events("error")).toMatchObject([{ code: "session_missing" }]);
    expect(refused.events("result")).toHaveLength(1);
  });

  it("goes on after a context that was too long", () => {
    const told = busy().error("ContextOverflowError", { message: "too long" }).replyOver("msg_1");
    told.reply("msg_2").replyOver("msg_2").idle();
    expect(told.events("system")).toMatchObject([{ subtype: "error", code: "context_too_long" }]);
    expect(told.events("error")).toEqual([]);
    expect(told.events("result")).toHaveLength(1);
  });

  it("does not mind other sessions", () => {
    const told = busy().reply("msg_9", {}, "ses_other");
    told.part({ id: "prt_9", messageID: "msg_9", type: "text", text: "Mine" }, "ses_other");
    told
      .error("UnknownError", { message: "theirs" }, "ses_other")
      .event("session.idle", { sessionID: "ses_other" });
    told.permission("per_1", { sessionID: "ses_other" });
    for (const type of ["text", "error", "result", "ask"] as const) expect(told.events(type)).toEqual([]);
  });

  it("may begin without a prompt, which is told once something comes of it", () => {
    const told = busy().replyOver("msg_1").idle();
    expect(told.events("begin")).toEqual([]);
    told.status("busy");
    expect(told.events("begin")).toEqual([]);
    told.reply("msg_2").replyOver("msg_2").reply("msg_3").replyOver("msg_3").idle();
    expect(told.events("begin")).toHaveLength(1);
    expect(told.events("result")).toHaveLength(2);
  });

  it("shows that it is there, which is no sign that it works", () => {
    const pulse = '{"id":"evt_1","type":"server.heartbeat","properties":{}}';
    expect(driver.isPulse?.(pulse)).toBe(true);
    const quoted = { id: "evt_1", type: "message", properties: { text: pulse } };
    expect(driver.isPulse?.(JSON.stringify(quoted))).toBe(false);
  });
});

describe("a failure", () => {
  const failing = (name: string, data: Record<string, unknown>) =>
    busy().error(name, data).replyOver("msg_1", { error: { name, data } }).idle();

  it.each([
    ["APIError", { message: "The key is not valid.", statusCode: 401 }, "unauthorized"],
    ["APIError", { message: "Not for you", statusCode: 403 }, "forbidden"],
    ["APIError", { message: "Slow down", statusCode: 429 }, "rate_limited"],
    ["APIError", { message: "insufficient_quota", statusCode: 429 }, "quota_exhausted"],
    ["APIError", { message: "Broken", statusCode: 500 }, "server_error"],
    ["APIError", { message: "Overloaded", statusCode: 529 }, "overloaded"],
    ["APIError", { message: "What?", statusCode: 400 }, "bad_request"],
    ["APIError", { message: "Cannot connect to API: Unable to connect. Is the computer able" }, "offline"],
    ["APIError", { message: "Cannot connect to API: The socket connection was closed" }, "stream_cut"],
    ["APIError", { message: "Connection reset by server" }, "stream_cut"],
    ["APIError", { message: "Cannot connect to API: self signed certificate" }, "tls"],
    ["ProviderAuthError", { message: "Anthropic API key is missing." }, "not_signed_in"],
    ["ProviderAuthError", { message: "The refresh token has expired" }, "token_expired"],
    ["ContextOverflowError", { message: "too long" }, "context_too_long"],
    ["UnknownError", { message: "Model not found: a/b. Did you mean: a/c?" }, "model_unknown"],
    ["ProviderModelNotFoundError", {}, "model_unknown"],
    ["MessageOutputLengthError", {}, "failed"],
  ])("%s %j is %s", (name, data, code) => {
    const told = failing(name, data);
    expect(told.events("error")).toMatchObject([{ code, message: expect.stringMatching(/./) }]);
    expect(told.events("result")).toHaveLength(1);
  });

  it("says what the vendor calls it, and how long to wait", () => {
    const told = failing("APIError", {
      message: "Too many requests.",
      statusCode: 429,
      responseHeaders: { "retry-after": "7" },
      responseBody: '{"type":"error","error":{"type":"rate_limit_error"}}',
    });
    expect(told.events("error")).toMatchObject([
      { status: 429, provider_code: "rate_limit_error", retry_after_ms: 7000 },
    ]);
  });

  it.each([
    [{ "retry-after-ms": "1500", "retry-after": "2" }, 1500],
    [{ "retry-after": "Wed, 18 Nov 2026 20:00:30 GMT", date: "Wed, 18 Nov 2026 20:00:00 GMT" }, 30_000],
    [{ "retry-after": "Wed, 18 Nov 2026 20:00:30 GMT" }, undefined],
    [{ "retry-after": "soon" }, undefined],
  ])("with %j is to be waited for %s ms", (responseHeaders, wait) => {
    const told = failing("APIError", { message: "Too many requests.", statusCode: 429, responseHeaders });
    expect(told.events("error")[0]?.retry_after_ms).toBe(wait);
  });

  it("of a filter is a refusal, of the user none at all", () => {
    expect(failing("ContentFilterError", { message: "blocked" }).events("result")).toMatchObject([
      { refused: true },
    ]);
    const stopped = failing("MessageAbortedError", { message: "Aborted" });
    expect(stopped.events("result")).toEqual([{ type: "result", interrupted: true }]);
    expect(stopped.events("error")).toEqual([]);
  });

  it("of nobody's session does not end the turn", () => {
    const told = busy().event("session.error", {
      error: { name: "UnknownError", data: { message: "a plugin" } },
    });
    expect(told.events("system")).toMatchObject([{ subtype: "error", message: "a plugin" }]);
    expect(told.events("result")).toEqual([]);
  });

  it("that is tried again says when", () => {
    // Made at 1795021196423, of which its id has the lower bits.
    const id = "evt_1ef99cc87001Rbhp9AEQfi67vE";
    const retry = (status: object) => {
      const properties = { sessionID: SESSION, status: { type: "retry", attempt: 2, ...status } };
      return busy().event("session.status", properties, id).events("retry")[0];
    };
    expect(retry({ message: "Too many requests.", next: 1_795_021_198_423 })).toMatchObject({
      attempt: 2,
      delay_ms: 2000,
      error: { code: "rate_limited" },
    });
    expect(retry({ message: "?", next: 1_795_021_196_000 })).toMatchObject({
      delay_ms: 0,
      error: { code: "server_error" },
    });
    expect(retry({ message: "Free usage exceeded", action: { reason: "free_tier_limit" } })).toMatchObject({
      error: { code: "quota_exhausted", provider_code: "free_tier_limit" },
    });
    expect(retry({ message: "?" })?.delay_ms).toBeUndefined();
  });
});
