// Paths of a folder that lives elsewhere: rewritten in arguments, by the rules of their system, and nowhere else.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { type Move, remapped } from "../../src/transform/remap.ts";
import { thread } from "../../src/transform/visible.ts";
import { assistant, result, session, user } from "../session/build.ts";

type Call = Extract<Entry, { type: "tool_call" }>;

const called = (tool: Call["tool"], input: Call["input"], more: Partial<Call> = {}): Call => ({
  id: "c1",
  timestamp: "2026-01-02T03:04:05.000Z",
  type: "tool_call",
  tool,
  input,
  ...more,
});

async function moved(entries: Entry[], moves: readonly Move[] = [["/old/repo", "/new/place"]]) {
  const stream = remapped(thread(sourceOf(session(entries, { project: { path: "/old/repo" } }))), moves);
  const found = await Array.fromAsync(stream.entries());
  return { stream, found, call: found[0] as Call };
}

describe("arguments", () => {
  it.each<[string, Call["tool"], Call["input"], Call["input"]]>([
    ["a file", "read", { path: "/old/repo/a.ts" }, { path: "/new/place/a.ts" }],
    ["the folder itself", "list", { path: "/old/repo" }, { path: "/new/place" }],
    [
      "a folder to run in",
      "bash",
      { command: "x", cwd: "/old/repo/b" },
      { command: "x", cwd: "/new/place/b" },
    ],
    [
      "a list of files",
      "unknown",
      { file_paths: ["/old/repo/a", "/b"] },
      { file_paths: ["/new/place/a", "/b"] },
    ],
    ["a nested field", "unknown", { at: { filePath: "/old/repo/a" } }, { at: { filePath: "/new/place/a" } }],
    [
      "a patch",
      "edit",
      {
        path: "/old/repo/a",
        changes: [{ kind: "move", path: "/old/repo/a", to: "/old/repo/b", diff: "-/old/repo/x" }],
        patch:
          "*** Begin Patch\n*** Update File: /old/repo/a\n*** Move to: /old/repo/b\n-/old/repo/x\n*** End Patch",
      },
      {
        path: "/new/place/a",
        changes: [{ kind: "move", path: "/new/place/a", to: "/new/place/b", diff: "-/old/repo/x" }],
        patch:
          "*** Begin Patch\n*** Update File: /new/place/a\n*** Move to: /new/place/b\n-/old/repo/x\n*** End Patch",
      },
    ],
  ])("%s moves", async (_, tool, input, expected) => {
    const { call, stream } = await moved([called(tool, input)]);
    expect(call.input).toEqual(expected);
    expect(stream.losses).toEqual([expect.objectContaining({ kind: "paths_remapped", severity: "info" })]);
  });

  it.each<[string, Call["tool"], Call["input"]]>([
    ["a folder with a similar name", "read", { path: "/old/repository/a" }],
    ["a relative path", "read", { path: "old/repo/a" }],
    ["a way out of the folder", "read", { path: "/old/repo/../other" }],
    ["content", "write", { path: "b", content: "/old/repo/a" }],
    ["a command", "bash", { command: "/old/repo/run.sh" }],
    ["text that is replaced", "edit", { path: "b", edits: [{ old: "/old/repo/a", new: "/old/repo/b" }] }],
  ])("%s stays", async (_, tool, input) => {
    const before = called(tool, input);
    const { call, stream } = await moved([before]);
    expect(call).toBe(before);
    expect(stream.losses).toEqual([]);
  });

  it("the agent's own arguments say the same, in an object, in JSON and in a patch", async () => {
    const input = { path: "/old/repo/a" };
    const forms: [unknown, unknown][] = [
      [{ file_path: "/old/repo/a" }, { file_path: "/new/place/a" }],
      ['{"path":"/old/repo/a","n":1}', '{"path":"/new/place/a","n":1}'],
      ["*** Begin Patch\n*** Add File: /old/repo/a\n+x", "*** Begin Patch\n*** Add File: /new/place/a\n+x"],
      ["{broken /old/repo/a", "{broken /old/repo/a"],
    ];
    for (const [originalInput, expected] of forms)
      expect((await moved([called("read", input, { originalInput })])).call.originalInput).toEqual(expected);
  });
});

describe("folders", () => {
  it("the one further down wins, and the session's own moves", async () => {
    const moves: Move[] = [
      ["/old", "/elsewhere"],
      ["/old/repo", "/new/place"],
    ];
    const { call, stream } = await moved([called("read", { path: "/old/repo/a" })], moves);
    expect(call.input).toEqual({ path: "/new/place/a" });
    expect(stream.header.project.path).toBe("/new/place");
  });

  it.each([
    ["C:\\repo", "/home/me/repo", "C:\\repo\\src\\a.ts", "/home/me/repo/src/a.ts"],
    ["C:\\repo", "/home/me/repo", "c:/Repo/src/a.ts", "/home/me/repo/src/a.ts"],
    ["/home/me/repo", "D:\\work", "/home/me/repo/src/a.ts", "D:\\work\\src\\a.ts"],
    ["\\\\host\\share\\repo", "/repo", "\\\\host\\share\\repo\\a", "/repo/a"],
    ["C:\\repo", "/repo", "D:\\repo\\a", "D:\\repo\\a"],
    ["/repo", "/new", "C:\\repo\\a", "C:\\repo\\a"],
  ])("%s to %s: %s becomes %s", async (from, to, path, expected) => {
    expect((await moved([called("read", { path })], [[from, to]])).call.input).toEqual({ path: expected });
  });
});

it("what was said and printed stays, and the count is that of one reading", async () => {
  const said: Entry[] = [
    { ...result("c1"), output: "/old/repo/a" } as Entry,
    { ...user("u1"), content: "look at /old/repo/a" } as Entry,
    assistant("a1"),
  ];
  const { stream } = await moved([called("read", { path: "/old/repo/a" }), ...said]);
  const again = await Array.fromAsync(stream.entries());
  expect(again.slice(1)).toEqual(said);
  expect(stream.losses).toEqual([expect.objectContaining({ detail: "1 path(s), /old/repo → /new/place" })]);
});
