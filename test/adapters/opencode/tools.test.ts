// Tools both ways: OpenCode's own in universal terms, and every universal tool in OpenCode's.
import { describe, expect, it } from "vitest";
import { tools, universalCall } from "../../../src/adapters/opencode/tools.ts";
import type { ToolCall } from "../../../src/session/session.ts";

const call = (more: Partial<ToolCall>): ToolCall => ({
  id: "c",
  type: "tool_call",
  timestamp: "2026-01-01T00:00:00Z",
  tool: "unknown",
  input: {},
  ...more,
});

const PATCH = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch";

describe("what a call means", () => {
  it.each([
    ["read", { filePath: "/a", offset: 3, limit: 2 }, "read", { path: "/a", offset: 3, limit: 2 }],
    ["write", { filePath: "/a", content: "x" }, "write", { path: "/a", content: "x" }],
    [
      "edit",
      { filePath: "/a", oldString: "x", newString: "y", replaceAll: true },
      "edit",
      { path: "/a", edits: [{ old: "x", new: "y", all: true }] },
    ],
    [
      "multiedit",
      {
        filePath: "/a",
        edits: [
          { oldString: "x", newString: "y" },
          { oldString: "1", newString: "2" },
        ],
      },
      "edit",
      {
        path: "/a",
        edits: [
          { old: "x", new: "y" },
          { old: "1", new: "2" },
        ],
      },
    ],
    [
      "bash",
      { command: "ls", workdir: "/b", timeout: 5, description: "d" },
      "bash",
      { command: "ls", cwd: "/b", timeout: 5, description: "d" },
    ],
    [
      "grep",
      { pattern: "x", path: "/a", include: "*.ts" },
      "search",
      { pattern: "x", path: "/a", glob: "*.ts" },
    ],
    ["glob", { pattern: "*" }, "glob", { pattern: "*" }],
    ["list", { path: "/a" }, "list", { path: "/a" }],
    [
      "task",
      { description: "d", prompt: "p", subagent_type: "general" },
      "task",
      { description: "d", prompt: "p", agent: "general" },
    ],
    [
      "todowrite",
      { todos: [{ content: "a", status: "pending", priority: "low" }] },
      "todo",
      { items: [{ text: "a", status: "pending", priority: "low" }] },
    ],
    ["webfetch", { url: "http://x", format: "text" }, "web_fetch", { url: "http://x", format: "text" }],
    ["websearch", { query: "q" }, "web_search", { query: "q" }],
    [
      "question",
      { questions: [{ question: "Why?", header: "h", multiple: true }] },
      "ask",
      { questions: [{ question: "Why?", header: "h", multiple: true }] },
    ],
    [
      "apply_patch",
      { patchText: PATCH },
      "edit",
      { path: "a.txt", patch: PATCH, changes: [{ kind: "add", path: "a.txt", content: "one\n" }] },
    ],
    ["skill", { name: "s" }, "unknown", { name: "s" }],
    ["read", { nothing: 1 }, "unknown", { nothing: 1 }],
  ])("%s %j", (name, input, tool, universal) => {
    expect(universalCall(name, input, true)).toEqual({ tool, input: universal });
    // And back again, in its own words.
    const [pair] = tools(
      call({ tool: tool as ToolCall["tool"], input: universal, originalTool: name }),
      undefined,
    ).pairs;
    expect(pair).toMatchObject({ name, input });
  });
});

describe("a call of another agent", () => {
  it("that OpenCode has no tool for keeps its name and arguments", () => {
    const { pairs, losses } = tools(call({ originalTool: "NoSuchTool", input: { x: 1 } }), undefined);
    expect(pairs).toEqual([{ name: "NoSuchTool", input: { x: 1 }, result: undefined }]);
    expect(losses).toMatchObject([{ kind: "tool_kept", detail: "NoSuchTool" }]);
  });

  it("of an MCP server is named as OpenCode names it", () => {
    const { pairs, losses } = tools(
      call({ originalTool: "mcp__files__stat", input: { path: "x" } }),
      undefined,
    );
    expect(pairs[0]).toMatchObject({ name: "files_stat", input: { path: "x" } });
    expect(losses).toMatchObject([{ kind: "tool_renamed" }]);
  });

  it("whose arguments are no JSON says them as they are", () => {
    const broken = call({
      originalTool: "exec_command",
      originalInput: "not json",
      input: { arguments: "not json" },
    });
    expect(tools(broken, undefined).pairs[0]).toMatchObject({
      name: "exec_command",
      input: { arguments: "not json" },
    });
  });

  it("that is told as a patch says what the patch cannot", () => {
    const edit = (changes: unknown[]) =>
      tools(
        call({ tool: "edit", input: { path: "a.txt", changes }, originalTool: "apply_patch" }),
        undefined,
      );
    const whole = edit([{ kind: "add", path: "a.txt", content: "one\n" }]);
    expect(whole.pairs[0]).toMatchObject({ name: "apply_patch", input: { patchText: PATCH } });
    expect(whole.losses).toEqual([]);
    const open = edit([{ kind: "add", path: "a.txt", content: "one" }]);
    expect(open.losses).toMatchObject([{ kind: "edit_approximated", severity: "info" }]);
    const returned = edit([{ kind: "update", path: "a.txt", diff: "@@\n-one\r\n+two\r\n" }]);
    expect(returned.losses).toMatchObject([{ kind: "edit_approximated", severity: "info" }]);
  });

  it("that was edited says its changes, and not the patch of another agent that once said them", () => {
    const changes = [{ kind: "add", path: "b.txt", content: "two\n" }];
    const input = { path: "a.txt", patch: PATCH, changes };
    const told = (given: Partial<ToolCall>) =>
      tools(call({ tool: "edit", originalTool: "apply_patch", input, ...given }), undefined).pairs[0]?.input;
    expect(told({ originalInput: PATCH })).toEqual({
      patchText: PATCH.replace("a.txt", "b.txt").replace("one", "two"),
    });
    // A patch that was edited itself is what counts.
    expect(told({ originalInput: "another patch" })).toEqual({ patchText: PATCH });
  });

  it("has a name that every API takes", () => {
    const [pair] = tools(call({ originalTool: `späť tool/${"x".repeat(80)}` }), undefined).pairs;
    expect(pair?.name).toMatch(/^[\w-]{1,64}$/);
  });
});
