// Codex's live driver, in what its recordings do not show: how it is launched, begins and ends, what a turn is, whose
// texts are told, and that nothing odd ends it or stays with it.
import { describe, expect, it } from "vitest";
import { driver } from "../../../src/adapters/codex/run.ts";
import type { PermissionMode } from "../../../src/session/events.ts";
import {
  AGENT,
  command,
  completed,
  events,
  lines,
  opened,
  prompted,
  request,
  started,
  THREAD,
  THREAD_OPENED,
  TURN,
} from "./live.ts";

describe("launching", () => {
  it("is the same in every mode, and gives up without a network", () => {
    const { argv, env, transport } = driver.launch(request());
    expect(argv).toEqual(["codex", "app-server", "-c", "features.unbounded_connection_retries=false"]);
    expect(env).toEqual({});
    expect(transport).toEqual({ type: "lines" });
  });

  it.each<[PermissionMode, unknown]>([
    ["default", undefined],
    ["interactive", "untrusted"],
    ["deny", "untrusted"],
    ["auto", { granular: expect.objectContaining({ sandbox_approval: true, mcp_elicitations: true }) }],
  ])("asks as much as mode %s wants", (mode, policy) => {
    const one = started({ mode });
    one.step({ type: "start" });
    const first = one.answer(1, {});
    const outputs = mode === "default" ? first : one.answer(2, { config: {} });
    const { params } = lines(outputs).at(-1);
    expect(params).toMatchObject({
      experimentalRawEvents: true,
      ...(policy !== undefined && { approvalPolicy: policy }),
    });
    expect("approvalPolicy" in params).toBe(policy !== undefined);
    // The sandbox stays the user's, and a folder that is named would be trusted from then on.
    expect(params).not.toHaveProperty("sandbox");
    expect(params).not.toHaveProperty("cwd");
    expect(params).not.toHaveProperty("ephemeral");
  });

  it("goes on with a session, with a model", () => {
    const [resume] = lines(opened({ session: THREAD, model: "gpt-6" }).opening);
    expect(resume).toMatchObject({
      method: "thread/resume",
      params: { threadId: THREAD, model: "gpt-6", cwd: "/home/user/project", excludeTurns: true },
    });
  });

  it.each<[PermissionMode, object, string]>([
    ["default", { model_provider: "mine" }, "mine"],
    ["default", { model_provider: null }, "openai"],
    ["default", {}, "openai"],
    ["auto", { model_provider: "mine" }, "mine"],
    ["deny", {}, "openai"],
  ])("in mode %s with settings %j a session goes on with the provider %s", (mode, config, provider) => {
    const [resume] = lines(opened({ session: THREAD, mode }, config).opening);
    expect(resume).toMatchObject({ method: "thread/resume", params: { modelProvider: provider } });
    const [start] = lines(opened({ mode: "auto" }, config).opening);
    expect(start).toMatchObject({ method: "thread/start" });
    expect(start.params).not.toHaveProperty("modelProvider");
  });

  it("a session goes on without a provider where the settings cannot be read", () => {
    const one = started({ session: THREAD });
    one.step({ type: "start" });
    one.answer(1, {});
    const [resume] = lines(one.fail(2, { code: -32600, message: "broken" }));
    expect(resume).toMatchObject({ method: "thread/resume", params: { threadId: THREAD } });
    expect(resume.params).not.toHaveProperty("modelProvider");
  });

  it("takes back what the user has allowed MCP servers for good", () => {
    const mcp_servers = {
      one: { default_tools_approval_mode: "approve", tools: { a: { approval_mode: "approve" }, b: {} } },
      two: { default_tools_approval_mode: "prompt" },
      three: null,
    };
    const { opening } = opened({ mode: "interactive" }, { mcp_servers });
    const taken = { one: { default_tools_approval_mode: "auto", tools: { a: { approval_mode: "auto" } } } };
    expect(lines(opening)[0].params.config).toEqual({ mcp_servers: taken });
    expect(lines(opened({ mode: "auto" }, { mcp_servers }).opening)[0].params).not.toHaveProperty("config");
  });
});

describe("starting and ending", () => {
  it("is ready when the thread is open, and tells then what came before", () => {
    const one = started();
    one.step({ type: "start" });
    expect(one.notice("configWarning", { summary: "Odd.", details: "Very." })).toEqual([]);
    expect(one.line("noise")).toEqual([]);
    one.answer(1, { userAgent: "baton/0.166.0 (Linux)" });
    const outputs = one.answer(2, THREAD_OPENED);
    expect(events(outputs)).toEqual([
      { type: "init", session_id: THREAD, model: "gpt-5.5", version: "0.166.0" },
      { type: "system", subtype: "notice", message: "Odd.\nVery." },
      { type: "raw", text: "noise" },
    ]);
    expect(outputs.at(-1)).toEqual({ type: "ready" });
  });

  it("notices when it was given another session", () => {
    const { outputs } = opened({ session: AGENT });
    expect(events(outputs)).toMatchObject([
      { type: "error", code: "session_missing" },
      { type: "result", is_error: true },
    ]);
    expect(outputs.at(-1)).toEqual({ type: "stop" });
  });

  it.each([
    ["no rollout found for thread id x", undefined, "session_missing"],
    ["invalid session id: nonsense", undefined, "session_missing"],
    ["thread x already has an active writer", undefined, "session_busy"],
    ["failed to load configuration: Model provider `x` not found", undefined, "agent_broken"],
    ["Something else.", undefined, "agent_broken"],
    ["This chat uses openai.", { type: "modelProviderMismatch", modelProvider: "openai" }, "unsupported"],
  ])("cannot open it: %s", (message, data, code) => {
    const one = started({ session: THREAD });
    one.step({ type: "start" });
    one.answer(1, {});
    one.answer(2, { config: {} });
    const outputs = one.fail(3, { code: -32600, message, ...(data && { data }) });
    expect(events(outputs)).toMatchObject([{ type: "error", code, message }, { type: "result" }]);
    expect(outputs.at(-1)).toEqual({ type: "stop" });
  });

  it("opens the thread although the settings cannot be read", () => {
    const one = started({ mode: "auto" });
    one.step({ type: "start" });
    one.answer(1, {});
    expect(lines(one.fail(2, { message: "no" }))[0].method).toBe("thread/start");
  });

  it("says why it ended before it was ready, and nothing when it was told to end", () => {
    const end = (exitCode: number | null, stderr: string) =>
      started().step({ type: "end", exitCode, signal: null, stderr });
    expect(events(end(2, "error: unexpected argument\n"))).toEqual([
      { type: "error", code: "agent_broken", message: "error: unexpected argument" },
    ]);
    expect(events(end(2, ""))).toMatchObject([{ code: "agent_broken" }]);
    expect(end(0, "")).toEqual([]);
    expect(end(null, "")).toEqual([]);
    expect(opened().step({ type: "end", exitCode: 1, signal: null, stderr: "late" })).toEqual([]);
  });
});

describe("turns", () => {
  it("ends once, with the last message where it was not told in pieces", () => {
    const one = prompted();
    const items = [{ type: "agentMessage", text: "Done." }];
    expect(events(one.notice("turn/completed", completed({ items })))).toEqual([
      { type: "result", text: "Done." },
    ]);
    expect(one.notice("turn/completed", completed())).toEqual([]);
    expect(one.notice("item/agentMessage/delta", { itemId: "m", delta: "late" })).toEqual([]);
  });

  it("is not ended by another turn", () => {
    const one = prompted();
    expect(one.notice("turn/completed", { turn: { id: "another", status: "completed" } })).toEqual([]);
    expect(one.notice("turn/completed", { threadId: "elsewhere", ...completed() })).toEqual([]);
    expect(events(one.notice("turn/completed", completed()))).toHaveLength(1);
  });

  it("fails where Codex does not take the prompt", () => {
    const one = opened();
    one.step({ type: "prompt", text: "Go" });
    expect(events(one.fail(3, { code: -32001, message: "Server overloaded; retry later." }))).toMatchObject([
      { type: "error", code: "overloaded" },
      { type: "result", is_error: true },
    ]);
    const two = opened();
    two.step({ type: "prompt", text: "Go" });
    const message = "Input exceeds the maximum length of 1048576 characters.";
    expect(events(two.fail(3, { code: -32602, message }))[0]).toMatchObject({
      code: "context_too_long",
      hint: expect.stringContaining("Shorten the prompt"),
    });
  });

  it("is interrupted as soon as it has a name, with its subagents and commands", () => {
    const one = opened();
    expect(one.step({ type: "interrupt" })).toEqual([]);
    one.step({ type: "prompt", text: "Go" });
    expect(one.step({ type: "interrupt" })).toEqual([]);
    expect(lines(one.answer(3, { turn: { id: TURN } }))).toMatchObject([
      { method: "turn/interrupt", params: { threadId: THREAD, turnId: TURN } },
    ]);
    const two = prompted();
    two.item("started", { type: "subAgentActivity", id: "call_0", kind: "started", agentThreadId: AGENT });
    two.notice("turn/started", { threadId: AGENT, turn: { id: "child" } });
    two.item("started", command());
    expect(lines(two.step({ type: "interrupt" })).map(({ method, params }) => [method, params])).toEqual([
      ["turn/interrupt", { threadId: THREAD, turnId: TURN }],
      ["turn/interrupt", { threadId: AGENT, turnId: "child" }],
      ["thread/backgroundTerminals/terminate", { threadId: THREAD, processId: "42" }],
    ]);
    expect(events(two.notice("turn/completed", completed({ status: "interrupted" })))).toEqual([
      { type: "result", interrupted: true },
    ]);
  });

  it("takes another model and another mode with the next prompt, once", () => {
    const one = opened({ mode: "interactive" }, { approval_policy: "never" });
    expect(events(one.step({ type: "set_model", model: "gpt-6" }))).toEqual([
      { type: "init", model: "gpt-6" },
    ]);
    one.step({ type: "set_mode", mode: "default" });
    const [first] = lines(one.step({ type: "prompt", text: "Go" }));
    expect(first.params).toMatchObject({
      model: "gpt-6",
      approvalPolicy: "never",
      approvalsReviewer: "user",
    });
    one.step({ type: "set_mode", mode: "deny" });
    expect(events(one.answer(one.next, { turn: { id: TURN } }))).toEqual([{ type: "mode", mode: "default" }]);
    one.notice("turn/completed", completed());
    const [second] = lines(one.step({ type: "prompt", text: "Again" }));
    expect(Object.keys(second.params)).not.toContain("model");
    expect(second.params.approvalPolicy).toBe("untrusted");
    expect(events(one.answer(one.next + 1, { turn: { id: TURN } }))).toEqual([
      { type: "mode", mode: "deny" },
    ]);
    one.notice("turn/completed", completed());
    const [third] = lines(one.step({ type: "prompt", text: "Once more" }));
    expect(Object.keys(third.params)).toEqual(["threadId", "input"]);
  });

  it("asks again for what went out with a turn that never began", () => {
    const one = opened({ mode: "default" });
    one.step({ type: "set_model", model: "gpt-6" });
    one.step({ type: "set_mode", mode: "interactive" });
    const [first] = lines(one.step({ type: "prompt", text: "Go" }));
    const refused = events(one.fail(one.next, { code: -32_600, message: "Not now." }));
    expect(refused).toMatchObject([{ type: "error" }, { type: "result", is_error: true }]);
    one.step({ type: "set_model", model: "gpt-7" });
    const [second] = lines(one.step({ type: "prompt", text: "Go" }));
    expect(second.params).toEqual({ ...first.params, model: "gpt-7" });
    expect(events(one.answer(one.next + 1, { turn: { id: TURN } }))).toEqual([
      { type: "mode", mode: "interactive" },
    ]);
  });

  it("says when the vendor answers with another model", () => {
    expect(events(prompted().notice("model/rerouted", { toModel: "gpt-safe" }))).toEqual([
      { type: "init", model: "gpt-safe" },
    ]);
  });
});

describe("texts", () => {
  it("are told once", () => {
    const one = prompted();
    const message = { type: "agentMessage", id: "m1", text: "Hello." };
    expect(events(one.notice("item/agentMessage/delta", { itemId: "m1", delta: "Hello." }))).toHaveLength(1);
    expect(one.item("completed", message)).toEqual([]);
    expect(events(one.item("completed", { ...message, id: "m2" }))).toEqual([
      { type: "text", text: "Hello.", message: "m2" },
    ]);
    const thought = { type: "reasoning", id: "r1", summary: ["One.", "Two."], content: [] };
    expect(events(one.item("completed", thought))).toEqual([
      { type: "thinking", text: "One.\n\nTwo.", message: "r1" },
    ]);
  });

  it("of several thoughts stand apart", () => {
    const one = prompted();
    const part = (summaryIndex: number) =>
      events(one.notice("item/reasoning/summaryPartAdded", { itemId: "r1", summaryIndex }));
    expect(part(0)).toEqual([]);
    expect(part(1)).toEqual([{ type: "thinking", text: "\n\n", message: "r1" }]);
  });

  it("of a subagent name the call that started it, and nobody else's are told", () => {
    const one = prompted();
    const spawn = { type: "collabAgentToolCall", id: "call_0", tool: "spawnAgent", prompt: "Count" };
    expect(events(one.item("started", spawn))).toMatchObject([
      { type: "tool_use", call: { tool: "task", input: { prompt: "Count" } } },
    ]);
    // It begins before it is named.
    const delta = (threadId: string) =>
      events(one.notice("item/agentMessage/delta", { threadId, itemId: "m", delta: "One." }));
    expect(delta(AGENT)).toMatchObject([{ parent_tool_use_id: "call_0" }]);
    one.item("completed", { ...spawn, receiverThreadIds: [AGENT], status: "completed" });
    expect(delta(AGENT)).toMatchObject([{ parent_tool_use_id: "call_0" }]);
    expect(delta("elsewhere")).toEqual([]);
    const failed = {
      threadId: AGENT,
      willRetry: false,
      error: { message: "Oops.", codexErrorInfo: "other" },
    };
    expect(events(one.notice("error", failed))).toMatchObject([
      { type: "system", subtype: "error", parent_tool_use_id: "call_0" },
    ]);
    expect(one.notice("turn/completed", { threadId: AGENT, turn: { id: "x", status: "failed" } })).toEqual(
      [],
    );
  });
});

describe("anything else", () => {
  it("is passed by, or shown as it is", () => {
    const one = prompted();
    expect(events(one.line("not json"))).toEqual([{ type: "raw", text: "not json" }]);
    const deep = `{"method":"x","params":{"a":${"[".repeat(5000)}${"]".repeat(5000)}}}`;
    expect(events(one.line(deep))).toMatchObject([{ type: "raw" }]);
    for (const method of ["something/new", "toString", "__proto__", "thread/goal/cleared"])
      expect(one.notice(method, {})).toEqual([]);
    expect(one.step({ type: "answer", id: 1, status: 200, body: {} })).toEqual([]);
    expect(one.step({ type: "decide", id: "nobody", decision: { allow: true } })).toEqual([]);
  });

  it("does not throw, whatever is missing or of another kind", () => {
    const odd = [null, 0, "", "x", "__proto__", [], {}, [null], { id: null, type: "toString" }];
    const methods = [
      ...["item/started", "item/completed", "rawResponseItem/completed", "turn/started", "turn/completed"],
      ...["error", "thread/tokenUsage/updated", "thread/settings/updated", "turn/plan/updated"],
      ...[
        "item/agentMessage/delta",
        "item/commandExecution/outputDelta",
        "serverRequest/resolved",
        "warning",
      ],
    ];
    const types = [
      "commandExecution",
      "fileChange",
      "mcpToolCall",
      "collabAgentToolCall",
      "subAgentActivity",
    ];
    const raws = ["function_call", "custom_tool_call", "function_call_output", "tool_search_call", "message"];
    for (const value of odd) {
      const one = prompted();
      for (const method of methods)
        for (const name of [
          "item",
          "turn",
          "error",
          "tokenUsage",
          "plan",
          "itemId",
          "delta",
          "requestId",
          "threadId",
        ])
          expect(() => one.notice(method, { [name]: value })).not.toThrow();
      for (const type of [...types, ...raws])
        for (const name of [
          "id",
          "call_id",
          "command",
          "changes",
          "arguments",
          "result",
          "output",
          "agentsStates",
        ]) {
          const item = { id: "x", call_id: "x", name: "exec_command", type, [name]: value };
          expect(() => [one.item("started", item), one.item("completed", item), one.raw(item)]).not.toThrow();
        }
      expect(() => one.line(JSON.stringify(value))).not.toThrow();
    }
  });

  it("leaves nothing behind over a hundred thousand events", () => {
    const state = driver.initial(request());
    const say = (message: object) => driver.step(state, { type: "line", text: JSON.stringify(message) });
    driver.step(state, { type: "start" });
    say({ id: 1, result: {} });
    say({ id: 2, result: THREAD_OPENED });
    driver.step(state, { type: "prompt", text: "Go" });
    say({ id: 3, result: { turn: { id: TURN } } });
    const notice = (method: string, params: object) =>
      say({ method, params: { threadId: THREAD, turnId: TURN, ...params } });
    for (let number = 0; number < 25_000; number++) {
      const item = command({ id: `call_${number}`, aggregatedOutput: "x" });
      notice("item/started", { item });
      if (number % 2) notice("item/completed", { item });
      notice("item/agentMessage/delta", { itemId: `m${number}`, delta: "x" });
      notice("item/started", { threadId: `agent${number}`, item });
    }
    expect(JSON.stringify(state).length).toBeLessThan(400_000);
    notice("turn/completed", completed());
    expect(JSON.stringify(state).length).toBeLessThan(30_000);
  });
});
