// Tool calls both ways: Claude Code's own tools in universal terms, and universal calls as its own.
import { describe, expect, it } from "vitest";
import { universalCall } from "../../../src/adapters/claude/tools.ts";
import { translate } from "../../../src/adapters/claude/translate.ts";
import type { Tool, ToolCall, ToolResult } from "../../../src/session/session.ts";

const path = "/p/a.ts";

describe("reading", () => {
  const table: [string, unknown, Tool, unknown][] = [
    ["Read", { file_path: path, offset: 3, limit: 9 }, "read", { path, offset: 3, limit: 9 }],
    ["NotebookRead", { notebook_path: "/p/n.ipynb" }, "read", { path: "/p/n.ipynb" }],
    ["Write", { file_path: path, content: "x" }, "write", { path, content: "x" }],
    [
      "Edit",
      { file_path: path, old_string: "a", new_string: "b", replace_all: false },
      "edit",
      { path, edits: [{ old: "a", new: "b" }] },
    ],
    [
      "Edit",
      { file_path: path, old_string: "a", new_string: "b", replace_all: true },
      "edit",
      { path, edits: [{ old: "a", new: "b", all: true }] },
    ],
    [
      "MultiEdit",
      {
        file_path: path,
        edits: [
          { old_string: "a", new_string: "b" },
          { old_string: "c", new_string: "d", replace_all: true },
        ],
      },
      "edit",
      {
        path,
        edits: [
          { old: "a", new: "b" },
          { old: "c", new: "d", all: true },
        ],
      },
    ],
    [
      "Bash",
      { command: "ls", timeout: 5, description: "list", run_in_background: true },
      "bash",
      { command: "ls", timeout: 5, description: "list", background: true },
    ],
    [
      "Grep",
      { pattern: "x", path: "/p", glob: "*.ts", "-i": true },
      "search",
      { pattern: "x", path: "/p", glob: "*.ts", ignoreCase: true },
    ],
    [
      "Grep",
      { pattern: "x", output_mode: "files_with_matches", "-C": 2, head_limit: 5, "-n": true },
      "search",
      { pattern: "x", mode: "files", context: 2, limit: 5, "-n": true },
    ],
    ["Glob", { pattern: "**/*.ts" }, "glob", { pattern: "**/*.ts" }],
    ["LS", { path: "/p" }, "list", { path: "/p" }],
    [
      "Task",
      { prompt: "go", description: "d", subagent_type: "Explore" },
      "task",
      { prompt: "go", description: "d", agent: "Explore" },
    ],
    ["Agent", { prompt: "go" }, "task", { prompt: "go" }],
    ["AskUserQuestion", { questions: [{ question: "?" }] }, "ask", { questions: [{ question: "?" }] }],
    ["WebFetch", { url: "https://e.com", prompt: "p" }, "web_fetch", { url: "https://e.com", prompt: "p" }],
    ["WebSearch", { query: "q" }, "web_search", { query: "q" }],
    [
      "TodoWrite",
      { todos: [{ content: "a", status: "pending", activeForm: "doing a" }] },
      "todo",
      { items: [{ text: "a", status: "pending", activeForm: "doing a" }] },
    ],
    ["TodoWrite", { todos: [] }, "todo", { items: [] }],
    ["TodoWrite", { todos: [{ content: "a" }] }, "unknown", { todos: [{ content: "a" }] }],
    ["mcp__jira__get", { key: "X" }, "unknown", { key: "X" }],
    ["Read", { wrong: 1 }, "unknown", { wrong: 1 }],
    ["Edit", { file_path: path }, "unknown", { file_path: path }],
    [
      "MultiEdit",
      { file_path: path, edits: [{ old_string: 1 }] },
      "unknown",
      { file_path: path, edits: [{ old_string: 1 }] },
    ],
    ["Bash", "not an object", "unknown", { input: "not an object" }],
    ["constructor", {}, "unknown", {}],
  ];

  it.each(table)("%s %j is %s", (name, native, tool, input) => {
    expect(universalCall(name, native)).toEqual({ tool, input });
  });

  it.each(table)("%s %j comes back as it was", (name, native, tool, input) => {
    if (name === "constructor" || typeof native === "string") return expect(tool).toBe("unknown");
    const { pairs, losses } = translate(call(tool, input as ToolCall["input"], name, native), undefined);
    expect(pairs).toEqual([{ name, input: native, result: undefined }]);
    expect(losses).toEqual([]);
  });
});

function call(
  tool: Tool,
  input: ToolCall["input"],
  originalTool = "theirs",
  originalInput?: unknown,
): ToolCall {
  return { id: "c1", timestamp: "", type: "tool_call", tool, input, originalTool, originalInput };
}

const result: ToolResult = {
  id: "r1",
  timestamp: "",
  type: "tool_result",
  callId: "c1",
  success: true,
  output: "done",
};

function translated(tool: Tool, input: ToolCall["input"], folders?: string[]) {
  const { pairs, losses } = translate(call(tool, input), result, folders);
  return {
    calls: pairs.map(({ name, input: native }) => [name, native]),
    losses: losses.map(({ kind }) => kind),
    pairs,
  };
}

describe("writing", () => {
  it.each<[Tool, ToolCall["input"], string, unknown]>([
    ["read", { path, offset: 3, limit: 9 }, "Read", { file_path: path, offset: 3, limit: 9 }],
    ["write", { path, content: "x" }, "Write", { file_path: path, content: "x" }],
    [
      "edit",
      { path, edits: [{ old: "a", new: "b", all: true }] },
      "Edit",
      { file_path: path, old_string: "a", new_string: "b", replace_all: true },
    ],
    [
      "bash",
      { command: "ls", timeout: 5, background: true },
      "Bash",
      { command: "ls", timeout: 5, run_in_background: true },
    ],
    ["search", { pattern: "x", glob: "*.ts" }, "Grep", { pattern: "x", glob: "*.ts" }],
    ["glob", { pattern: "*.ts", path: "/p" }, "Glob", { pattern: "*.ts", path: "/p" }],
    ["list", { path: "/p q", ignore: ["*.o"] }, "LS", { path: "/p q", ignore: ["*.o"] }],
    ["ask", { questions: "Which?" }, "AskUserQuestion", { questions: [{ question: "Which?" }] }],
    [
      "ask",
      { questions: [{ question: "Which?", header: "H", options: [{ label: "A" }], multiple: true }] },
      "AskUserQuestion",
      { questions: [{ question: "Which?", header: "H", options: [{ label: "A" }], multiSelect: true }] },
    ],
    [
      "todo",
      { items: [{ text: "a", status: "completed" }] },
      "TodoWrite",
      { todos: [{ content: "a", status: "completed" }] },
    ],
    ["task", { prompt: "go", agent: "Explore" }, "Agent", { prompt: "go", subagent_type: "Explore" }],
    ["web_fetch", { url: "https://e.com" }, "WebFetch", { url: "https://e.com" }],
    ["web_search", { query: "q" }, "WebSearch", { query: "q" }],
  ])("%s %j becomes %s", (tool, input, name, native) => {
    const found = translated(tool, input);
    expect(found.calls).toEqual([[name, native]]);
    expect(found.losses).toEqual(["tool_renamed"]);
    expect(found.pairs[0]?.result).toBe(result);
  });

  it("takes a patch of several files apart, in order", () => {
    const changes = [
      { kind: "update", path, diff: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@\n-x\n+y\n" },
      { kind: "add", path: "/p/new.ts", content: "n\n" },
      { kind: "delete", path: "/p/it's.ts" },
      { kind: "move", path: "/p/m1", to: "/p/m2", diff: "@@\n-a\n+b" },
    ];
    const found = translated("edit", { path, changes, patch: "*** Begin Patch" });
    expect(found.calls).toEqual([
      ["Edit", { file_path: path, old_string: "one\ntwo\nthree", new_string: "one\n2\nthree" }],
      ["Edit", { file_path: path, old_string: "x", new_string: "y" }],
      ["Write", { file_path: "/p/new.ts", content: "n\n" }],
      ["Bash", { command: "rm -- '/p/it'\\''s.ts'" }],
      ["Bash", { command: "mv -- /p/m1 /p/m2" }],
      ["Edit", { file_path: "/p/m2", old_string: "a", new_string: "b" }],
    ]);
    expect(found.losses).toEqual(["tool_split"]);
    expect(found.pairs.map((pair) => pair.result?.output === "done")).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(new Set(found.pairs.map((pair) => pair.result?.id)).size).toBe(6);
  });

  it("says that the line which names a hunk's place is left out", () => {
    const diff = "@@ class A\n@@     def f():\n-    return 1\n+    return 2\n@@ -1,2 +1,2 @@ g()\n-a\n+b";
    const found = translated("edit", { path, changes: [{ kind: "update", path, diff }] });
    expect(found.calls).toHaveLength(2);
    expect(found.losses).toEqual(["edit_approximated", "tool_split"]);
    const plain = diff.split("\n").slice(4).join("\n");
    expect(translated("edit", { path, changes: [{ kind: "update", path, diff: plain }] }).losses).toEqual([
      "tool_renamed",
    ]);
  });

  it("says where an edit cannot be told exactly", () => {
    const inserted = translated("edit", {
      path,
      changes: [{ kind: "update", path, diff: "@@\n+only added" }],
    });
    expect(inserted.calls).toEqual([["Edit", { file_path: path, old_string: "", new_string: "only added" }]]);
    expect(inserted.losses).toEqual(["edit_approximated", "tool_renamed"]);
    expect(translated("edit", { path, patch: "not a patch" }).losses).toEqual(["tool_kept"]);
    expect(translated("edit", { path, changes: [{ kind: "teleport", path }] }).losses).toContain(
      "edit_approximated",
    );
  });

  it("keeps the arguments that the tool does not have, and says so", () => {
    expect(translated("read", { path, encoding: "utf8" })).toMatchObject({
      calls: [["Read", { file_path: path, encoding: "utf8" }]],
      losses: ["tool_argument_kept", "tool_renamed"],
    });
    expect(translated("bash", { command: "ls", cwd: "/q" })).toMatchObject({
      calls: [["Bash", { command: "ls", cwd: "/q" }]],
      losses: ["tool_argument_kept", "tool_renamed"],
    });
  });

  it("says which argument has no place because another one took it", () => {
    const found = translated("read", { path, file_path: "/other" });
    expect(found.calls).toEqual([["Read", { file_path: path }]]);
    expect(found.losses).toEqual(["tool_argument_dropped", "tool_renamed"]);
  });

  it("goes to the folder a command was run in, unless the session is there", () => {
    expect(translated("bash", { command: "ls", cwd: "/q r" }, ["/p"]).calls).toEqual([
      ["Bash", { command: "cd '/q r' && ls" }],
    ]);
    expect(translated("bash", { command: "ls", cwd: "/p" }, ["/p"])).toMatchObject({
      calls: [["Bash", { command: "ls" }]],
      losses: ["tool_renamed"],
    });
  });

  it("keeps what has no counterpart, under a name the API takes", () => {
    const { pairs, losses } = translate(call("unknown", { a: 1 }, "my tool!"), result);
    expect(pairs).toMatchObject([{ name: "my_tool_", input: { a: 1 } }]);
    expect(losses.map(({ kind }) => kind)).toEqual(["tool_kept", "tool_renamed"]);
    expect(translated("bash", { command: "", session: "7", stdin: "y\n" }).calls).toEqual([
      ["theirs", { command: "", session: "7", stdin: "y\n" }],
    ]);
  });
});
