// One call in the words of every agent: all of them say the same, and whatever is changed in any of them is noticed.
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/loopback/request.ts";
import { type Loss, loss } from "../../src/session/losses.ts";
import type { Entry, Tool, ToolCall } from "../../src/session/session.ts";
import { call, result } from "../session/build.ts";
import { answers, calls, compared } from "./request.ts";

const path = "/project/a.ts";
const done = answers("c1", "output of c1");
const edit = { path, edits: [{ old: "a", new: "b" }] };
const everywhere = { path, edits: [{ old: "a", new: "b", all: true }] };
const items = [
  { text: "one", status: "completed" },
  { text: "two", status: "pending" },
];
const asks = [
  { question: "Which?", header: "H", options: [{ label: "A", description: "a" }], multiple: true },
];
const changed = (fields: object) => asks.map(({ multiple: _, ...rest }) => ({ ...rest, ...fields }));

const entriesOf = (tool: Tool, input: object): Entry[] => [
  { ...(call("c1") as ToolCall), tool, input: input as ToolCall["input"] },
  result("c1"),
];

const told = async (tool: Tool, input: object, name: string, native: unknown, losses: Loss[] = []) =>
  await compared(entriesOf(tool, input), [calls("c1", native, name), done], { losses });

/** A tool, its universal arguments, and how an agent says them. */
const SAME: [Tool, object, string, object][] = [
  ["read", { path, offset: 3, limit: 4 }, "Read", { file_path: path, offset: 3, limit: 4 }],
  ["read", { path, offset: 3, limit: 4 }, "read_file", { file_path: path, start_line: 3, end_line: 6 }],
  ["read", { path, limit: 4 }, "read_file", { absolute_path: path, end_line: 4 }],
  ["read", { path, offset: 3, limit: 4 }, "read", { filePath: path, offset: 3, limit: 4 }],
  ["write", { path, content: "x" }, "write_file", { file_path: path, content: "x" }],
  ["write", { path, content: "x" }, "write", { filePath: path, content: "x" }],
  ["edit", edit, "replace", { file_path: path, old_string: "a", new_string: "b" }],
  [
    "edit",
    everywhere,
    "replace",
    { file_path: path, old_string: "a", new_string: "b", allow_multiple: true },
  ],
  ["edit", edit, "edit", { filePath: path, oldString: "a", newString: "b" }],
  ["edit", everywhere, "edit", { filePath: path, oldString: "a", newString: "b", replaceAll: true }],
  ["edit", edit, "multiedit", { filePath: path, edits: [{ oldString: "a", newString: "b" }] }],
  ["edit", edit, "edit_file", edit],
  [
    "edit",
    { path, changes: [{ kind: "delete", path }] },
    "apply_patch",
    { patchText: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` },
  ],
  ["bash", { command: "ls", cwd: "/x" }, "run_shell_command", { command: "ls", dir_path: "/x" }],
  ["bash", { command: "ls", cwd: "/x" }, "run_shell_command", { command: "ls", directory: "/x" }],
  ["bash", { command: "ls", background: true }, "run_shell_command", { command: "ls", is_background: true }],
  ["bash", { command: "ls", cwd: "/x", timeout: 5 }, "bash", { command: "ls", workdir: "/x", timeout: 5 }],
  ["search", { pattern: "x", path, glob: "*.ts" }, "grep", { pattern: "x", path, include: "*.ts" }],
  [
    "search",
    { pattern: "x", path, glob: "*.ts", mode: "files", ignoreCase: true, limit: 5 },
    "grep_search",
    {
      pattern: "x",
      dir_path: path,
      include_pattern: "*.ts",
      names_only: true,
      case_sensitive: false,
      total_max_matches: 5,
    },
  ],
  [
    "search",
    { pattern: "x", mode: "files", ignoreCase: true, after: 2, limit: 5 },
    "Grep",
    { pattern: "x", output_mode: "files_with_matches", "-i": true, "-A": 2, head_limit: 5 },
  ],
  ["glob", { pattern: "*", path }, "glob", { pattern: "*", dir_path: path }],
  ["list", { path }, "list_directory", { dir_path: path }],
  ["list", { path }, "LS", { path }],
  ["task", { prompt: "p", agent: "x" }, "invoke_agent", { prompt: "p", agent_name: "x" }],
  ["task", { prompt: "p", agent: "x" }, "task", { prompt: "p", subagent_type: "x" }],
  [
    "web_fetch",
    { url: "https://e.com/a", prompt: "sum up" },
    "web_fetch",
    { prompt: "https://e.com/a\nsum up" },
  ],
  ["web_fetch", { url: "https://e.com/a" }, "web_fetch", { prompt: "https://e.com/a" }],
  [
    "web_fetch",
    { url: "https://e.com/a", prompt: "read https://e.com/a" },
    "web_fetch",
    { prompt: "read https://e.com/a" },
  ],
  ["web_search", { query: "q" }, "google_web_search", { query: "q" }],
  ["ask", { questions: asks }, "AskUserQuestion", { questions: changed({ multiSelect: true }) }],
  ["ask", { questions: asks }, "ask_user", { questions: changed({ multiSelect: true }) }],
  ["ask", { questions: asks }, "question", { questions: asks }],
  ["ask", { questions: "Which?" }, "question", { questions: [{ question: "Which?", multiSelect: false }] }],
  ["todo", { items }, "TodoWrite", { todos: items.map(({ text, status }) => ({ content: text, status })) }],
  ["todo", { items }, "update_plan", { plan: items.map(({ text, status }) => ({ step: text, status })) }],
  [
    "todo",
    { items },
    "write_todos",
    { todos: items.map(({ text, status }) => ({ description: text, status })) },
  ],
];

describe.each(SAME)("%s %j", (tool, input, name, native) => {
  it(`is ${name} ${JSON.stringify(native)}`, async () => {
    expect((await told(tool, input, name, native)).missing).toEqual([]);
  });

  it.each(damages(native))("is changed by %s", async (_, damaged) => {
    const found = await told(tool, input, name, damaged);
    expect(found.missing.map(({ type }) => type)).toContain("call");
  });
});

/** Every value inside changed once, every argument left out once, and one more than there were. */
function damages(native: object): [string, object][] {
  const left = Object.keys(native).map((name): [string, object] => [
    `no ${name}`,
    Object.fromEntries(Object.entries(native).filter(([other]) => other !== name)),
  ]);
  return [...left, ...changes(native), ["one more argument", { ...native, instruction: "more" }]];
}

function changes(value: object): [string, object][] {
  return Object.entries(value).flatMap(([name, inner]): [string, object][] => {
    const put = (fresh: unknown): object =>
      Array.isArray(value) ? value.with(Number(name), fresh) : { ...value, [name]: fresh };
    if (typeof inner === "object") {
      const shorter: [string, object][] = Array.isArray(inner) ? [[`less ${name}`, put(inner.slice(1))]] : [];
      return [
        ...shorter,
        ...changes(inner).map(([what, fresh]): [string, object] => [`${name}.${what}`, put(fresh)]),
      ];
    }
    // A switch that is off is one that is not there.
    if (inner === false) return [];
    return [[`another ${name}`, put(typeof inner === "string" ? `${inner}!` : Number(inner) + 40)]];
  });
}

describe("fields of a list", () => {
  const rich = [{ text: "one", status: "pending", priority: "high" }];
  const plan = { plan: [{ step: "one", status: "pending" }] };
  it("may be left out where that is announced by name", async () => {
    expect((await told("todo", { items: rich }, "update_plan", plan)).missing).toMatchObject([
      { reason: "these arguments are not there: priority" },
    ]);
    const dropped = (detail: string) => [loss("tool_argument_dropped", { entry: "c1" }, detail)];
    const named = async (detail: string) => {
      const { missing } = await told("todo", { items: rich }, "update_plan", plan, dropped(detail));
      return missing.map((finding) => finding.named);
    };
    expect(await named("priority")).toEqual(["tool_argument_dropped"]);
    expect(await named("id")).toEqual([undefined]);
  });
});

describe("an edit that became several", () => {
  const several = { path, edits: [edit.edits[0], { old: "c", new: "d" }] };
  const replace = (id: string, old: string, fresh: string): Message =>
    calls(id, { file_path: path, old_string: old, new_string: fresh }, "replace");
  const note = (id: string) =>
    answers(id, "[Step 2 of 2 of one call; the first step's result speaks for all]");
  const losses = [loss("tool_split", { entry: "c1" }, "")];
  const compare = (...messages: Message[]) => compared(entriesOf("edit", several), messages, { losses });

  it("is there with all of its steps, in order", async () => {
    const found = await compare(replace("c1", "a", "b"), replace("c1-2", "c", "d"), done, note("c1-2"));
    expect(found).toMatchObject({ facts: { total: 2, kept: 2 }, unexpected: [] });
  });

  it.each<[string, Message[]]>([
    ["without its second step", [replace("c1", "a", "b"), done]],
    ["the other way round", [replace("c1", "c", "d"), replace("c1-2", "a", "b"), done, note("c1-2")]],
    [
      "with a step more",
      [replace("c1", "a", "b"), replace("c1-2", "c", "d"), replace("x", "e", "f"), done, note("c1-2")],
    ],
    ["with another step", [replace("c1", "a", "b"), replace("c1-2", "c", "D"), done, note("c1-2")]],
  ])("is noticed %s", async (_, messages) => {
    const found = await compare(...messages);
    expect(found.missing.length + found.unexpected.length).toBeGreaterThan(0);
  });
});

describe("the result of a call", () => {
  const image = { type: "image", mimeType: "image/png", data: "iVBORw0KAA==" } as const;
  const beside: Message = { role: "user", blocks: [image] };
  const entries: Entry[] = [
    call("c1"),
    call("c2"),
    { ...result("c1"), parts: [{ type: "text", text: "seen" }, image] } as Entry,
    result("c2"),
  ];
  const asked = [calls("c1", { command: "run c1" }), calls("c2", { command: "run c2" })];
  const both = [answers("c1", "seen"), answers("c2", "output of c2")];

  it("may have its image behind it where the API has no other place", async () => {
    for (const api of ["gemini", "chat"] as const) {
      const found = await compared(entries, [...asked, ...both, beside], { api });
      expect(found).toMatchObject({ facts: { total: 5, kept: 5 }, unexpected: [] });
    }
    for (const api of ["anthropic", "responses"] as const)
      expect((await compared(entries, [...asked, ...both, beside], { api })).facts.kept).toBe(4);
  });

  it.each<[string, Message[]]>([
    ["before it", [...asked, beside, ...both]],
    ["after something else", [...asked, ...both, calls("c3", {}), beside]],
    ["with other bytes", [...asked, ...both, { role: "user", blocks: [{ ...image, data: "AAAA" }] }]],
  ])("is changed when the image is %s", async (_, messages) => {
    const found = await compared(entries, messages, { api: "gemini" });
    expect(found.missing).toMatchObject([{ type: "image" }]);
  });

  it("says whether it failed where the API can say so", async () => {
    const failed = { ...result("c1"), success: false } as Entry;
    const wire = (error: boolean) => [
      calls("c1", { command: "run c1" }),
      answers("c1", "output of c1", { error }),
    ];
    const kept = async (entry: Entry, error: boolean) =>
      (await compared([call("c1"), entry], wire(error), { api: "gemini" })).facts.kept;
    expect([await kept(failed, true), await kept(failed, false)]).toEqual([2, 1]);
    expect([await kept(result("c1"), false), await kept(result("c1"), true)]).toEqual([2, 1]);
  });

  it("may be there twice in a session of the CLI's own, word for word, and nowhere else", async () => {
    const call1 = calls("c1", { command: "run c1" });
    const twice = [call1, done, done];
    const own = { isContext: () => false };
    const found = await compared([call("c1"), result("c1")], twice, own);
    expect(found).toMatchObject({ facts: { total: 2, kept: 2 }, unexpected: [] });
    expect((await compared([call("c1"), result("c1")], twice)).facts.kept).toBe(1);
    const other = [call1, done, answers("c1", "something else")];
    expect((await compared([call("c1"), result("c1")], other, own)).facts.kept).toBe(1);
  });
});
