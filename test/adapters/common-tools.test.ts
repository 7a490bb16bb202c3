// Calls of histories that do not say whose they are, by the names that agents commonly give their tools.
import { describe, expect, it } from "vitest";
import { commonCall } from "../../src/adapters/common-tools.ts";
import { understood } from "../../src/catalog/understood.ts";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { session } from "../session/build.ts";

const PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch";
const CHANGES = [{ kind: "update", path: "a", diff: "@@\n-x\n+y" }];

const CASES: [string, Record<string, unknown>, string, Record<string, unknown>][] = [
  ["Read", { file_path: "/a" }, "read", { path: "/a" }],
  ["read_file", { absolute_path: "/a", offset: 3 }, "read", { path: "/a", offset: 3 }],
  ["write_file", { path: "/a", content: "" }, "write", { path: "/a", content: "" }],
  [
    "Edit",
    { file_path: "/a", old_string: "x", new_string: "y" },
    "edit",
    { path: "/a", edits: [{ old: "x", new: "y" }] },
  ],
  [
    "MultiEdit",
    { file_path: "/a", edits: [{ old_string: "x", new_string: "y", replace_all: true }] },
    "edit",
    { path: "/a", edits: [{ old: "x", new: "y", all: true }] },
  ],
  ["exec_command", { cmd: "ls", workdir: "/p" }, "bash", { command: "ls", cwd: "/p" }],
  ["run_shell_command", { command: "ls" }, "bash", { command: "ls" }],
  ["run_shell_command", { command: "ls", dir_path: "/p" }, "bash", { command: "ls", cwd: "/p" }],
  ["shell", { command: ["bash", "-lc", "ls | wc"] }, "bash", { command: "ls | wc" }],
  ["shell", { command: ["echo", "a b"], timeout_ms: 9 }, "bash", { command: "echo 'a b'", timeout: 9 }],
  ["shell", { commands: ["ls", "pwd"] }, "bash", { command: "ls\npwd" }],
  ["local_shell", { type: "exec", command: ["ls"] }, "bash", { command: "ls" }],
  ["view_image", { path: "/a.png" }, "read", { path: "/a.png" }],
  ["apply_patch", { input: PATCH }, "edit", { path: "a", changes: CHANGES, patch: PATCH }],
  [
    "apply_patch",
    { type: "update_file", path: "a", diff: "@@\n-x\n+y" },
    "edit",
    { path: "a", changes: CHANGES },
  ],
  [
    "apply_patch",
    { type: "create_file", path: "a", diff: "+x\n+y\n" },
    "write",
    { path: "a", content: "x\ny\n" },
  ],
  ["apply_patch", { input: "no patch" }, "unknown", { input: "no patch" }],
  ["grep_search", { pattern: "x", dir_path: "/p" }, "search", { pattern: "x", path: "/p" }],
  ["invoke_agent", { agent_name: "a", prompt: "do" }, "task", { prompt: "do", agent: "a" }],
  ["Grep", { pattern: "x", path: "/p" }, "search", { pattern: "x", path: "/p" }],
  ["glob", { pattern: "*.ts" }, "glob", { pattern: "*.ts" }],
  ["list_directory", { dir_path: "/p" }, "list", { path: "/p" }],
  ["WebFetch", { url: "https://x" }, "web_fetch", { url: "https://x" }],
  ["google_web_search", { query: "x" }, "web_search", { query: "x" }],
  ["Task", { prompt: "do", description: "it" }, "task", { prompt: "do", description: "it" }],
  [
    "TodoWrite",
    { todos: [{ content: "a", status: "pending" }] },
    "todo",
    { items: [{ text: "a", status: "pending" }] },
  ],
];

describe("a common name", () => {
  it.each(CASES)("%s", (name, input, tool, meant) => {
    expect(commonCall(name, input)).toEqual({ tool, input: meant });
  });

  it("with other arguments, and any other name, stays what it is", () => {
    expect(commonCall("Read", { what: 1 })).toEqual({ tool: "unknown", input: { what: 1 } });
    expect(commonCall("deploy", { path: "/a" })).toEqual({ tool: "unknown", input: { path: "/a" } });
    expect(commonCall("Bash", "ls")).toEqual({ tool: "unknown", input: { input: "ls" } });
  });
});

it("calls of a session are understood, in subagents too, and known ones are left alone", async () => {
  const call = (id: string, fields: Partial<Entry>): Entry =>
    ({ id, timestamp: "t", type: "tool_call", tool: "unknown", input: {}, ...fields }) as Entry;
  const native = { command: "ls" };
  const timeline = [
    call("a", { originalTool: "Bash", originalInput: native, input: native } as Partial<Entry>),
    call("b", { tool: "read", input: { path: "/x" }, originalTool: "Bash" } as Partial<Entry>),
  ];
  const source = understood(sourceOf(session(timeline, { children: [session(timeline)] })));
  const [first, second] = await Array.fromAsync(source.entries());
  expect(first).toMatchObject({ tool: "bash", originalTool: "Bash", originalInput: native });
  expect(second).toMatchObject({ tool: "read", input: { path: "/x" } });
  for await (const child of source.children())
    expect((await Array.fromAsync(child.entries()))[0]).toMatchObject({ tool: "bash" });
});
