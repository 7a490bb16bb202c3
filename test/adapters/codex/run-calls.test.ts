// Calls and tokens as Codex's live driver tells them where the app server says little, beyond what was recorded.
import { describe, expect, it } from "vitest";
import { command, events, opened, prompted, THREAD, TURN } from "./live.ts";

describe("calls", () => {
  it("are told when they were begun, or when they are over", () => {
    const one = prompted();
    expect(events(one.item("started", command()))).toMatchObject([
      { type: "tool_use", id: "call_1", name: "exec_command", input: { cmd: "echo one" } },
    ]);
    const over = command({ status: "completed", aggregatedOutput: "one\n", exitCode: 0 });
    expect(events(one.item("completed", over))).toEqual([
      { type: "tool_result", tool_use_id: "call_1", content: "one\n", is_error: false },
    ]);
    const other = { ...over, id: "call_2", exitCode: 3, status: "failed", cwd: "/tmp" };
    expect(events(one.item("completed", other))).toMatchObject([
      { type: "tool_use", input: { workdir: "/tmp" }, call: { tool: "bash", input: { cwd: "/tmp" } } },
      { type: "tool_result", is_error: true },
    ]);
  });

  it.each([
    [`/bin/bash -lc 'echo '"'"'it'"'"`, "echo 'it'"],
    [`/usr/bin/zsh -lc "echo \\"a\\" \\$b"`, 'echo "a" $b'],
    ["/bin/bash -lc ls", "ls"],
    ["git status", "git status"],
    ["/bin/bash -lc 'never ends", "/bin/bash -lc 'never ends"],
    ["", ""],
  ])("show a command as it was given: %s", (line, script) => {
    const [use] = events(prompted().item("started", command({ command: line })));
    expect(use).toMatchObject({ call: { input: { command: script } } });
  });

  it("change files", () => {
    const one = prompted();
    const change = (id: string, ...changes: object[]) => {
      const [use] = events(one.item("started", { type: "fileChange", id, changes }));
      return use && "call" in use ? use.call : undefined;
    };
    const add = { path: "/a", kind: { type: "add" }, diff: "no newline" };
    expect(change("1", add)).toEqual({ tool: "write", input: { path: "/a", content: "no newline" } });
    const moved = { path: "/b", kind: { type: "update", move_path: "/c" }, diff: "@@ -1 +1 @@\n-x\n+y\n" };
    const gone = { path: "/d", kind: { type: "delete" }, diff: "old\n" };
    expect(change("2", moved, gone)).toMatchObject({
      tool: "edit",
      input: {
        changes: [
          { kind: "move", path: "/b", to: "/c", diff: "@@\n-x\n+y" },
          { kind: "delete", path: "/d" },
        ],
      },
    });
    expect(change("3")).toEqual({ tool: "edit", input: { path: "", changes: [] } });
    expect(events(one.item("completed", { type: "fileChange", id: "1", status: "declined" }))).toMatchObject([
      { content: "declined", is_error: true },
    ]);
  });

  it.each([
    [
      { type: "mcpToolCall", server: "s", tool: "t", result: { content: [{ type: "text", text: "x" }] } },
      "x",
      false,
    ],
    [{ type: "mcpToolCall", server: "s", tool: "t", status: "failed", error: { message: "no" } }, "no", true],
    [
      { type: "mcpToolCall", server: "s", tool: "t", result: { content: [], structuredContent: { a: 1 } } },
      '{"a":1}',
      false,
    ],
    [
      {
        type: "dynamicToolCall",
        tool: "t",
        success: false,
        contentItems: [{ type: "inputText", text: "y" }],
      },
      "y",
      true,
    ],
    [{ type: "webSearch", query: "q", action: { type: "search", query: "q" }, results: null }, "", false],
    [{ type: "imageGeneration", status: "completed", savedPath: "/x.png" }, "/x.png", false],
    [
      { type: "collabAgentToolCall", tool: "wait", agentsStates: { a: { message: "three" } } },
      "three",
      false,
    ],
  ])("end with what came of them: %j", (one, content, is_error) => {
    const told = events(prompted().item("completed", { id: "call_1", ...one }));
    expect(told).toMatchObject([{ type: "tool_use" }, { type: "tool_result", content, is_error }]);
  });

  it("hold nothing up when a command goes on in the background", () => {
    const one = prompted({ session: THREAD });
    one.item("started", command());
    one.notice("item/commandExecution/outputDelta", { itemId: "call_1", delta: "tick\n" });
    const tokenUsage = {
      total: { inputTokens: 5, outputTokens: 1 },
      last: { inputTokens: 5, outputTokens: 1 },
    };
    expect(events(one.notice("thread/tokenUsage/updated", { tokenUsage }))).toMatchObject([
      { type: "tool_result", content: "tick\n[still running]", is_error: false },
      { type: "usage" },
    ]);
    // Its end, in this turn or the next, belongs to nothing.
    expect(one.item("completed", command({ aggregatedOutput: "tick\ntock\n" }))).toEqual([]);
  });

  it("of scripts are told only where what they did is not", () => {
    const one = prompted();
    const call = (call_id: string) => ({ type: "custom_tool_call", name: "exec", input: "text(1)", call_id });
    const output = (call_id: string, text: string) => ({
      type: "custom_tool_call_output",
      call_id,
      output: [{ type: "input_text", text }],
    });
    one.raw(call("c1"));
    one.item("completed", command({ id: "exec-1", aggregatedOutput: "" }));
    expect(one.raw(output("c1", "Script completed\nWall time 0.1 seconds\nOutput:\n"))).toEqual([]);
    one.raw(call("c2"));
    expect(
      events(one.raw(output("c2", "Script completed\nWall time 0.1 seconds\nOutput:\nfine"))),
    ).toMatchObject([
      { type: "tool_use", name: "exec", call: { tool: "unknown" } },
      { type: "tool_result", content: "fine", is_error: false },
    ]);
  });

  it("of a plan are made up where the model's own are not told", () => {
    const plan = [{ step: "One", status: "inProgress" }];
    const one = prompted();
    expect(events(one.notice("turn/plan/updated", { plan, explanation: null }))).toMatchObject([
      {
        type: "tool_use",
        call: { tool: "todo", input: { items: [{ text: "One", status: "in_progress" }] } },
      },
      { type: "tool_result" },
    ]);
    const told = {
      type: "function_call",
      name: "update_plan",
      arguments: JSON.stringify({ plan }),
      call_id: "c",
    };
    one.raw(told);
    expect(one.notice("turn/plan/updated", { plan })).toEqual([]);
  });

  it("of a kind that nobody knows are shown as they are", () => {
    const item = { type: "somethingNew", id: "x", data: 1 };
    expect(events(prompted().item("completed", item))).toEqual([{ type: "raw", text: JSON.stringify(item) }]);
    expect(prompted().item("completed", { type: "userMessage", id: "u" })).toEqual([]);
  });
});

describe("tokens", () => {
  const count = (input: number, output: number, cached = 0) => ({
    inputTokens: input,
    cachedInputTokens: cached,
    cacheWriteInputTokens: 0,
    outputTokens: output,
    reasoningOutputTokens: 0,
  });
  const used = (total: object, last: object) => ({ tokenUsage: { total, last } });

  it("are the turn's, told once", () => {
    const one = prompted();
    const update = (total: object, last: object) =>
      events(one.notice("thread/tokenUsage/updated", used(total, last)));
    expect(update(count(100, 10, 60), count(100, 10, 60))).toEqual([
      { type: "usage", input_tokens: 40, output_tokens: 10, cache_read_input_tokens: 60 },
    ]);
    expect(update(count(100, 10, 60), count(7, 0))).toEqual([]);
    expect(update(count(300, 30, 60), count(0, 0))).toEqual([
      { type: "usage", input_tokens: 200, output_tokens: 20 },
    ]);
    // A total that was counted anew.
    expect(update(count(50, 5), count(50, 5))).toEqual([
      { type: "usage", input_tokens: 50, output_tokens: 5 },
    ]);
  });

  it("of a session's past do not count", () => {
    const one = opened({ session: THREAD });
    const past = { turnId: "before", ...used(count(1000, 100), count(10, 1)) };
    expect(one.notice("thread/tokenUsage/updated", past)).toEqual([]);
    one.step({ type: "prompt", text: "Go" });
    one.answer(one.next, { turn: { id: TURN } });
    expect(events(one.notice("thread/tokenUsage/updated", used(count(1020, 103), count(20, 3))))).toEqual([
      { type: "usage", input_tokens: 20, output_tokens: 3 },
    ]);
  });

  it("are those of the last response where the past is not known", () => {
    const one = prompted({ session: THREAD });
    expect(events(one.notice("thread/tokenUsage/updated", used(count(1020, 103), count(20, 3))))).toEqual([
      { type: "usage", input_tokens: 20, output_tokens: 3 },
    ]);
  });
});
