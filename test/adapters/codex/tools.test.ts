// Tool calls both ways: Codex's tools as universal ones, and universal ones as Codex's.
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import { universalCall, universalText } from "../../../src/adapters/codex/tools.ts";
import type { ToolCall, ToolResult } from "../../../src/session/session.ts";

describe("read as universal calls", () => {
  const patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Delete File: b\n*** End Patch";

  test.each<[string, object | string, string, object]>([
    ["exec_command", { cmd: "ls", workdir: "/w", yield_time_ms: 5 }, "bash", { command: "ls", cwd: "/w" }],
    ["shell", { command: ["bash", "-lc", "a | b"], timeout_ms: 9 }, "bash", { command: "a | b", timeout: 9 }],
    ["shell", { command: ["/bin/zsh", "-lc", "a"] }, "bash", { command: "a" }],
    ["shell", { command: ["sh", "-lc", "a"] }, "bash", { command: "a" }],
    ["shell", { command: ["bash", "-c", "a b"] }, "bash", { command: "bash -c 'a b'" }],
    ["shell", { command: ["bash", "-lc", "a", "b"] }, "bash", { command: "bash -lc a b" }],
    ["shell", { command: ["fish", "-lc", "a"] }, "bash", { command: "fish -lc a" }],
    ["shell", { command: ["echo", "it's", "", "$x"] }, "bash", { command: "echo 'it'\\''s' '' '$x'" }],
    ["shell", { command: "already text" }, "bash", { command: "already text" }],
    ["shell_command", { command: "ls", workdir: "" }, "bash", { command: "ls" }],
    ["write_stdin", { session_id: 7, chars: "y\n" }, "bash", { command: "", session: "7", stdin: "y\n" }],
    [
      "apply_patch",
      { input: "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch" },
      "write",
      { path: "a", content: "x\n" },
    ],
    [
      ...(["apply_patch", { input: patch }, "edit"] as const),
      {
        path: "a",
        changes: [
          { kind: "update", path: "a", diff: "@@\n-x\n+y" },
          { kind: "delete", path: "b" },
        ],
        patch,
      },
    ],
    ["view_image", { path: "i.png" }, "read", { path: "i.png" }],
    ["read_file", { file_path: "a", offset: 2, limit: 3 }, "read", { path: "a", offset: 2, limit: 3 }],
    ["write_file", { path: "a", content: "" }, "write", { path: "a", content: "" }],
    ["edit_file", { path: "a", old: "x", new: "y" }, "edit", { path: "a", edits: [{ old: "x", new: "y" }] }],
    ["grep", { pattern: "x", path: "p", glob: "*.ts" }, "search", { pattern: "x", path: "p", glob: "*.ts" }],
    ["glob", { pattern: "*" }, "glob", { pattern: "*" }],
    ["ls", { path: "." }, "list", { path: "." }],
    ["ask", { questions: ["?"] }, "ask", { questions: ["?"] }],
    ["request_user_input", { questions: [{ id: "q" }] }, "ask", { questions: [{ id: "q" }] }],
    ["call_agent", { prompt: "p" }, "task", { prompt: "p" }],
    [
      "spawn_agent",
      { message: "p", agent_type: "a", task_name: "t" },
      "task",
      { prompt: "p", description: "t", agent: "a" },
    ],
    ["web_search", { query: "q" }, "web_search", { query: "q" }],
    ["update_plan", { plan: [] }, "unknown", { plan: [] }],
    ["exec_command", { nothing: true }, "unknown", { nothing: true }],
    ["shell", { command: ["ls", 1] }, "unknown", { command: ["ls", 1] }],
    ["exec_command", "not json", "unknown", { arguments: "not json" }],
    ["toString", {}, "unknown", {}],
  ])("%s %j", (name, input, tool, expected) => {
    const given = typeof input === "string" ? input : JSON.stringify(input);
    expect(universalCall(name, undefined, given)).toEqual({ tool, input: expected });
  });

  test("a patch that cannot be parsed is kept whole", () => {
    expect(universalText("apply_patch", "nonsense")).toEqual({
      tool: "edit",
      input: { path: "", patch: "nonsense" },
    });
  });

  test("a script is one call, with what it says", () => {
    expect(universalText("exec", "text(1)")).toEqual({ tool: "unknown", input: { input: "text(1)" } });
  });

  test("an MCP tool is never mistaken for one of Codex's own", () => {
    expect(universalCall("shell", "mcp__x", '{"command":"ls"}')).toEqual({
      tool: "unknown",
      input: { command: "ls" },
    });
  });
});

const call = (tool: ToolCall["tool"], input: object, original?: [string, unknown]): ToolCall => ({
  ...{ id: "c", timestamp: "", type: "tool_call", tool, input: input as Record<string, unknown> },
  ...(original && { originalTool: original[0], originalInput: original[1] }),
});
const result = (fields: Partial<ToolResult> = {}): ToolResult => ({
  ...{ id: "r", timestamp: "", type: "tool_result", callId: "c", success: true, output: "done" },
  ...fields,
});

function translated(given: ToolCall, answer?: ToolResult) {
  const { pairs, losses } = codex.tools(given, answer);
  expect(pairs.length).toBe(1);
  return { ...pairs[0], losses: losses.map(({ kind, severity }) => `${severity} ${kind}`) };
}

const patchOf = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const RENAMED = "info tool_renamed";

describe("written as Codex's calls", () => {
  test.each<[string, ToolCall, ToolResult | undefined, string, unknown, string[]]>([
    [
      "a command",
      call("bash", { command: "ls", cwd: "/w" }),
      undefined,
      "exec_command",
      { cmd: "ls", workdir: "/w" },
      [RENAMED],
    ],
    [
      "a command in the background",
      call("bash", { command: "npm start", background: true, timeout: 5, description: "Start" }),
      undefined,
      "exec_command",
      { cmd: "npm start" },
      [RENAMED, "info tool_argument_dropped", "info tool_argument_dropped", "info tool_argument_dropped"],
    ],
    [
      "input for a running command",
      call("bash", { command: "", session: "7", stdin: "y" }),
      undefined,
      "write_stdin",
      { session_id: 7, chars: "y" },
      [RENAMED],
    ],
    [
      "input by another agent's name",
      call("bash", { command: "", session: "b1", stdin: "y" }),
      undefined,
      "write_stdin",
      { session_id: "b1", chars: "y" },
      [RENAMED],
    ],
    [
      "an image that was looked at",
      call("read", { path: "/i.png" }),
      result({ parts: [{ type: "image", data: "AA==" }] }),
      "view_image",
      { path: "/i.png" },
      [RENAMED],
    ],
    [
      "a question",
      call("ask", { questions: [{ question: "?" }] }),
      undefined,
      "request_user_input",
      { questions: [{ question: "?" }] },
      [RENAMED],
    ],
    [
      "a subagent",
      call("task", { prompt: "p", agent: "Explore", description: "d" }),
      undefined,
      "multi_agent_v1.spawn_agent",
      { message: "p", agent_type: "Explore" },
      [RENAMED, "info tool_argument_dropped"],
    ],
    [
      "a file that was read",
      call("read", { path: "/a" }, ["Read", { file_path: "/a" }]),
      result(),
      "Read",
      { file_path: "/a" },
      ["info tool_kept"],
    ],
    [
      "a search",
      call("search", { pattern: "x" }, ["Grep", { pattern: "x", "-n": true }]),
      result(),
      "Grep",
      { pattern: "x", "-n": true },
      ["info tool_kept"],
    ],
    [
      "a search without a name",
      call("search", { pattern: "x" }),
      result(),
      "grep",
      { pattern: "x" },
      ["info tool_kept"],
    ],
    [
      "a web search, whose results a call must hold",
      call("web_search", { query: "q" }, ["WebSearch", { query: "q" }]),
      result(),
      "WebSearch",
      { query: "q" },
      ["info tool_kept"],
    ],
    [
      "an unknown tool",
      call("unknown", { a: 1 }, ["TodoWrite", { a: 1 }]),
      result(),
      "TodoWrite",
      { a: 1 },
      ["info tool_kept"],
    ],
    [
      "an MCP tool",
      call("unknown", { a: 1 }, ["mcp__s__t", { a: 1 }]),
      result(),
      "mcp__s__t",
      { a: 1 },
      ["info tool_kept"],
    ],
  ])("%s", (_, given, answer, name, input, losses) => {
    expect(translated(given, answer)).toEqual({ name, input, result: answer, losses });
  });
});

describe("edits become patches", () => {
  const edit = (edits: object[], original: [string, unknown] = ["Edit", { file_path: "/a" }]) =>
    call("edit", { path: "/a", edits }, original);
  const update = (...lines: string[]) => patchOf("*** Update File: /a", ...lines);
  const unified = "@@ -3,3 +3,3 @@\n one\n-two\n+2\n three\n";

  test.each<[string, ToolCall, ToolResult | undefined, string, string[]]>([
    [
      "inside a line, by the recorded patch",
      edit([{ old: "w", new: "2" }]),
      result({ details: { patch: unified } }),
      update("@@", " one", "-two", "+2", " three"),
      [RENAMED],
    ],
    [
      "by a recorded list of hunks",
      edit([{ old: "w", new: "2" }]),
      result({
        details: {
          patch: [{ oldStart: 3, oldLines: 2, newStart: 3, newLines: 2, lines: [" one", "-two", "+2"] }],
        },
      }),
      update("@@", " one", "-two", "+2"),
      [RENAMED],
    ],
    [
      "everywhere, by the recorded patch",
      edit([{ old: "two", new: "2", all: true }]),
      result({ details: { patch: `${unified}@@ -9 +9 @@\n-two\n+2\n` } }),
      update("@@", " one", "-two", "+2", " three", "@@", "-two", "+2"),
      [RENAMED],
    ],
    [
      "whole lines",
      edit([{ old: "two\n", new: "2\nII\n" }]),
      result(),
      update("@@", "-two", "+2", "+II"),
      [RENAMED],
    ],
    ["whole lines taken out", edit([{ old: "two\n", new: "" }]), result(), update("@@", "-two"), [RENAMED]],
    [
      "several at once",
      edit([
        { old: "a\n", new: "b\n" },
        { old: "c\n", new: "d\n" },
      ]),
      result(),
      update("@@", "-a", "+b", "@@", "-c", "+d"),
      [RENAMED],
    ],
    ["into nothing", edit([{ old: "", new: "x\n" }]), result(), patchOf("*** Add File: /a", "+x"), [RENAMED]],
    [
      "a whole file",
      call("write", { path: "/a", content: "x\ny\n" }, ["Write", {}]),
      result(),
      patchOf("*** Add File: /a", "+x", "+y"),
      [RENAMED],
    ],
    [
      "a whole file without a last newline",
      call("write", { path: "/a", content: "x" }, ["Write", {}]),
      result(),
      patchOf("*** Add File: /a", "+x"),
      [RENAMED, "info edit_approximated"],
    ],
    [
      "an empty file",
      call("write", { path: "/a", content: "" }, ["Write", {}]),
      result(),
      patchOf("*** Add File: /a"),
      [RENAMED],
    ],
    [
      "a patch of another dialect",
      call(
        "edit",
        {
          path: "a",
          changes: [
            { kind: "add", path: "a", content: "x\n" },
            { kind: "delete", path: "b" },
            { kind: "move", path: "c", to: "d", diff: "@@ -1 +1 @@\n-x\n+y" },
          ],
        },
        ["patch", {}],
      ),
      result(),
      patchOf(
        "*** Add File: a",
        "+x",
        "*** Delete File: b",
        "*** Update File: c",
        "*** Move to: d",
        "@@",
        "-x",
        "+y",
      ),
      [RENAMED],
    ],
    [
      "a patch of Codex's own",
      call("edit", { path: "a", patch: patchOf("*** Delete File: a") }, ["apply_patch", ""]),
      result(),
      patchOf("*** Delete File: a"),
      [],
    ],
  ])("%s", (_, given, answer, patch, losses) => {
    const found = translated(given, answer);
    expect(found).toEqual({ name: "apply_patch", input: patch, result: answer, losses });
  });

  test.each<[string, ToolCall, ToolResult | undefined]>([
    ["inside a line, nothing recorded", edit([{ old: "w", new: "2" }]), result()],
    ["everywhere, nothing recorded", edit([{ old: "two\n", new: "2\n", all: true }]), result()],
    [
      "one of several inside a line",
      edit([
        { old: "a\n", new: "b\n" },
        { old: "c", new: "d" },
      ]),
      result(),
    ],
    ["one that failed", edit([{ old: "w", new: "2" }]), result({ success: false, output: "not found" })],
    ["no edits", edit([]), undefined],
  ])("not %s: the call keeps its own form, and a loss says so", (_, given, answer) => {
    const found = translated(given, answer);
    expect(found).toEqual({
      name: "Edit",
      input: { file_path: "/a" },
      result: answer,
      losses: ["warning edit_approximated"],
    });
  });
});
