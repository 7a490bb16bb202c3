// What Codex asks while it runs and how it is answered, and what its failures are called, beyond what was recorded.
import { describe, expect, it } from "vitest";
import type { Decision } from "../../../src/adapters/driver.ts";
import { events, lines, opened, prompted, THREAD } from "./live.ts";

type Running = ReturnType<typeof prompted>;

const decide = (one: Running, id: string, decision: Decision) =>
  lines(one.step({ type: "decide", id, decision }))[0];

describe("approvals", () => {
  const approval = {
    itemId: "call_1",
    command: "/bin/bash -lc 'rm x'",
    cwd: "/home/user/project",
    reason: "Why",
  };

  it.each<[Decision, string]>([
    [{ allow: true }, "accept"],
    [{ allow: true, always: true }, "acceptForSession"],
    [{ allow: false, message: "No." }, "decline"],
  ])("of a command: %j", (decision, word) => {
    const one = prompted();
    expect(events(one.ask(7, "item/commandExecution/requestApproval", approval))).toEqual([
      {
        type: "ask",
        id: "7",
        tool_use_id: "call_1",
        name: "exec_command",
        input: { cmd: "rm x" },
        call: { tool: "bash", input: { command: "rm x" } },
        reason: "Why",
      },
    ]);
    expect(decide(one, "7", decision)).toEqual({ id: 7, result: { decision: word } });
    expect(decide(one, "7", decision)).toBeUndefined();
  });

  it("of the network name the host", () => {
    const one = prompted();
    const network = { itemId: "call_1", networkApprovalContext: { host: "example.com", protocol: "https" } };
    expect(events(one.ask("n", "item/commandExecution/requestApproval", network))).toMatchObject([
      { id: "n", name: "network_access", input: { host: "example.com" }, call: { tool: "unknown" } },
    ]);
    expect(decide(one, "n", { allow: false }).id).toBe("n");
  });

  it("of a patch say what it changes", () => {
    const one = prompted();
    const changes = [{ path: "/a", kind: { type: "add" }, diff: "x\n" }];
    one.item("started", { type: "fileChange", id: "call_1", changes });
    expect(events(one.ask(0, "item/fileChange/requestApproval", { itemId: "call_1" }))).toMatchObject([
      { call: { tool: "write", input: { path: "/a", content: "x\n" } }, tool_use_id: "call_1" },
    ]);
    expect(
      events(one.ask(1, "item/fileChange/requestApproval", { itemId: "other", grantRoot: "/r" })),
    ).toMatchObject([{ call: { tool: "edit", input: { path: "/r" } } }]);
  });

  it("of more permissions grant what was wanted, or nothing", () => {
    const permissions = { network: { enabled: true }, fileSystem: null };
    const answer = (decision: Decision) => {
      const one = prompted();
      one.ask(3, "item/permissions/requestApproval", { itemId: "call_1", permissions });
      return decide(one, "3", decision).result;
    };
    expect(answer({ allow: true })).toEqual({ permissions: { network: { enabled: true } }, scope: "turn" });
    expect(answer({ allow: true, always: true }).scope).toBe("session");
    expect(answer({ allow: false, always: true })).toEqual({ permissions: {}, scope: "turn" });
  });

  it("are withdrawn when Codex does not wait any more", () => {
    const one = prompted();
    one.ask(5, "item/commandExecution/requestApproval", approval);
    expect(events(one.notice("serverRequest/resolved", { requestId: 5 }))).toEqual([
      { type: "unask", id: "5" },
    ]);
    expect(one.notice("serverRequest/resolved", { requestId: 5 })).toEqual([]);
    expect(decide(one, "5", { allow: true })).toBeUndefined();
  });

  it("between two turns are not asked", () => {
    const say = (mode: "auto" | "interactive") =>
      opened({ mode }).ask(5, "item/commandExecution/requestApproval", { threadId: "agent", ...approval });
    expect(lines(say("auto"))[0].result).toEqual({ decision: "accept" });
    expect(lines(say("interactive"))[0].result).toEqual({ decision: "decline" });
    expect(events(say("interactive"))).toMatchObject([{ subtype: "notice" }]);
  });

  it.each([
    [
      "a form",
      { mode: "form", message: "Who?", requestedSchema: { properties: { name: { type: "string" } } } },
    ],
    ["a link", { mode: "url", message: "Sign in", url: "http://127.0.0.1/x" }],
  ])("between two turns %s is declined, also where everything is allowed", (_, wanted) => {
    const asked = { threadId: "agent", serverName: "shop", ...wanted };
    const told = opened({ mode: "auto" }).ask(5, "mcpServer/elicitation/request", asked);
    expect(lines(told)[0].result).toMatchObject({ action: "decline" });
    expect(events(told)).toMatchObject([{ subtype: "notice" }]);
  });
});

describe("questions", () => {
  const question = { id: "q", header: "Colour", question: "Which?", isSecret: false };
  const options = [{ label: "Red", description: "" }, { label: "Blue", description: "sea" }, { no: "label" }];

  it("are answered by what was asked, or by their id", () => {
    const one = prompted();
    const asked = one.ask(1, "item/tool/requestUserInput", {
      itemId: "c",
      questions: [
        { ...question, options },
        { ...question, id: "r", question: "And why?", options: null },
      ],
    });
    expect(events(asked)).toMatchObject([
      {
        questions: [
          {
            question: "Which?",
            header: "Colour",
            options: [{ label: "Red" }, { label: "Blue", description: "sea" }],
          },
          { question: "And why?", header: "Colour" },
        ],
      },
    ]);
    const answers = { "Which?": ["Red", "Blue"], r: "Because." };
    expect(decide(one, "1", { allow: true, answers }).result).toEqual({
      answers: { q: { answers: ["Red", "Blue"] }, r: { answers: ["Because."] } },
    });
  });

  it("are told apart where they are the same", () => {
    const one = prompted();
    const questions = [question, { ...question, id: "r" }];
    expect(events(one.ask(1, "item/tool/requestUserInput", { questions }))).toMatchObject([
      { questions: [{ question: "Which?" }, { question: "Which? (2)" }] },
    ]);
    const answers = { "Which?": "this", "Which? (2)": "that" };
    expect(decide(one, "1", { allow: true, answers }).result).toEqual({
      answers: { q: { answers: ["this"] }, r: { answers: ["that"] } },
    });
    const path = { type: "string", description: "Path" };
    const oneOf = [
      { const: "a", title: "It" },
      { const: "b", title: "It" },
    ];
    const requestedSchema = { properties: { from: path, to: path, how: { type: "string", oneOf } } };
    const asked = one.ask(2, "mcpServer/elicitation/request", {
      serverName: "s",
      mode: "form",
      requestedSchema,
    });
    expect(events(asked)).toMatchObject([
      {
        questions: [
          { question: "Path" },
          { question: "Path (2)" },
          { question: "how", options: [{ label: "It" }, { label: "It (2)" }] },
        ],
      },
    ]);
    const filled = { Path: "x", "Path (2)": "y", how: "It (2)" };
    expect(decide(one, "2", { allow: true, answers: filled }).result).toMatchObject({
      content: { from: "x", to: "y", how: "b" },
    });
  });

  it("are left open when nobody answers", () => {
    const one = prompted();
    one.ask(1, "item/tool/requestUserInput", { questions: [question] });
    expect(decide(one, "1", { allow: false }).result).toEqual({ answers: {} });
  });

  it("of a server become a form", () => {
    const one = prompted();
    const properties = {
      tags: {
        type: "array",
        title: "Tags",
        items: { anyOf: [{ const: "x", title: "The X" }, { const: "y" }] },
      },
      level: { type: "number", description: "How high?" },
      isOld: { type: "boolean" },
      none: { type: "string" },
    };
    const asked = one.ask(1, "mcpServer/elicitation/request", {
      serverName: "shop",
      mode: "form",
      _meta: null,
      message: "Please.",
      requestedSchema: { type: "object", properties },
    });
    expect(events(asked)).toMatchObject([
      {
        reason: "Please.",
        questions: [
          { question: "Tags", options: [{ label: "The X" }, { label: "y" }], multiple: true },
          { question: "How high?", header: "level" },
          { question: "isOld", options: [{ label: "Yes" }, { label: "No" }] },
          { question: "none" },
        ],
      },
    ]);
    const answers = { Tags: ["The X", "y"], "How high?": "2.5", isOld: "true" };
    const content = { tags: ["x", "y"], level: 2.5, isOld: true };
    expect(decide(one, "1", { allow: true, answers }).result).toEqual({
      action: "accept",
      content,
      _meta: null,
    });
  });

  it.each<[string, Record<string, string>, object]>([
    ["an empty answer", { "How many?": "" }, { action: "cancel", content: null, _meta: null }],
    ["no number", { "How many?": "some" }, { action: "cancel", content: null, _meta: null }],
    ["no answer", {}, { action: "cancel", content: null, _meta: null }],
    [
      "nothing that it can do without",
      { "How many?": "0", isOld: "", level: " " },
      { action: "accept", content: { n: 0 }, _meta: null },
    ],
    [
      "a no",
      { "How many?": "1", isOld: "no", level: "-1e3" },
      { action: "accept", content: { n: 1, isOld: false, level: -1000 }, _meta: null },
    ],
  ])("of a server get no form back that lacks what it needs: %s", (_, answers, result) => {
    const one = prompted();
    const properties = {
      n: { type: "integer", description: "How many?" },
      isOld: { type: "boolean" },
      level: { type: "number" },
    };
    const requestedSchema = { type: "object", properties, required: ["n"] };
    one.ask(1, "mcpServer/elicitation/request", { serverName: "shop", mode: "form", requestedSchema });
    expect(decide(one, "1", { allow: true, answers }).result).toEqual(result);
  });

  it("about a link are agreed to, or not", () => {
    const one = prompted();
    const link = { serverName: "shop", mode: "url", message: "Sign in", url: "http://127.0.0.1/x" };
    expect(events(one.ask(1, "mcpServer/elicitation/request", link))).toMatchObject([
      { questions: [{ question: "Sign in\nhttp://127.0.0.1/x", options: [{ label: "Done" }] }] },
    ]);
    expect(decide(one, "1", { allow: false }).result).toEqual({
      action: "decline",
      content: null,
      _meta: null,
    });
  });

  it("whether a tool may be called name the call", () => {
    const one = prompted();
    const ask = (id: number) =>
      events(
        one.ask(id, "mcpServer/elicitation/request", {
          serverName: "shop",
          mode: "form",
          message: 'Allow the shop MCP server to run tool "buy"?',
          _meta: { codex_approval_kind: "mcp_tool_call", tool_params: { what: "tea" } },
        }),
      );
    expect(ask(1)).toMatchObject([
      { name: "mcp__shop__buy", input: { what: "tea" }, call: { tool: "unknown" } },
    ]);
    one.item("started", {
      type: "mcpToolCall",
      id: "call_9",
      server: "shop",
      tool: "buy",
      arguments: { what: "milk" },
    });
    expect(ask(2)).toMatchObject([{ tool_use_id: "call_9", input: { what: "milk" } }]);
    expect(decide(one, "2", { allow: true, always: true }).result).toMatchObject({
      action: "accept",
      _meta: { persist: "session" },
    });
  });
});

describe("what nobody here can do", () => {
  it.each(["attestation/generate", "currentTime/read", "account/chatgptAuthTokens/refresh", "something/new"])(
    "is refused: %s",
    (method) => {
      expect(lines(prompted().ask(4, method, {}))).toMatchObject([{ id: 4, error: { code: -32601 } }]);
    },
  );

  it("is a failed call where it is a tool of ours", () => {
    expect(lines(prompted().ask(4, "item/tool/call", { tool: "x" }))).toMatchObject([
      { id: 4, result: { success: false } },
    ]);
  });
});

describe("failures", () => {
  const told = (error: object, willRetry = false) => events(prompted().notice("error", { error, willRetry }));
  const http = (name: string, httpStatusCode: number | null) => ({ [name]: { httpStatusCode } });

  it.each([
    ["contextWindowExceeded", "Codex ran out of room.", "context_too_long"],
    ["usageLimitExceeded", "You’ve hit your usage limit.", "quota_exhausted"],
    ["sessionBudgetExceeded", "Enough.", "quota_exhausted"],
    ["rateLimitExceeded", "rate limit exceeded", "rate_limited"],
    ["serverOverloaded", "Selected model is at capacity.", "overloaded"],
    ["modelNotFound", "There is none.", "model_unknown"],
    ["internalServerError", "We’re currently experiencing high demand.", "server_error"],
    ["cyberPolicy", "No.", "refused"],
    [
      http("httpConnectionFailed", 401),
      "unexpected status 401 Unauthorized: The key is not valid.",
      "unauthorized",
    ],
    [
      http("httpConnectionFailed", 401),
      "unexpected status 401: You didn't provide an API key.",
      "not_signed_in",
    ],
    [http("httpConnectionFailed", 403), "unexpected status 403 Forbidden: Not for you.", "forbidden"],
    [
      http("httpConnectionFailed", 404),
      "unexpected status 404: The model `x` does not exist.",
      "model_unknown",
    ],
    [http("responseTooManyFailedAttempts", 429), "exceeded retry limit, last status: 429", "rate_limited"],
    [http("httpConnectionFailed", 529), "unexpected status 529: Overloaded.", "overloaded"],
    [http("httpConnectionFailed", null), "Connection failed: error sending request", "offline"],
    [http("httpConnectionFailed", null), "Nobody knows.", "offline"],
    [http("responseStreamDisconnected", null), "Nobody knows.", "stream_cut"],
    [http("responseStreamConnectionFailed", null), "Nobody knows.", "offline"],
    ["other", "Selected model is at capacity. Please try a different model.", "overloaded"],
    ["other", "Your access token could not be refreshed. Please log out and sign in again.", "token_expired"],
    ["other", "stream disconnected before completion: Transport error", "stream_cut"],
    ["other", "Incomplete response returned, reason: content_filter", "refused"],
    ["other", "Missing environment variable: `KEY`.", "not_signed_in"],
    [null, "Nobody knows.", "failed"],
    [{}, "unexpected status 503 Service Unavailable", "server_error"],
  ])("%j: %s", (codexErrorInfo, message, code) => {
    expect(told({ codexErrorInfo, message })).toMatchObject([{ type: "error", code, message }]);
  });

  it("say what the vendor says", () => {
    const message = JSON.stringify({
      error: { message: "Too long.", type: "invalid", code: "context_length" },
    });
    expect(told({ message, codexErrorInfo: "other" })).toEqual([
      {
        type: "error",
        code: "context_too_long",
        message: "Too long.",
        status: 400,
        provider_code: "context_length",
      },
    ]);
  });

  it("say how long to wait", () => {
    const wait = (time: string) => {
      const [error] = told({ codexErrorInfo: "rateLimitExceeded", message: `Please try again in ${time}.` });
      return error && "retry_after_ms" in error ? error.retry_after_ms : undefined;
    };
    const times = { "1.5s": 1500, "20ms": 20, "3 minutes": 180_000, "1m12.5s": 72_500, "6m0s": 360_000 };
    for (const [time, ms] of Object.entries(times)) expect([time, wait(time)]).toEqual([time, ms]);
    expect(wait("2 hours 5 minutes")).toBe(7_500_000);
    expect(wait("a while")).toBeUndefined();
  });

  it("are retried", () => {
    const error = {
      message: "Reconnecting... 2/5",
      additionalDetails: "unexpected status 401 Unauthorized: No.",
      codexErrorInfo: http("responseStreamDisconnected", 401),
    };
    expect(told(error, true)).toMatchObject([
      { type: "retry", attempt: 2, max_attempts: 5, error: { code: "unauthorized", status: 401 } },
    ]);
    expect(told({ message: "Reconnecting... waiting for network" }, true)).toMatchObject([{ attempt: 1 }]);
    expect(told({}, true)).toMatchObject([{ error: { code: "failed" } }]);
  });

  it("end the turn, a refusal as one", () => {
    const end = (error: unknown) =>
      events(prompted().notice("turn/completed", { turn: { status: "failed", error } }));
    expect(end(null)).toMatchObject([
      { type: "error", code: "failed" },
      { type: "result", is_error: true },
    ]);
    expect(end({ message: "No.", codexErrorInfo: "misalignmentPolicyViolation" })).toMatchObject([
      { code: "refused" },
      { type: "result", refused: true },
    ]);
  });

  it("of a server that does not start are told beside", () => {
    const status = (more: object) =>
      events(
        prompted().notice("mcpServer/startupStatus/updated", { threadId: THREAD, name: "shop", ...more }),
      );
    expect(status({ status: "ready", error: null })).toEqual([]);
    expect(status({ status: "failed", error: "no such file" })).toMatchObject([
      { subtype: "notice", message: "The MCP server shop could not be started.\nno such file" },
    ]);
  });
});
