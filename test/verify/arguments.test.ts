// A call's arguments may be shaped differently on the other side, but nothing of them may be gone.
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/loopback/request.ts";
import type { Entry, ToolCall } from "../../src/session/session.ts";
import { call, result } from "../session/build.ts";
import { answers, calls, compared, says } from "./request.ts";

describe("edits", () => {
  const edit = (input: ToolCall["input"]): Entry[] => [
    { ...(call("c1") as ToolCall), tool: "edit", input },
    result("c1"),
  ];
  const done = answers("c1", "output of c1");
  const edits = { path: "/project/src/a.ts", edits: [{ old: "one\ntwo\nthree", new: "one\n2\nthree" }] };

  it("may be old and new text or a patch", async () => {
    const pair = calls("c1", { file_path: "/project/src/a.ts", old_string: "two", new_string: "2" }, "Edit");
    expect((await compared(edit(edits), [pair, done])).facts.kept).toBe(2);
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n one\n-two\n+2\n three\n*** End Patch";
    expect((await compared(edit(edits), [calls("c1", patch, "apply_patch"), done])).facts.kept).toBe(2);
    const shell = calls("c1", { command: ["apply_patch", patch] }, "shell");
    expect((await compared(edit(edits), [shell, done])).facts.kept).toBe(2);
  });

  it("are lost when old and new change sides, or the file is another", async () => {
    const sides = calls("c1", { file_path: "/project/src/a.ts", old_string: "2", new_string: "two" }, "Edit");
    expect((await compared(edit(edits), [sides, done])).facts.kept).toBe(0);
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n one\n-2\n+two\n three\n*** End Patch";
    expect((await compared(edit(edits), [calls("c1", patch), done])).facts.kept).toBe(0);
    const file = calls("c1", { file_path: "/project/src/b.ts", old_string: "two", new_string: "2" }, "Edit");
    expect((await compared(edit(edits), [file, done])).facts.kept).toBe(0);
  });

  const patch = {
    path: "a.ts",
    changes: [
      { kind: "update", path: "a.ts", diff: "@@ -1,1 +1,1 @@\n-one\n+1\n@@ -9,1 +9,1 @@\n-nine\n+9" },
      { kind: "add", path: "b.ts", content: "bee\nbuzz\n" },
      { kind: "delete", path: "c.ts" },
      { kind: "move", path: "d.ts", to: "e.ts", diff: "@@\n-dee\n+ee" },
    ],
  };
  const split: Message[] = [
    calls("s1", { file_path: "/project/a.ts", old_string: "one", new_string: "1" }, "Edit"),
    calls("s2", { file_path: "/project/a.ts", old_string: "nine", new_string: "9" }, "Edit"),
    calls("s3", { file_path: "/project/b.ts", content: "bee\nbuzz\n" }, "Write"),
    calls("s4", { command: "rm '/project/c.ts'" }),
    calls("s5", { command: "mv '/project/d.ts' '/project/e.ts'" }),
    calls("s6", { file_path: "/project/e.ts", old_string: "dee", new_string: "ee" }, "Edit"),
  ];
  const splitAnswers = [
    answers("s1", "output of c1"),
    ...[2, 3, 4, 5, 6].map((n) => answers(`s${n}`, "done")),
  ];

  it("of several files may be split over the calls of one group", async () => {
    const found = await compared(edit(patch), [...split, ...splitAnswers]);
    expect(found).toMatchObject({ facts: { total: 2, kept: 2 }, unexpected: [] });
  });

  it.each([0, 1, 2, 3, 4, 5])("are lost when part %i of a split call is not there", async (at) => {
    const found = await compared(edit(patch), [...split.filter((_, index) => index !== at), ...splitAnswers]);
    expect(found.facts.kept).toBeLessThan(2);
  });

  it("are not put together from different groups", async () => {
    const apart = [...split.slice(0, 3), says("user", "go on"), ...split.slice(3), ...splitAnswers];
    expect((await compared(edit(patch), apart)).facts.kept).toBeLessThan(2);
  });
});

describe("commands", () => {
  const command = `rg -n 'it'\\''s "quoted"' src\\ dir`;
  const entries: Entry[] = [{ ...(call("c1") as ToolCall), input: { command } }, result("c1")];
  const done = answers("c1", "output of c1");

  it("may be given word by word", async () => {
    const argv = ["rg", "-n", `it's "quoted"`, "src dir"];
    expect((await compared(entries, [calls("c1", { command: argv }), done])).facts.kept).toBe(2);
    const other = ["rg", "-n", `it's "quoted"`, "src", "dir"];
    expect((await compared(entries, [calls("c1", { command: other }), done])).facts.kept).toBe(0);
  });

  it("may be wrapped in another, but not changed", async () => {
    expect(
      (await compared(entries, [calls("c1", { command: `cd /x && ${command}` }), done])).facts.kept,
    ).toBe(2);
    const unquoted = command.replaceAll("'", "");
    expect((await compared(entries, [calls("c1", { command: unquoted }), done])).facts.kept).toBe(0);
  });
});

describe("tools without a counterpart", () => {
  const entries: Entry[] = [
    {
      ...(call("c1") as ToolCall),
      tool: "unknown",
      originalTool: "mcp__files__stat",
      input: { path: "x", deep: ["y"] },
    },
    result("c1"),
  ];
  it("keep their own name and every string", async () => {
    const kept = [calls("c1", { path: "x", deep: ["y"] }, "files__stat"), answers("c1", "output of c1")];
    expect((await compared(entries, kept)).facts.kept).toBe(2);
    const renamed = [calls("c1", { path: "x", deep: ["y"] }, "files__open"), answers("c1", "output of c1")];
    expect((await compared(entries, renamed)).facts.kept).toBe(0);
    const cut = [calls("c1", { path: "x", deep: [] }, "files__stat"), answers("c1", "output of c1")];
    expect((await compared(entries, cut)).facts.kept).toBe(0);
  });
});

describe("calls that the vendor carries out", () => {
  const entries: Entry[] = [{ ...(call("w1") as ToolCall), tool: "web_search", input: { query: "weather" } }];
  const searched = (query: string): Message => ({
    role: "assistant",
    blocks: [{ type: "other", kind: "web_search_call", raw: { type: "web_search_call", action: { query } } }],
  });

  it("have a shape of their own and no result", async () => {
    expect(await compared(entries, [searched("weather")])).toMatchObject({
      facts: { kept: 1 },
      unexpected: [],
    });
    const other = await compared(entries, [searched("climate")]);
    expect(other).toMatchObject({ facts: { kept: 0 }, unexpected: [{ type: "other" }] });
  });
});
