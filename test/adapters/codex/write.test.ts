// Writing a session for Codex: the shape that the CLI resumes and shows, and what reading it back yields.

import { describe, expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import { sourceOf } from "../../../src/session/source.ts";
import { entryText } from "../../../src/session/text.ts";
import { assistant, at, bash, result, sessionOf, user, written } from "./carried.ts";
import { applied, NOW, privateHome, targetIn, writeAll } from "./store.ts";

const conversation = [
  user("Do it"),
  user("context", { injected: true }),
  assistant("I will.", { turn: "t1" }),
  bash("c1", "ls", { turn: "t1" }),
  bash("c2", "false", { turn: "t1" }),
  result("c1", "a\n"),
  result("c2", "", { success: false, error: "failed", details: { exitCode: 1 } }),
  assistant("Done."),
  user("Thanks"),
  assistant("Welcome."),
];

test("the lines are those of a paginated rollout", async () => {
  const { lines, target } = await written(conversation);
  expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, index) => index));
  expect(lines[0]?.payload).toEqual({
    ...{ session_id: target.originalId, id: target.originalId, timestamp: at(0), cwd: "/home/dev/project" },
    ...{ originator: "baton", cli_version: "0.166.0", source: "cli", history_mode: "paginated" },
    git: { commit_hash: "abc", branch: "main" },
    continued_from: "other:o1",
  });
  const kinds = lines
    .slice(1)
    .map(
      ({ type, payload }) =>
        payload.item?.type ?? (type === "event_msg" ? payload.type : `> ${payload.type}`),
    );
  expect(kinds).toEqual([
    ...["task_started", "> message", "UserMessage", "> message"],
    ...[
      "AgentMessage",
      "> message",
      "> function_call",
      "CommandExecution",
      "> function_call",
      "CommandExecution",
    ],
    ...["> function_call_output", "> function_call_output", "AgentMessage", "> message", "task_complete"],
    ...["task_started", "> message", "UserMessage", "AgentMessage", "> message", "task_complete"],
  ]);
});

test("every turn has one id, a start and an end", async () => {
  const { lines } = await written(conversation);
  const turns = lines.flatMap(({ payload }) =>
    payload.turn_id === undefined ? [] : [`${payload.type} ${payload.turn_id}`],
  );
  const [first, second] = turns
    .filter((turn) => turn.startsWith("task_started"))
    .map((turn) => turn.split(" ")[1]);
  expect(first).not.toBe(second);
  expect(turns.at(0)).toBe(`task_started ${first}`);
  expect(turns.at(-1)).toBe(`task_complete ${second}`);
  expect(turns.filter((turn) => turn.endsWith(first!)).at(-1)).toBe(`task_complete ${first}`);
});

test("arguments are strings, outputs text; an error without output is its own text", async () => {
  const { lines } = await written(conversation);
  const items = lines.filter(({ type }) => type === "response_item").map(({ payload }) => payload);
  expect(items.filter(({ type }) => type === "function_call")).toEqual([
    { type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}', call_id: "c1" },
    { type: "function_call", name: "exec_command", arguments: '{"cmd":"false"}', call_id: "c2" },
  ]);
  expect(items.filter(({ type }) => type === "function_call_output")).toEqual([
    { type: "function_call_output", call_id: "c1", output: "a\n" },
    { type: "function_call_output", call_id: "c2", output: "failed" },
  ]);
});

test("times are the original ones, never in the future", async () => {
  const { lines } = await written([
    user("now"),
    user("later", { timestamp: "2099-01-01T00:00:00Z" }),
    user("odd", { timestamp: "?" }),
  ]);
  const times = new Set(lines.map(({ timestamp }) => timestamp));
  expect([...times]).toEqual([at(0), NOW.toISOString()]);
});

test("no provider, model or permission is written that could change how the CLI resumes", async () => {
  const { main, lines } = await written(conversation, {
    target: { model: "gpt", configuration: { provider: "p", mcpServers: [] } },
  });
  expect(main).not.toContain("model_provider");
  expect(lines.some(({ type }) => type === "turn_context")).toBe(false);
  expect(main).not.toContain("approval_policy");
});

describe("reading back", () => {
  test("yields what was written, record by record", async () => {
    const found = await written(conversation);
    const { source } = await applied(found, found.target);
    const entries = await Array.fromAsync(source.entries());
    const said = found.records.flatMap(({ says }) => says.map(([type, text]) => `${type} ${text}`));
    expect(entries.map((entry) => `${entry.type} ${entryText(entry)}`)).toEqual(said);
    expect(source.losses).toEqual([]);
    expect(source.header).toMatchObject({
      source: { cli: "codex", originalId: found.target.originalId, version: "0.166.0" },
      project: { path: "/home/dev/project", git: { branch: "main", commit: "abc" } },
      metadata: { created: at(0), messageCount: 5 },
      links: [{ type: "continued_from", session: "other:o1" }],
    });
  });
});

test("a long output is kept whole by an allowance that the CLI honours", async () => {
  const long = "line\n".repeat(5000);
  const { lines } = await written([
    bash("c1", "x"),
    result("c1", long),
    bash("c2", "y"),
    result("c2", "short"),
  ]);
  const outputs = lines.filter(({ payload }) => payload.type === "function_call_output");
  expect(outputs.map(({ payload }) => payload.output)).toEqual([long, "short"]);
  expect(outputs.map(({ metadata }) => metadata)).toEqual([
    { fallback_token_limit_override: long.length },
    undefined,
  ]);
});

test("what the view shows of a long output is cut, and cut only there", async () => {
  const long = "x".repeat(50_000);
  const { lines } = await written([bash("c1", "x"), result("c1", long)]);
  const shown = lines.find(({ payload }) => payload.item?.type === "CommandExecution")?.payload.item;
  expect(String(shown?.aggregated_output).length).toBeLessThan(2000);
});

test("ids that the API would refuse are replaced in call and result alike", async () => {
  const id = "x".repeat(80);
  const { lines, losses } = await written([bash(id, "x"), result(id, "y")]);
  const ids = lines.flatMap(({ payload }) => (payload.call_id === undefined ? [] : [payload.call_id]));
  expect(new Set(ids).size).toBe(1);
  expect(String(ids[0])).toMatch(/^call_[0-9a-f]{32}$/);
  expect(losses.map(({ kind }) => kind)).toContain("id_changed");
});

test("names that the API would refuse are replaced", async () => {
  const call = {
    type: "tool_call",
    id: "c1",
    tool: "unknown",
    input: {},
    originalTool: "my tool!",
    originalInput: {},
  };
  const { lines, losses } = await written([call, result("c1", "y")]);
  expect(lines.find(({ payload }) => payload.type === "function_call")?.payload.name).toBe("my_tool_");
  expect(losses).toContainEqual(
    expect.objectContaining({ kind: "tool_renamed", detail: "my tool! → my_tool_" }),
  );
});

test("MCP calls have the namespace that Codex gives them", async () => {
  const call = {
    type: "tool_call",
    id: "c1",
    tool: "unknown",
    input: { a: 1 },
    originalTool: "mcp__demo__greet",
    originalInput: { a: 1 },
  };
  const { lines } = await written([call, result("c1", "hi")]);
  expect(lines.find(({ payload }) => payload.type === "function_call")?.payload).toMatchObject({
    name: "greet",
    namespace: "mcp__demo",
    arguments: '{"a":1}',
  });
  expect(lines.find(({ payload }) => payload.item?.type === "McpToolCall")?.payload.item).toMatchObject({
    server: "demo",
    tool: "greet",
  });
});

test("a patch is a free-text call, its output too, and the view shows the change", async () => {
  const call = {
    type: "tool_call",
    id: "c1",
    tool: "edit",
    input: { path: "/p/a", edits: [{ old: "x", new: "y" }] },
    originalTool: "Edit",
    originalInput: {},
  };
  const { lines } = await written([
    call,
    result("c1", "ok", { details: { patch: "@@ -5,1 +5,1 @@\n-x\n+y\n" } }),
  ]);
  const types = lines.filter(({ type }) => type === "response_item").map(({ payload }) => payload.type);
  expect(types).toEqual(["custom_tool_call", "custom_tool_call_output"]);
  const shown = lines.find(({ payload }) => payload.item?.type === "FileChange")?.payload.item;
  expect(shown?.changes).toEqual({
    "/p/a": { type: "update", unified_diff: "@@ -5,1 +5,1 @@\n-x\n+y\n", move_path: null },
  });
});

describe("system messages", () => {
  test("that a model saw are the developer's", async () => {
    const { lines, losses } = await written([{ type: "system", content: "Be brief." }, user("q")]);
    expect(lines.find(({ type }) => type === "response_item")?.payload).toMatchObject({
      role: "developer",
      content: [{ type: "input_text", text: "Be brief." }],
    });
    expect(losses).toContainEqual(expect.objectContaining({ kind: "role_changed", severity: "info" }));
  });

  test("that no model saw are left out", async () => {
    const home = await privateHome();
    const stream = sourceOf(sessionOf([{ type: "system", content: "API error", note: true }, user("q")]));
    const { main, losses } = await writeAll(stream, targetIn(home));
    expect(main).not.toContain("API error");
    expect(losses.map(({ kind }) => kind)).toContain("system_dropped");
  });
});

test("a session without a prompt of its own is shown by its title, so that it is listed", async () => {
  const { lines } = await written([user("summary of before", { injected: true }), assistant("ok")]);
  const shown = lines.filter(({ payload }) => payload.item?.type === "UserMessage");
  expect(shown.map(({ payload }) => payload.item?.content)).toEqual([
    [{ type: "text", text: "Title", text_elements: [] }],
  ]);
});

test("losses that say nothing is missing are counted, not repeated", async () => {
  const calls = Array.from({ length: 20 }, (_, n) => [bash(`c${n}`, "x"), result(`c${n}`, "y")]).flat();
  const { losses } = await written(calls);
  expect(losses.filter(({ kind }) => kind === "tool_renamed").map(({ detail }) => detail)).toEqual([
    "Bash → exec_command (20 times)",
  ]);
  const { entries } = losses.find(({ kind }) => kind === "tool_renamed")?.at ?? {};
  expect(entries).toEqual(Array.from({ length: 20 }, (_, n) => `c${n}`));
});

test("subagents are rollouts of their own, linked both ways, never in the main thread", async () => {
  const child = sessionOf([user("explore"), assistant("found it")], {
    source: { cli: "other", originalId: "child" },
    title: "Child",
  });
  const task = {
    type: "tool_call",
    id: "c1",
    tool: "task",
    input: { prompt: "explore" },
    originalTool: "Task",
    originalInput: {},
  };
  const links = [{ type: "subagent" as const, session: "other:child", entry: "c1", label: "Explore" }];
  const found = await written([user("go"), task, result("c1", "found it")], {
    session: { links, children: [child] },
  });
  const { source, files } = await applied(found, found.target);
  expect(files.length).toBe(2);
  expect(found.losses).toContainEqual(
    expect.objectContaining({ kind: "subagent_linked", at: { entry: "c1" } }),
  );
  const [link] = source.header.links?.filter(({ type }) => type === "subagent") ?? [];
  expect(link).toMatchObject({ entry: "c1" });
  const [agent] = await Array.fromAsync(source.children());
  expect(`codex:${agent?.header.source.originalId}`).toBe(link?.session);
  expect(agent?.header.links).toContainEqual({ type: "parent", session: `codex:${found.target.originalId}` });
  const said = (await Array.fromAsync(agent?.entries() ?? [])).map((entry) =>
    "content" in entry ? entry.content : "",
  );
  expect(said).toEqual(["explore", "found it"]);
  const refs = await Array.fromAsync(codex.discover(found.home));
  expect(refs.length).toBe(2);
});

test.each([
  ["no call", undefined],
  ["a call in other words", "c1"],
])("a subagent that %s spawned is found again", async (_, entry) => {
  const child = sessionOf([user("explore"), assistant("found it")], {
    source: { cli: "other", originalId: "child" },
  });
  const links = [{ type: "subagent" as const, session: "other:child", ...(entry && { entry }) }];
  const found = await written([user("go"), bash("c1", "ls"), result("c1", "a"), assistant("done")], {
    session: { links, children: [child] },
  });
  const { source } = await applied(found, found.target);
  const [agent] = await Array.fromAsync(source.children());
  expect(await Array.fromAsync(agent?.entries() ?? [], entryText)).toEqual(["explore", "found it"]);
  const [link] = source.header.links?.filter(({ type }) => type === "subagent") ?? [];
  expect(link).toEqual({ type: "subagent", session: `codex:${agent?.header.source.originalId}` });
  expect(await Array.fromAsync(source.entries(), entryText)).toHaveLength(4);
});

test("a call id that comes again gets a name of its own, with its result", async () => {
  const exchange = (output: string) => [bash("call_0", output), result("call_0", output)];
  const { lines, losses } = await written([user("q"), ...exchange("one"), user("q"), ...exchange("two")]);
  const ids = lines.flatMap(({ payload }) =>
    payload.type === "function_call" || payload.type === "function_call_output" ? [payload.call_id] : [],
  );
  expect(ids).toEqual(["call_0", "call_0", "call_0-2", "call_0-2"]);
  expect(losses.filter(({ kind }) => kind === "id_changed").map(({ detail }) => detail)).toEqual([
    "call_0 → call_0-2",
  ]);
});

describe("a title", () => {
  const lossesFor = async (title: string) => {
    const source = sourceOf({ ...sessionOf([user("Do it"), assistant("Done.")]), title });
    const { losses } = await writeAll(source, targetIn(await privateHome()));
    return losses.filter(({ kind }) => kind === "facts_dropped");
  };

  test("that Codex does not show is reported", async () => {
    expect(await lossesFor("A name")).toMatchObject([{ detail: 'the title "A name"' }]);
  });

  test("that is the first prompt is not, because Codex shows that", async () => {
    expect(await lossesFor("Do it")).toEqual([]);
  });
});
