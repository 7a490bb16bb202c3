// What histories of other programs hold that Baton itself never writes: it is read whole, or reported.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Format, formats } from "../../src/formats/index.ts";
import type { Loss } from "../../src/session/losses.ts";
import { changedNumbers } from "../../src/session/numbers.ts";
import type { Entry, ToolCall } from "../../src/session/session.ts";
import { visible } from "../../src/transform/visible.ts";
import { temporaryFolder } from "./folder.ts";

const folder = temporaryFolder();
let files = 0;

async function read(id: string, body: unknown) {
  const path = join(folder(), `${files++}.json`);
  await writeFile(path, JSON.stringify(body));
  const format = formats.find((one) => one.id === id) as Format;
  const source = await format.read?.(path);
  if (!source) throw new Error(`${id} is not read`);
  const entries = await Array.fromAsync(source.entries());
  // No API's history has times.
  const losses = source.losses.map(({ kind }) => kind).filter((kind) => kind !== "timestamp_missing");
  return { source, entries, losses, path };
}

async function written(from: string, body: unknown, to: string) {
  const { source } = await read(from, body);
  const losses: Loss[] = [];
  const format = formats.find((one) => one.id === to) as Format;
  const pieces = format.write(visible(source), { onLoss: (found) => losses.push(found) });
  return { body: JSON.parse((await Array.fromAsync(pieces)).join("")), losses };
}

/** Which formats take a file for one of theirs. */
async function recognised(path: string): Promise<string[]> {
  const found = await Promise.all(
    formats.map(async (one) => ((await one.recognise?.(path)) ? [one.id] : [])),
  );
  return found.flat();
}

const callsOf = (entries: readonly Entry[]): ToolCall[] =>
  entries.flatMap((entry) => (entry.type === "tool_call" ? [entry] : []));

/** What each call was answered. */
function answers(entries: readonly Entry[]): string[][] {
  return callsOf(entries).map(({ id }) =>
    entries.flatMap((entry) => (entry.type === "tool_result" && entry.callId === id ? [entry.output] : [])),
  );
}

describe("ids that every message counts anew", () => {
  const chatCall = (...ids: string[]) => ({
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "ls", arguments: "{}" } })),
  });
  const chatResult = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
  const use = (id: string) => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name: "ls", input: {} }],
  });
  const used = (id: string, content: string) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content }],
  });
  const oldCall = { role: "assistant", content: null, function_call: { name: "ls", arguments: "{}" } };
  const step = (step_id: number, content: string) => ({
    step_id,
    source: "agent",
    message: "m",
    tool_calls: [{ tool_call_id: "call_0", function_name: "ls", arguments: {} }],
    observation: { results: [{ source_call_id: "call_0", content }] },
  });
  const ucfMessage = (id: string, role: string, more: object) => ({
    id,
    role,
    timestamp: "2026-01-01T00:00:00.000Z",
    provider: "codex",
    content: [],
    ...more,
  });
  const ucfCall = (id: string) =>
    ucfMessage(id, "assistant", {
      toolCalls: [{ id: "call_0", originalId: "call_0", name: "ls", input: {}, status: "completed" }],
    });
  const ucfResult = (id: string, content: string) =>
    ucfMessage(id, "tool_result", {
      toolResults: [{ toolCallId: "call_0", originalToolCallId: "call_0", content, isError: false }],
    });
  const ucf = {
    id: "c",
    version: "1.0",
    created: "2026-01-01T00:00:00.000Z",
    updated: "2026-01-01T00:00:00.000Z",
    title: "t",
    cwd: "/p",
    messages: [ucfCall("a"), ucfResult("b", "one"), ucfCall("c"), ucfResult("d", "two")],
    switches: [],
    usage: { totalInputTokens: 0, totalOutputTokens: 0, totalCost: 0, byProvider: {} },
    providerState: {},
  };

  it.each([
    ["openai-chat", [chatCall("0"), chatResult("0", "one"), chatCall("0"), chatResult("0", "two")]],
    [
      "openai-chat",
      [oldCall, { role: "function", name: "ls", content: "one" }, oldCall, chatResult("ls", "two")],
    ],
    ["anthropic", [use("t"), used("t", "one"), use("t"), used("t", "two")]],
    [
      "openai-responses",
      ["one", "two"].flatMap((output) => [
        { type: "function_call", call_id: "0", name: "ls", arguments: "{}" },
        { type: "function_call_output", call_id: "0", output },
      ]),
    ],
    [
      "atif",
      {
        schema_version: "ATIF-v1.2",
        agent: { name: "a", version: "1" },
        steps: [step(1, "one"), step(2, "two")],
      },
    ],
    ["ucf", ucf],
  ])("%s: each result belongs to the call before it", async (id, body) => {
    const { entries, losses } = await read(id, body);
    expect(answers(entries)).toEqual([["one"], ["two"]]);
    expect(losses).toEqual([]);
    expect(callsOf(entries)[1]?.originalId).toBe(callsOf(entries)[0]?.id);
  });

  it("openai-chat: what is answered late finds the nearest open call, and in one message the first", async () => {
    const { entries, losses } = await read("openai-chat", [
      chatCall("0"),
      chatCall("0", "0"),
      chatResult("0", "second"),
      chatResult("0", "third"),
      chatResult("0", "first"),
      chatResult("7", "nobody's"),
    ]);
    expect(answers(entries)).toEqual([["first"], ["second"], ["third"]]);
    expect(losses).toEqual(["result_orphaned"]);
  });

  it("openai-chat: calls without any id are told apart too", async () => {
    const none = chatResult("", "one");
    const { entries } = await read("openai-chat", [
      chatCall(""),
      none,
      chatCall(""),
      { ...none, content: "two" },
    ]);
    expect(answers(entries)).toEqual([["one"], ["two"]]);
    expect(callsOf(entries).every(({ id }) => id !== "")).toBe(true);
  });
});

describe("arguments as text", () => {
  const given = ['{"channel":1234567890123456789}', '{"x": 1e400}', '{ "a" : 1.0 }', '{"a":1,"a":2}'];
  const chat = given.flatMap((text, at) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${at}`, type: "function", function: { name: "send", arguments: text } }],
    },
    { role: "tool", tool_call_id: `c${at}`, content: "ok" },
  ]);

  it.each(["openai-chat", "openai-responses"])("are the very same in %s", async (id) => {
    const { body } = await written("openai-chat", [{ role: "user", content: "q" }, ...chat], id);
    const found = JSON.stringify(body);
    for (const text of given) expect(found).toContain(JSON.stringify(text));
    expect((await written(id, body, id)).body).toEqual(body);
  });

  it("and a number that an object cannot hold is reported", async () => {
    const { losses } = await written("openai-chat", chat, "anthropic");
    const changed = losses.filter(({ kind }) => kind === "number_changed");
    expect(changed.map(({ detail }) => detail)).toEqual(["1234567890123456789", "1e400"]);
  });

  it("a number is the same in another spelling", () => {
    const same = '[0, -0, 1.0, 10e2, 1E-7, 0.1, 123456789012345680000, "1234567890123456789", "\\"99e999"]';
    expect(changedNumbers(same)).toEqual([]);
    expect(changedNumbers('{"a": 0.12345678901234567890, "b": -9007199254740993}')).toEqual([
      "0.12345678901234567890",
      "-9007199254740993",
    ]);
  });
});

/** In order, what happened: texts, calls with what they were given, and results. */
function told(entries: readonly Entry[]): unknown[] {
  return entries.map((entry) => {
    if (entry.type === "tool_call") return [entry.originalTool ?? entry.tool, entry.input];
    if (entry.type === "tool_result") return entry.output;
    return entry.type === "assistant" ? entry.content : entry.type;
  });
}

describe("tools that the API has itself", () => {
  it("openai-responses: every answer belongs to its call and is none of its arguments", async () => {
    const image = "data:image/png;base64,AAAA";
    const { entries, losses } = await read("openai-responses", [
      { role: "user", content: "hi" },
      { type: "mcp_call", id: "m", name: "t", server_label: "s", arguments: '{"a":1}', output: "MCP" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "so" }] },
      { type: "code_interpreter_call", id: "ci", code: "1", outputs: [{ type: "logs", logs: "LOGS" }] },
      { type: "shell_call", call_id: "sh", action: { commands: ["ls"] }, status: "completed" },
      {
        type: "shell_call_output",
        call_id: "sh",
        output: [{ stdout: "OUT", stderr: "ERR", outcome: { type: "exit", exit_code: 2 } }],
      },
      { type: "apply_patch_call", call_id: "ap", operation: { type: "update_file", path: "a", diff: "@@" } },
      { type: "apply_patch_call_output", call_id: "ap", output: "PATCHED" },
      { type: "computer_call", call_id: "cc", action: { type: "click" } },
      {
        type: "computer_call_output",
        call_id: "cc",
        output: { type: "computer_screenshot", image_url: image },
      },
      { type: "local_shell_call", call_id: "ls", action: { type: "exec", command: ["ls"] } },
      { type: "local_shell_call_output", id: "ls", output: "LOCAL" },
      { type: "web_search_call", id: "ws", status: "completed", action: { query: "x" } },
    ]);
    expect(told(entries)).toEqual([
      "user",
      ["mcp__s__t", { a: 1 }],
      "MCP",
      "so",
      ["code_interpreter", { code: "1" }],
      "LOGS",
      ["shell", { commands: ["ls"] }],
      "OUT\nERR",
      ["apply_patch", { type: "update_file", path: "a", diff: "@@" }],
      "PATCHED",
      ["computer", { type: "click" }],
      "",
      ["local_shell", { type: "exec", command: ["ls"] }],
      "LOCAL",
      ["web_search", { query: "x" }],
    ]);
    expect(answers(entries).map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 1, 0]);
    expect(callsOf(entries).map(({ hosted }) => hosted === true)).toEqual([...Array(6).fill(false), true]);
    expect(entries[7]).toMatchObject({ success: false, details: { exitCode: 2 } });
    expect(entries[11]?.parts).toEqual([{ type: "image", mimeType: "image/png", data: "AAAA" }]);
    expect(entries[1]?.turn).not.toBe(entries[3]?.turn);
    expect(losses).toEqual([]);
  });

  it("openai-responses: a history that the server summed up is recognised, and what is sealed reported", async () => {
    const body = {
      input: [
        { type: "compaction", encrypted_content: "x" },
        { role: "user", content: "next" },
      ],
    };
    const { source, path } = await read("openai-responses", body);
    expect(await recognised(path)).toEqual(["openai-responses"]);
    expect(source.losses).toContainEqual(
      expect.objectContaining({ kind: "record_unknown", severity: "warning" }),
    );
  });

  it("anthropic: results inside the reply, and tools of MCP servers", async () => {
    const { entries, losses } = await read("anthropic", [
      {
        role: "assistant",
        content: [
          { type: "text", text: "before" },
          { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } },
          { type: "web_search_tool_result", tool_use_id: "s1", content: [{ type: "text", text: "FOUND" }] },
          { type: "text", text: "after" },
          { type: "mcp_tool_use", id: "m1", name: "echo", server_name: "srv", input: { p: 1 } },
          { type: "mcp_tool_result", tool_use_id: "m1", is_error: true, content: "MCP" },
          { type: "server_tool_use", id: "s2", name: "web_fetch", input: { url: "u" } },
        ],
      },
    ]);
    expect(told(entries)).toEqual([
      "before",
      ["web_search", { query: "q" }],
      "FOUND",
      "after",
      ["mcp__srv__echo", { p: 1 }],
      "MCP",
      ["web_fetch", { url: "u" }],
    ]);
    expect(answers(entries)).toEqual([["FOUND"], ["MCP"], []]);
    expect(callsOf(entries).map(({ hosted }) => hosted)).toEqual([undefined, undefined, true]);
    expect(entries[5]).toMatchObject({ success: false });
    expect(entries[0]?.turn).toBe(entries[1]?.turn);
    expect(entries[1]?.turn).not.toBe(entries[3]?.turn);
    expect(losses).toEqual([]);
  });
});

it("openai-chat: a request with sound is one of Chat Completions", async () => {
  const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
  const content = [{ type: "text", text: "q" }, sound];
  const { path, entries, losses } = await read("openai-chat", { messages: [{ role: "user", content }] });
  expect(await recognised(path)).toEqual(["openai-chat"]);
  expect(entries).toMatchObject([{ type: "user", content: expect.stringContaining("AAAA") }]);
  expect(losses).toEqual(["part_converted"]);
});

it("anthropic: a document given as blocks keeps its text, and what is only a reference is reported", async () => {
  const blocks = [
    { type: "text", text: "ONE" },
    { type: "text", text: "TWO" },
  ];
  const { entries, losses } = await read("anthropic", [
    {
      role: "user",
      content: [
        { type: "document", title: "T", source: { type: "content", content: blocks } },
        { type: "document", source: { type: "content", content: "PLAIN" } },
        { type: "image", source: { type: "file", file_id: "file_1" } },
        { type: "document", source: { type: "file", file_id: "file_2" } },
      ],
    },
  ]);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  expect(entries[0]?.parts).toEqual([
    { type: "document", mimeType: "text/plain", data: base64("ONE\nTWO"), name: "T" },
    { type: "document", mimeType: "text/plain", data: base64("PLAIN") },
    { type: "image", name: "file_1" },
    { type: "document", name: "file_2" },
  ]);
  expect(losses).toEqual(["image_dropped", "document_dropped"]);
});

describe("gemini-contents", () => {
  it("is read in both spellings of its fields", async () => {
    const { entries, losses } = await read("gemini-contents", [
      { role: "model", parts: [{ function_call: { name: "f", args: { p: 1 } }, thought_signature: "s" }] },
      { role: "user", parts: [{ function_response: { name: "f", response: { result: "R" } } }] },
    ]);
    expect(told(entries)).toEqual([["f", { p: 1 }], "R"]);
    expect(answers(entries)).toEqual([["R"]]);
    expect(callsOf(entries)[0]).toMatchObject({ signature: "s" });
    expect(losses).toEqual([]);
  });

  it("keeps the signature of a call for its own model, and reports it for another", async () => {
    const parts = [{ functionCall: { id: "a", name: "f", args: {} }, thoughtSignature: "c2ln" }];
    const contents = [
      { role: "user", parts: [{ text: "q" }] },
      { role: "model", parts },
      { role: "user", parts: [{ functionResponse: { id: "a", name: "f", response: { output: "R" } } }] },
    ];
    const own = await written("gemini-contents", { model: "gemini-2.5-pro", contents }, "gemini-contents");
    expect(own.body.contents[1].parts[0].thoughtSignature).toBe("c2ln");
    const other = await written("gemini-contents", { model: "llama-4", contents }, "gemini-contents");
    expect(other.body.contents[1].parts[0].thoughtSignature).not.toBe("c2ln");
    expect(other.losses.map(({ kind }) => kind)).toContain("thinking_dropped");
  });
});
