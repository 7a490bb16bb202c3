// Universal tool calls, written as Codex's own.
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import type { ToolCall, ToolResult } from "../../../src/session/session.ts";

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
const KEPT = "info tool_argument_kept";

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
      call("bash", { command: "npm start", background: true, timeout: 5, dangerouslyDisableSandbox: true }),
      undefined,
      "shell_command",
      { command: "npm start", timeout_ms: 5, background: true, dangerouslyDisableSandbox: true },
      [RENAMED, KEPT],
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
      "a command with an argument that is called like a running one",
      call("bash", { command: "ls", session: "s1" }),
      undefined,
      "exec_command",
      { cmd: "ls", session: "s1" },
      [RENAMED, KEPT],
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
      "a file with carriage returns",
      call("write", { path: "a.bat", content: "@echo off\r\n" }),
      undefined,
      "write_file",
      { path: "a.bat", content: "@echo off\r\n" },
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
      call("task", { prompt: "p", agent: "Explore", description: "d", model: "opus" }),
      undefined,
      "multi_agent_v1.spawn_agent",
      { message: "p", agent_type: "Explore", description: "d", model: "opus" },
      [RENAMED, KEPT],
    ],
    [
      "a file that was read",
      call("read", { path: "/a" }, ["Read", { file_path: "/a" }]),
      result(),
      "read_file",
      { path: "/a" },
      [RENAMED],
    ],
    [
      "a search",
      call("search", { pattern: "x", mode: "files", "-n": true }, ["Grep", { pattern: "x" }]),
      result(),
      "grep",
      { pattern: "x", mode: "files", "-n": true },
      [RENAMED],
    ],
    [
      "a search without a name",
      call("search", { pattern: "x" }),
      result(),
      "grep",
      { pattern: "x" },
      [RENAMED],
    ],
    [
      "a web search, whose results a call must hold",
      call("web_search", { query: "q" }, ["WebSearch", { query: "q" }]),
      result(),
      "web_search",
      { query: "q" },
      [RENAMED],
    ],
    [
      "a file without a last newline",
      call("write", { path: "/a", content: "x" }, ["Write", {}]),
      result(),
      "write_file",
      { path: "/a", content: "x" },
      [RENAMED],
    ],
    [
      "a todo list",
      call("todo", { items: [{ text: "a", status: "pending", activeForm: "doing a" }] }, ["TodoWrite", {}]),
      result(),
      "update_plan",
      { plan: [{ step: "a", status: "pending", activeForm: "doing a" }] },
      [RENAMED, KEPT],
    ],
    [
      "a question with more than one answer",
      call("ask", { questions: [{ question: "?", header: "h", options: [{ label: "a" }], multiple: true }] }),
      result(),
      "request_user_input",
      { questions: [{ header: "h", question: "?", options: [{ label: "a" }], multiple: true }] },
      [RENAMED, KEPT],
    ],
    [
      "a tool of the same name at another agent",
      call("read", { path: "/a", offset: 2, limit: 2 }, ["read_file", { file_path: "/a", start_line: 2 }]),
      result(),
      "read_file",
      { path: "/a", offset: 2, limit: 2 },
      [],
    ],
    [
      "arguments that are not those of the tool",
      call("read", { path: 1 }, ["Read", { file_path: 1 }]),
      result(),
      "Read",
      { file_path: 1 },
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
      edit([{ old: "\ntwo\n", new: "\n2\nII\n" }]),
      result(),
      update("@@", "-two", "+2", "+II"),
      [RENAMED],
    ],
    [
      "whole lines taken out",
      edit([{ old: "\ntwo\n", new: "\n" }]),
      result(),
      update("@@", "-two"),
      [RENAMED],
    ],
    [
      "several at once",
      edit([
        { old: "\na\n", new: "\nb\n" },
        { old: "\nc\n", new: "\nd\n" },
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
    ["text that may begin inside a line", edit([{ old: "two\n", new: "2\n" }]), result()],
    ["text that begins with spaces", edit([{ old: "  two\n", new: "  2\n" }]), result()],
    ["an insertion behind any line", edit([{ old: "\n", new: "\n2\n" }]), result()],
    [
      "an edit that the recorded patch did not make",
      edit([{ old: "w", new: "EDITED" }]),
      result({ details: { patch: unified } }),
    ],
    ["inside a line, nothing recorded", edit([{ old: "w", new: "2" }]), result()],
    ["everywhere, nothing recorded", edit([{ old: "two\n", new: "2\n", all: true }]), result()],
    [
      "one of several inside a line",
      edit([
        { old: "\na\n", new: "\nb\n" },
        { old: "c", new: "d" },
      ]),
      result(),
    ],
    ["one that failed", edit([{ old: "w", new: "2" }]), result({ success: false, output: "not found" })],
    [
      "with carriage returns",
      edit([{ old: "w", new: "2" }]),
      result({ details: { patch: unified.replaceAll("\n", "\r\n") } }),
    ],
  ])("not %s: it is told as old and new text", (_, given, answer) => {
    const found = translated(given, answer);
    expect(found).toEqual({ name: "edit_file", input: given.input, result: answer, losses: [RENAMED] });
  });

  test("a patch over several files that it cannot hold exactly says so", () => {
    const changes = [
      { kind: "add", path: "a", content: "x" },
      { kind: "update", path: "b", diff: "@@\r\n-x\r\n+y\r\n" },
    ];
    const found = translated(call("edit", { path: "a", changes }, ["patch", {}]), result());
    expect(found.name).toBe("apply_patch");
    expect(found.losses).toEqual([RENAMED, "info edit_approximated", "info edit_approximated"]);
  });
});

describe("arguments that were edited since they were recorded", () => {
  test.each<[string, ToolCall, unknown]>([
    ["another agent's", call("unknown", { a: "NEW" }, ["Skill", { a: "x", "-n": true }]), { a: "NEW" }],
    ["one taken out", call("unknown", { a: "1" }, ["Skill", { a: "1", limit: 5 }]), { a: "1" }],
    ["Codex's own", call("list", { path: "/b" }, ["list_dir", '{"dir_path":"/a"}']), { path: "/b" }],
    ["nobody's", call("list", { path: "/a" }, ["list_dir", '{"dir_path":"/a"}']), '{"dir_path":"/a"}'],
  ])("%s", (_, given, input) => {
    expect(translated(given, result())).toMatchObject({ input, losses: ["info tool_kept"] });
  });

  test("the changes of a patch win over its old text", () => {
    const patch = patchOf("*** Delete File: a");
    const changes = [{ kind: "delete", path: "b" }];
    const given = call("edit", { path: "b", changes, patch }, ["apply_patch", patch]);
    expect(translated(given, result()).input).toBe(patchOf("*** Delete File: b"));
  });
});
