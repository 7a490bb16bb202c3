// What recordings of Gemini CLI do not show: how it is started, what each failure means, tools told in part.
import { describe, expect, it } from "vitest";
import type { RunRequest } from "../../../src/adapters/driver.ts";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import { run } from "../../../src/adapters/gemini/run.ts";
import { geminiTool, nativeName } from "../../../src/adapters/gemini/run-tools.ts";
import { events, OPENED, prompted, REQUEST, ready, sent, started } from "./run-told.ts";

describe("how it is started", () => {
  it("asks before every change only where it has to, and is told the model", () => {
    expect(gemini.run).toBe(run);
    const { argv, env } = run.launch({ ...REQUEST, mode: "auto" });
    expect(argv).toEqual(["gemini", "--acp"]);
    expect(env).toMatchObject({ GEMINI_CLI_NO_RELAUNCH: "true", GEMINI_PTY_INFO: "child_process" });
    for (const mode of ["interactive", "deny"] as const)
      expect(run.launch({ ...REQUEST, mode, model: "gemini-2.5-pro" }).argv).toEqual([
        "gemini",
        "--acp",
        "-m",
        "gemini-2.5-pro",
        "--admin-policy",
        expect.stringMatching(/ask\.toml$/),
      ]);
  });

  it("keeps the user's own mode, unless it has to ask", () => {
    expect(sent(ready({ mode: "auto" }).opened)).toEqual([]);
    expect(sent(ready({ mode: "default" }).opened)).toEqual([]);
    const { opened, line } = ready({ mode: "deny" });
    expect(sent(opened)).toMatchObject([{ method: "session/set_mode", params: { modeId: "default" } }]);
    expect(opened).not.toContainEqual({ type: "ready" });
    expect(line({ id: 3, result: {} })).toContainEqual({ type: "ready" });
  });

  it("goes back to the user's mode, and forgets what was allowed for the session", () => {
    const { step, line } = ready();
    const modeOf = (mode: RunRequest["mode"]) => sent(step({ type: "set_mode", mode }))[0]?.params.modeId;
    expect(modeOf("interactive")).toBe("default");
    line({ id: 3, result: {} });
    expect(modeOf("auto")).toBe("autoEdit");
  });
});

describe("a session that it goes on with", () => {
  const ID = "00000000-0000-4000-8000-000000000001";

  it("is loaded under a name that leaves its file alone, and told under its own", () => {
    const { asked, line, update } = started({ session: ID });
    expect(sent(asked)).toMatchObject([{ method: "session/load", params: { sessionId: ` ${ID}` } }]);
    const settling = line({ id: 2, result: OPENED });
    expect(sent(settling)).toMatchObject([{ id: 3, method: "_baton/settled" }]);
    expect(
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "old" } }, ` ${ID}`),
    ).toEqual([]);
    const again = line({ id: 3, error: { code: -32_601, message: "Method not found" } });
    expect(sent(again)).toMatchObject([{ id: 4, method: "_baton/settled" }]);
    const done = line({ id: 4, error: { code: -32_601, message: "Method not found" } });
    expect(events(done)).toMatchObject([{ type: "init", session_id: ID, model: "auto" }]);
    expect(done).toContainEqual({ type: "ready" });
  });

  it.each(["3", "latest"])("is not one by its place in the list: %s", (session) => {
    const { asked } = started({ session });
    expect(sent(asked)).toEqual([]);
    expect(events(asked)[0]).toMatchObject({ type: "error", code: "session_missing" });
    expect(asked.at(-1)).toEqual({ type: "stop" });
  });
});

describe("what a failure means", () => {
  const nested = (code: number, message: string, status: string) => ({
    code,
    message: JSON.stringify({ error: { code, message, status } }),
  });

  it.each([
    [nested(401, "The key is not valid.", "UNAUTHENTICATED"), "unauthorized", 401],
    [nested(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"), "unauthorized", 400],
    [nested(403, "No.", "PERMISSION_DENIED"), "forbidden", 403],
    [
      nested(
        400,
        "The input token count (2) exceeds the maximum number of tokens allowed (1).",
        "INVALID_ARGUMENT",
      ),
      "context_too_long",
      400,
    ],
    [nested(400, "Nonsense.", "INVALID_ARGUMENT"), "bad_request", 400],
    [nested(500, "Oops.", "INTERNAL"), "server_error", 500],
    [{ code: 503, message: "Overloaded." }, "overloaded", 503],
    [{ code: 429, message: "Rate limit exceeded. Try again later." }, "rate_limited", 429],
    [{ code: 429, message: "You exceeded your current quota exceeded" }, "quota_exhausted", 429],
    [
      { code: 429, message: "You have exhausted your capacity. Your quota will reset after 8h36m13s." },
      "quota_exhausted",
      429,
    ],
    [{ code: 429, message: "Quota exceeded for this minute. Please retry in 25.58s." }, "rate_limited", 429],
    [nested(400, "API key expired. Please renew the API key.", "INVALID_ARGUMENT"), "token_expired", 400],
    [{ code: 500, message: "invalid_grant" }, "token_expired", undefined],
    [{ code: 500, message: "Could not load the default credentials." }, "not_signed_in", undefined],
    [{ code: 500, message: "terminated" }, "stream_cut", undefined],
    [{ code: 500, message: "exception TypeError: fetch failed sending request" }, "offline", undefined],
    [{ code: 500, message: "fetch failed: getaddrinfo ENOTFOUND host" }, "dns", undefined],
    [{ code: 500, message: "fetch failed: self signed certificate" }, "tls", undefined],
    [{ code: 500, message: "models/nope is not found for API version v1beta" }, "model_unknown", undefined],
    [{ code: 500, message: "something else" }, "server_error", 500],
    [{ code: -32_603, message: "Internal error", data: { details: "something else" } }, "failed", undefined],
    [{}, "failed", undefined],
  ])("%j is %s, %s", (error, code, status) => {
    const [failure, result] = prompted().fail(error);
    expect(failure).toMatchObject({ type: "error", code });
    expect(failure).toEqual(
      status === undefined
        ? expect.not.objectContaining({ status: 500 })
        : expect.objectContaining({ status }),
    );
    expect(result).toMatchObject({ type: "result", is_error: true });
  });

  it("says how long to wait", () => {
    const error = { code: 429, message: "Too many requests.\nSuggested retry after 1s." };
    expect(prompted().fail(error)[0]).toMatchObject({ code: "rate_limited", retry_after_ms: 1000 });
    const later = { code: 429, message: "Your quota will reset after 8h36m13s." };
    expect(prompted().fail(later)[0]).toMatchObject({ retry_after_ms: 30_973_000 });
  });

  it("is told by its exit where nothing else tells", () => {
    const end = (exitCode: number) =>
      events(started().step({ type: "end", exitCode, signal: null, stderr: "a\nwhy\n" }));
    expect(end(41)).toMatchObject([
      { code: "not_signed_in", message: "a\nwhy", provider_code: "exit 41" },
      { type: "result" },
    ]);
    expect(end(52)[0]).toMatchObject({ code: "agent_broken" });
    expect(end(1)).toEqual([]);
    expect(ready().step({ type: "end", exitCode: 41, signal: null, stderr: "" })).toEqual([]);
  });

  it("is a sign-in that has begun on its output, as long as there is no session", () => {
    const text = "\u001b[?1049hPlease visit the following URL to authorize the application:";
    const { step } = started();
    expect(events(step({ type: "line", text }))[0]).toMatchObject({ code: "not_signed_in" });
    expect(step({ type: "line", text: "https://accounts.google.com/" })).toEqual([]);
    expect(events(ready().step({ type: "line", text }))).toEqual([{ type: "raw", text }]);
  });
});

describe("a turn", () => {
  it("has the tokens of all its requests, and the model where it was one", () => {
    const quota = (models: string[]) => ({
      stopReason: "end_turn",
      _meta: {
        quota: {
          token_count: { input_tokens: 30, output_tokens: 4 },
          model_usage: models.map((model) => ({ model })),
        },
      },
    });
    expect(prompted("/help").answer(quota(["one"]))[0]).toEqual({
      type: "usage",
      input_tokens: 30,
      output_tokens: 4,
      model: "one",
    });
    expect(prompted("/help").answer(quota(["one", "two"]))[0]).toEqual({
      type: "usage",
      input_tokens: 30,
      output_tokens: 4,
    });
  });

  it("that says nothing has failed, unless it was a command", () => {
    expect(prompted().answer({ stopReason: "end_turn" })).toMatchObject([
      { type: "error", code: "failed" },
      { type: "result" },
    ]);
    expect(prompted("/memory show").answer({ stopReason: "end_turn" })).toMatchObject([{ type: "result" }]);
    expect(prompted().answer({ stopReason: "max_tokens" })[0]).toMatchObject({ code: "context_too_long" });
  });

  it("tells neither changes of the mode nor empty subjects as words of the model", () => {
    const { update } = prompted();
    const chunk = (sessionUpdate: string, text: string) =>
      events(update({ sessionUpdate, content: { type: "text", text } }));
    expect(chunk("agent_message_chunk", "[MODE_UPDATE] autoEdit")).toEqual([]);
    expect(chunk("agent_thought_chunk", "****\nHm.")).toEqual([{ type: "thinking", text: "Hm." }]);
    expect(chunk("agent_message_chunk", "[MODE_UPDATE] is what it says")).toHaveLength(1);
  });
});

describe("what is allowed for the session covers", () => {
  const words = (text: string) => ({ content: [{ type: "content", content: { type: "text", text } }] });
  const isAskedAgain = (...calls: [name: string, rest: object][]) => {
    const { line, step } = prompted();
    const [first, second] = calls.map(([name, rest], at) => {
      const toolCall = { toolCallId: `${name}__${name}_1_${at}`, status: "pending", ...rest };
      const options = [{ optionId: "yes", name: "Yes", kind: "allow_always" }];
      const method = "session/request_permission";
      const asks = events(line({ id: `p${at}`, method, params: { sessionId: "s1", toolCall, options } }));
      step({ type: "decide", id: "ask-1", decision: { allow: true, always: true } });
      return asks.some(({ type }) => type === "ask");
    });
    expect(first).toBe(true);
    return second;
  };
  const shell = (beside: string, title = "npm test"): [string, object] => [
    "run_shell_command",
    { title, kind: "execute", ...words(beside) },
  ];
  const mcp = (said: string, title = "look_up (shelf MCP Server)"): [string, object] => [
    "mcp_shelf_look_up",
    { title, kind: "other", ...words(said) },
  ];
  const HERE = "[current working directory /p]";

  it.each([
    ["a command with another description", shell(`${HERE} (one)`), shell(`${HERE} (two)`)],
    ["the same call of a server's tool", mcp('{"word":"a"}'), mcp('{"word":"a"}')],
  ])("%s", (_, one, two) => {
    expect(isAskedAgain(one, two)).toBe(false);
  });

  it.each([
    ["another command", shell(HERE), shell(HERE, "npm run x")],
    ["a command in another folder", shell(HERE), shell("[in other]")],
    ["a command in the background", shell(HERE), shell(`${HERE} [background]`)],
    ["a command of which not all is told", shell("?"), shell("?")],
    ["other arguments", mcp('{"word":"a"}'), mcp('{"word":"b"}')],
    ["arguments that are told in part", mcp('{"word":"a...'), mcp('{"word":"a...')],
    ["the tool of another server", mcp("{}"), mcp("{}", "up (shelf_look MCP Server)")],
    [
      "what tells no arguments",
      ["save_memory", { title: "Saving", kind: "think" }],
      ["save_memory", { title: "Saving", kind: "think" }],
    ],
  ] as [string, [string, object], [string, object]][])("not %s", (_, one, two) => {
    expect(isAskedAgain(one, two)).toBe(true);
  });
});

describe("tools", () => {
  const told = (id: string, rest: object) =>
    geminiTool({
      id,
      name: "",
      title: "",
      kind: "",
      input: undefined,
      content: [],
      isOutput: false,
      locations: [],
      isTold: false,
      ...rest,
    });
  const words = (text: string) => ({ content: [{ type: "content", content: { type: "text", text } }] });

  it.each([
    ["read_file__read_file_1795020420735_1", "read_file"],
    ["mcp_a__b__mcp_a__b_1795020420735_1", "mcp_a__b"],
    ["glob__abc123", "glob"],
    ["toolu_1", undefined],
  ])("their name stands in the id: %s", (id, name) => {
    expect(nativeName(id)).toBe(name);
  });

  it.each([
    [
      "run_shell_command",
      { title: "ls", ...words("[in sub dir] (why (not)) [background]") },
      { tool: "bash", input: { command: "ls", cwd: "sub dir", description: "why (not)", background: true } },
    ],
    [
      "grep_search",
      { title: "'it's' in *.ts within src/lib" },
      { tool: "search", input: { pattern: "it's", glob: "*.ts", path: "src/lib" } },
    ],
    [
      "grep_search",
      { title: "'a' across 2 workspace directories" },
      { tool: "search", input: { pattern: "a" } },
    ],
    ["glob", { title: "'**/*.ts' within very/.../deep" }, { tool: "glob", input: { pattern: "**/*.ts" } }],
    [
      "google_web_search",
      { title: 'Searching the web for: "quokka"' },
      { tool: "web_search", input: { query: "quokka" } },
    ],
    [
      "web_fetch",
      { title: 'Processing URLs and instructions from prompt: "Read https://a.b/c now"' },
      { tool: "web_fetch", input: { url: "https://a.b/c", prompt: "Read https://a.b/c now" } },
    ],
    [
      "web_fetch",
      { title: "Fetching content from: https://a.b/c" },
      { tool: "web_fetch", input: { url: "https://a.b/c" } },
    ],
    [
      "invoke_agent",
      { title: "Delegating to agent 'generalist'" },
      { tool: "task", input: { agent: "generalist" } },
    ],
    ["replace", { locations: [{ path: "/p/a" }] }, { tool: "edit", input: { path: "/p/a" } }],
    [
      "replace",
      { content: [{ type: "diff", path: "/p/a", oldText: "", newText: "x" }] },
      { tool: "edit", input: { path: "/p/a", edits: [{ old: "", new: "x" }] } },
    ],
    [
      "write_file",
      { content: [{ type: "diff", path: "/p/a", oldText: "y", newText: "x" }] },
      { tool: "write", input: { path: "/p/a", content: "x" } },
    ],
    ["mcp_a_b", words('{"deep":[1]}'), { tool: "unknown", input: { deep: [1] } }],
    [
      "mcp_a_b",
      { title: "b (a MCP Server)", ...words("[Payload omitted due to length]") },
      { tool: "unknown", input: { title: "b (a MCP Server)" } },
    ],
    ["save_memory", { title: "Remembering" }, { tool: "unknown", input: { title: "Remembering" } }],
  ])("%s %j", (name, rest, call) => {
    expect(told(`${name}__${name}_1795020420735_0`, rest).call).toEqual(call);
  });

  it("of another version are told by their kind", () => {
    expect(told("call_1", { kind: "execute", title: "ls" }).call).toEqual({
      tool: "bash",
      input: { command: "ls" },
    });
  });

  it("that failed without a word of it are told as completed, except where that is all that is told", () => {
    const failed = (text: string) => {
      const { update } = prompted();
      const id = "run_shell_command__run_shell_command_1795020420735_0";
      const outputs = update({
        sessionUpdate: "tool_call_update",
        toolCallId: id,
        status: "completed",
        title: "x",
        kind: "execute",
        ...words(text),
      });
      return events(outputs).at(-1);
    };
    for (const text of [
      "Command exited with code: 4",
      "Command terminated by signal: 9",
      "Command cancelled by user.\n\nOutput",
      "Command failed: no",
    ])
      expect(failed(text)).toMatchObject({ type: "tool_result", is_error: true });
    expect(failed("wrong")).toMatchObject({ is_error: false });
    expect(failed("It said: Command exited with code: 4")).toMatchObject({ is_error: false });
  });
});
