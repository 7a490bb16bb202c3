// Codex's tool calls, read as universal ones.
import { describe, expect, test } from "vitest";
import { universalCall, universalText } from "../../../src/adapters/codex/universal.ts";

describe("read as universal calls", () => {
  const patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Delete File: b\n*** End Patch";

  test.each<[string, object | string, string, object]>([
    [
      "exec_command",
      {
        cmd: "ls",
        workdir: "/w",
        yield_time_ms: 5,
        max_output_tokens: 9,
        shell: "zsh",
        login: false,
        tty: true,
      },
      "bash",
      {
        command: "ls",
        cwd: "/w",
        yield_time_ms: 5,
        max_output_tokens: 9,
        shell: "zsh",
        login: false,
        tty: true,
      },
    ],
    [
      "shell",
      {
        command: ["ls"],
        with_escalated_permissions: true,
        justification: "why",
        timeout_ms: null,
        workdir: "",
      },
      "bash",
      { command: "ls", with_escalated_permissions: true, justification: "why" },
    ],
    ["local_shell", { command: ["ls"], env: { A: "1" } }, "bash", { command: "ls", env: { A: "1" } }],
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
      "write_stdin",
      { session_id: 7, yield_time_ms: 10 },
      "bash",
      { command: "", session: "7", stdin: "", yield_time_ms: 10 },
    ],
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
    ["read_file", { file_path: "a", mode: "slice" }, "read", { path: "a", mode: "slice" }],
    ["list_dir", { dir_path: "a", depth: 3 }, "list", { path: "a", depth: 3 }],
    ["grep_files", { pattern: "x", include: "*", limit: 9 }, "search", { pattern: "x", glob: "*", limit: 9 }],
    [
      "edit_file",
      { path: "a", old_string: "x", new_string: "y", replace_all: true },
      "edit",
      { path: "a", edits: [{ old: "x", new: "y", all: true }] },
    ],
    [
      "edit_file",
      { path: "a", edits: [{ old_string: "x", new_string: "y", replace_all: true }] },
      "edit",
      { path: "a", edits: [{ old: "x", new: "y", all: true }] },
    ],
    ["write_file", { path: "a", content: "" }, "write", { path: "a", content: "" }],
    ["edit_file", { path: "a", old: "x", new: "y" }, "edit", { path: "a", edits: [{ old: "x", new: "y" }] }],
    ["grep", { pattern: "x", path: "p", glob: "*.ts" }, "search", { pattern: "x", path: "p", glob: "*.ts" }],
    ["glob", { pattern: "*" }, "glob", { pattern: "*" }],
    ["ls", { path: "." }, "list", { path: "." }],
    ["ask", { question: "Which?" }, "ask", { questions: [{ question: "Which?" }] }],
    ["ask", { questions: ["Which?"] }, "ask", { questions: [{ question: "Which?" }] }],
    [
      "request_user_input",
      { questions: [{ id: "q", question: "Which?" }] },
      "ask",
      { questions: [{ id: "q", question: "Which?" }] },
    ],
    ["request_user_input", { questions: [{ id: "q" }] }, "unknown", { questions: [{ id: "q" }] }],
    ["call_agent", { prompt: "p" }, "task", { prompt: "p" }],
    [
      "spawn_agent",
      { message: "p", agent_type: "a", task_name: "t" },
      "task",
      { prompt: "p", description: "t", agent: "a" },
    ],
    ["web_search", { query: "q" }, "web_search", { query: "q" }],
    [
      "update_plan",
      { plan: [{ step: "a", status: "pending" }], explanation: "why" },
      "todo",
      { items: [{ text: "a", status: "pending" }], explanation: "why" },
    ],
    [
      "update_plan",
      { plan: [{ step: "a", status: "soon" }] },
      "unknown",
      { plan: [{ step: "a", status: "soon" }] },
    ],
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
