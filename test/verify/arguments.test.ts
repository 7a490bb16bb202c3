// A call's arguments may be shaped differently on the other side, but must say the same, no less and no more.
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/loopback/request.ts";
import { loss } from "../../src/session/losses.ts";
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
    const [{ old, new: fresh }] = edits.edits as [{ old: string; new: string }];
    const pair = calls("c1", { file_path: "/project/src/a.ts", old_string: old, new_string: fresh }, "Edit");
    expect((await compared(edit(edits), [pair, done])).facts.kept).toBe(2);
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n one\n-two\n+2\n three\n*** End Patch";
    expect((await compared(edit(edits), [calls("c1", patch, "apply_patch"), done])).facts.kept).toBe(2);
    const shell = calls("c1", { command: ["apply_patch", patch] }, "shell");
    expect((await compared(edit(edits), [shell, done])).facts.kept).toBe(2);
  });

  const [{ old, new: fresh }] = edits.edits as [{ old: string; new: string }];
  const own = { file_path: "/project/src/a.ts", old_string: old, new_string: fresh };
  it.each<[string, unknown, string]>([
    ["the sides", { ...own, old_string: fresh, new_string: old }, "Edit"],
    ["the file", { ...own, file_path: "/project/src/b.ts" }, "Edit"],
    ["the old text", { ...own, old_string: "one\ntwo\nthree\nfour" }, "Edit"],
    ["the new text", { ...own, new_string: `${fresh}\nevil` }, "Edit"],
    ["how often", { ...own, replace_all: true }, "Edit"],
    ["the sides of a patch", "*** Update File: src/a.ts\n@@\n one\n-2\n+two\n three", "apply_patch"],
    ["a line of a patch", "*** Update File: src/a.ts\n@@\n one\n-two\n+2\n+evil\n three", "apply_patch"],
    ["the context of a patch", "*** Update File: src/a.ts\n@@\n 1\n-two\n+2\n three", "apply_patch"],
    ["the place of a patch", "*** Update File: src/a.ts\n@@ f()\n one\n-two\n+2\n three", "apply_patch"],
    [
      "the files of a patch",
      "*** Update File: src/a.ts\n@@\n one\n-two\n+2\n three\n*** Delete File: b.ts",
      "apply_patch",
    ],
    ["the tool", own, "Read"],
  ])("are changed when %s changed", async (_, input, name) => {
    const given = typeof input === "string" ? `*** Begin Patch\n${input}\n*** End Patch` : input;
    const found = await compared(edit(edits), [calls("c1", given, name), done]);
    expect(found.missing).toMatchObject([{ type: "call", entry: "c1" }]);
  });

  it("may be told as the result recorded them", async () => {
    const recorded = "@@ -7,2 +7,2 @@\n before\n-has two in it\n+has 2 in it";
    const entries: Entry[] = [
      {
        ...(call("c1") as ToolCall),
        tool: "edit",
        input: { path: "a.ts", edits: [{ old: "two", new: "2" }] },
      },
      { ...result("c1"), details: { patch: recorded } } as Entry,
    ];
    const told = (body: string) => `*** Begin Patch\n*** Update File: a.ts\n@@\n${body}\n*** End Patch`;
    const whole = told(" before\n-has two in it\n+has 2 in it");
    expect((await compared(entries, [calls("c1", whole, "apply_patch"), done])).facts.kept).toBe(2);
    const more = told(" before\n-has two in it\n+has 2 in it\n+int evil;");
    expect((await compared(entries, [calls("c1", more, "apply_patch"), done])).facts.kept).toBe(1);
  });

  it("may be approximate where that is announced, but of the same file and with the same result", async () => {
    const losses = [loss("edit_approximated", { entry: "c1" }, "")];
    const near = calls("c1", { ...own, old_string: "two", new_string: "2" }, "Edit");
    expect((await compared(edit(edits), [near, done], { losses })).missing).toMatchObject([
      { type: "call", named: "edit_approximated" },
    ]);
    for (const wrong of [
      calls("c1", {}, "Edit"),
      calls("c1", { ...own, old_string: "two", new_string: "2\nevil" }, "Edit"),
      calls("c1", { ...own, old_string: "two", new_string: "" }, "Edit"),
      calls("c1", { ...own, file_path: "/b.ts" }, "Edit"),
    ])
      expect((await compared(edit(edits), [wrong, done], { losses })).missing[0]?.named).toBeUndefined();
    const other = await compared(edit(edits), [near, answers("c1", "other")], { losses });
    expect(other.missing.map(({ type, named }) => [type, named])).toEqual([
      ["call", "edit_approximated"],
      ["result", undefined],
    ]);
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
    ...[2, 3, 4, 5, 6].map((n) => answers(`s${n}`, `[Step ${n} of 6 of one call; see the first]`)),
  ];
  const losses = [loss("tool_split", { entry: "c1" }, "")];

  it("of several files may be split over the calls of one group", async () => {
    const found = await compared(edit(patch), [...split, ...splitAnswers], { losses });
    expect(found).toMatchObject({ facts: { total: 2, kept: 2 }, unexpected: [] });
    const silent = await compared(edit(patch), [...split, ...splitAnswers]);
    expect(silent.missing).toMatchObject([{ type: "result" }]);
    const says = [...splitAnswers.slice(0, -1), answers("s6", "never said")];
    expect((await compared(edit(patch), [...split, ...says], { losses })).missing).toMatchObject([
      { type: "result" },
    ]);
  });

  it.each([
    [3, "rm -rf / '/project/c.ts'"],
    [3, "rm /project/c.ts /project/d.ts"],
    [3, "rm /project/c.ts; reboot"],
    [4, "mv -f /project/d.ts /project/e.ts"],
    [4, "mv /project/d.ts $(reboot)"],
  ])("are changed when step %i is %s", async (at, command) => {
    const steps = split.map((step, index) => (index === at ? calls(`s${at + 1}`, { command }) : step));
    expect((await compared(edit(patch), [...steps, ...splitAnswers], { losses })).facts.kept).toBe(0);
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
    expect((await compared(entries, [calls("c1", { command: other }), done])).facts.kept).toBe(1);
  });

  it("may name their folder, which must be the right one", async () => {
    const there: Entry[] = [
      { ...(entries[0] as ToolCall), input: { command, cwd: "/my folder" } },
      result("c1"),
    ];
    const kept = async (input: unknown) => (await compared(there, [calls("c1", input), done])).facts.kept;
    expect(await kept({ command: `cd '/my folder' && ${command}` })).toBe(2);
    expect(await kept({ command, workdir: "/my folder" })).toBe(2);
    expect(await kept({ command: `cd /other && ${command}` })).toBe(1);
    expect(await kept({ command: `cd '/my folder'; reboot && ${command}` })).toBe(1);
    expect(await kept({ command })).toBe(1);
  });

  it.each<[string, unknown, string]>([
    ["extended", { command: `${command} && rm -rf /` }, "Bash"],
    ["cut", { command: command.slice(0, -4) }, "Bash"],
    ["unquoted", { command: command.replaceAll("'", "") }, "Bash"],
    ["put into a folder", { command: `cd /x && ${command}` }, "Bash"],
    ["given another argument", { command, timeout: 5 }, "Bash"],
    ["looked at as an image", { path: command }, "view_image"],
    ["read by the same name", { command }, "Read"],
  ])("are changed when %s", async (_, input, name) => {
    const found = await compared(entries, [calls("c1", input, name), done]);
    expect(found.missing).toMatchObject([{ type: "call", entry: "c1" }]);
  });
});

describe("other arguments", () => {
  const input = { path: "/project/a.ts", offset: 10, limit: 20 };
  const entries: Entry[] = [{ ...(call("c1") as ToolCall), tool: "read", input }, result("c1")];
  const missing = async (given: unknown, losses = [loss("tool_renamed", { entry: "c1" }, "")]) =>
    (await compared(entries, [calls("c1", given, "Read"), answers("c1", "output of c1")], { losses }))
      .missing;

  it("are equal by name", async () => {
    expect(await missing({ file_path: "a.ts", offset: 10, limit: 20 })).toEqual([]);
    for (const given of [
      { file_path: "a.ts", offset: 999 },
      { file_path: "a.ts", offset: 20, limit: 10 },
      { file_path: "b.ts", offset: 10, limit: 20 },
      { file_path: "a.ts", offset: 10, limit: 20, encoding: "latin1" },
    ])
      expect(await missing(given)).toMatchObject([
        { type: "call", reason: "its arguments are not the same" },
      ]);
  });

  it("may be left out where that is announced by name", async () => {
    const given = { file_path: "a.ts", offset: 10 };
    expect(await missing(given)).toMatchObject([{ reason: "these arguments are not there: limit" }]);
    const dropped = (detail: string, entry = "c1") => [
      loss("tool_argument_dropped", { entry }, detail, "info"),
    ];
    expect(await missing(given, dropped("limit of Read"))).toEqual([]);
    expect(await missing(given, dropped("offset of Read"))).toHaveLength(1);
    expect(await missing(given, dropped("limit of Read", "c9"))).toHaveLength(1);
  });

  it("are excused by a gathered loss only where it names the call", async () => {
    const given = { file_path: "a.ts", offset: 10 };
    const gathered = (...entries: string[]) => [
      loss("tool_argument_dropped", { entry: "c9", entries }, "limit of Read (3 times)", "info"),
    ];
    expect(await missing(given, gathered("c9", "c8", "c1"))).toEqual([]);
    for (const losses of [gathered("c9", "c8", "c7"), gathered()])
      expect(await missing(given, losses)).toMatchObject([
        { reason: "these arguments are not there: limit" },
      ]);
  });

  it("are a change that was announced where more than a label is gone", async () => {
    const given = { file_path: "a.ts", offset: 10 };
    const found = await missing(given, [loss("tool_argument_dropped", { entry: "c1" }, "limit of Read")]);
    expect(found).toMatchObject([
      { reason: "these arguments are not there: limit", named: "tool_argument_dropped" },
    ]);
    const other = [loss("tool_argument_dropped", { entry: "c1" }, "offset of Read")];
    expect((await missing(given, other))[0]).not.toHaveProperty("named");
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
    expect((await compared(entries, renamed)).facts.kept).toBe(1);
    const cut = [calls("c1", { path: "x", deep: [] }, "files__stat"), answers("c1", "output of c1")];
    expect((await compared(entries, cut)).facts.kept).toBe(1);
    const spelled = [{ ...(entries[0] as ToolCall), originalTool: "mcp__my.files__a/b" }, result("c1")];
    const allowed = [
      calls("c1", { path: "x", deep: ["y"] }, "mcp__my_files__a_b"),
      answers("c1", "output of c1"),
    ];
    expect((await compared(spelled, allowed)).facts.kept).toBe(2);
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
