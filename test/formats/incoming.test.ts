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
  return { source, entries, losses };
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

  async function written(from: string, body: unknown, to: string) {
    const { source } = await read(from, body);
    const losses: Loss[] = [];
    const format = formats.find((one) => one.id === to) as Format;
    const pieces = format.write(visible(source), { onLoss: (found) => losses.push(found) });
    return { body: JSON.parse((await Array.fromAsync(pieces)).join("")), losses };
  }

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
