// Thinking that bears its vendor's signature, in each agent's own words: only for the model that goes on with it.
import { describe, expect, it } from "vitest";
import type { Adapter, Target } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { Loss } from "../../src/session/losses.ts";
import type { Entry, Part } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { assistant, call, result, session, user } from "../session/build.ts";

const named = (id: string) => adapters.find((one) => one.id === id) as Adapter;

const thought = (text: string, fields: object = { signature: "sig" }): Part => ({
  type: "thinking",
  text,
  ...fields,
});
const said = (text: string): Part => ({ type: "text", text });

function reply(parts: Part[], fields: object = {}): Entry {
  const content = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return { ...assistant("a1", { turn: "t1", parts }), content, ...fields } as Entry;
}

/** What is said to be written of replies, as reading back must find it, and the lines. */
async function written(id: string, timeline: Entry[], model: string) {
  const target: Target = {
    home: { dir: "/nowhere", env: {} },
    originalId: "ses_0c0ffee0",
    cwd: "/project",
    version: "1.0.0",
    now: new Date("2026-11-15T12:00:00.000Z"),
    configuration: { model, mcpServers: [] },
  };
  const lines: unknown[] = [];
  const losses: Loss[] = [];
  const says: string[] = [];
  for await (const one of named(id).write?.(sourceOf(session([user("u1"), ...timeline])), target) ?? [])
    if (one.type === "loss") losses.push(one.loss);
    else {
      lines.push(JSON.parse(String(one.bytes)));
      for (const [type, text] of one.says) if (type === "assistant") says.push(text);
    }
  const dropped = losses.filter(({ kind }) => kind === "thinking_dropped");
  return { json: JSON.stringify(lines), lines, says, dropped };
}

const SONNET = { model: "claude-sonnet-4-5-20250929" };
const GPT = { model: "gpt-5.5" };

describe("in OpenCode", () => {
  it("stands before the words, in a message of the model that goes on", async () => {
    const entries = [
      reply([thought("Hm"), said("Yes"), thought("", { signature: "seal", hidden: true })], SONNET),
      call("c1", { turn: "t1" }),
      result("c1"),
    ];
    const { lines, says, dropped } = await written("opencode", entries, "anthropic/claude-sonnet-4-5");
    expect(dropped).toEqual([]);
    expect(says).toEqual(["Yes"]);
    const author = { modelID: "claude-sonnet-4-5", providerID: "anthropic" };
    expect(lines.at(-1)).toMatchObject({
      data: { role: "assistant", ...author },
      rows: [
        { data: { type: "step-start" } },
        { data: { type: "reasoning", text: "Hm", metadata: { anthropic: { signature: "sig" } } } },
        { data: { type: "text", text: "Yes" } },
        { data: { type: "reasoning", text: "", metadata: { anthropic: { redactedData: "seal" } } } },
        { data: { type: "tool", callID: "c1" } },
        { data: { type: "step-finish" } },
      ],
    });
  });

  it("is read as one reply, also where a message is nothing else", async () => {
    const apart = [
      reply([thought("Hm")], { ...SONNET, id: "a0" }),
      reply([said("Yes")], SONNET),
      reply([said("No")], { ...SONNET, id: "a2", turn: "t2" }),
    ];
    const { says } = await written("opencode", apart, "anthropic/claude-sonnet-4-5");
    expect(says).toEqual(["Yes", "No"]);
    const alone = await written("opencode", [reply([thought("Hm")], SONNET)], "anthropic/claude-sonnet-4-5");
    expect(alone.says).toEqual([""]);
  });

  it("of OpenAI is found by its content", async () => {
    const { json, dropped } = await written(
      "opencode",
      [reply([thought("Hm"), said("Yes")], GPT)],
      "openai/gpt-5.5",
    );
    expect(dropped).toEqual([]);
    expect(json).toContain('"metadata":{"openai":{"reasoningEncryptedContent":"sig"}}');
  });

  it.each([
    ["another model", "anthropic/claude-opus-4-5", SONNET],
    ["another day's", "anthropic/claude-sonnet-4-5-20260101", SONNET],
    ["a router", "openrouter/anthropic/claude-sonnet-4.5", SONNET],
    ["nobody in particular", "anthropic/claude-sonnet-4-5", {}],
  ])("is left out for %s, and the model of the reply stays", async (_, next, author) => {
    const { json, dropped, says } = await written(
      "opencode",
      [reply([thought("Hm"), said("Yes")], author)],
      next,
    );
    expect(dropped).toHaveLength(1);
    expect(says).toEqual(["Yes"]);
    expect(json).not.toContain('"type":"reasoning"');
    expect(json).toContain(`"modelID":"${"model" in author ? author.model : "model"}"`);
  });

  it("is left out without a signature", async () => {
    const entries = [reply([thought("Hm", {}), said("Yes")], SONNET)];
    expect((await written("opencode", entries, "anthropic/claude-sonnet-4-5")).dropped).toHaveLength(1);
  });
});

describe("read from OpenCode", () => {
  it.each([
    ["words that were not told", { anthropic: { signature: "sig" } }, { signature: "sig" }],
    ["words that are sealed", { anthropic: { redactedData: "sig" } }, { signature: "sig", hidden: true }],
    [
      "words of OpenAI's",
      { openai: { reasoningEncryptedContent: "sig" } },
      { signature: "sig", hidden: true },
    ],
  ])("%s", async (_, metadata, fields) => {
    const { fold } = named("opencode");
    const data = { type: "reasoning", text: "", metadata };
    const rows = [{ table: "part", row: { id: "prt_1" }, data }];
    const value = { table: "message", row: { id: "msg_1" }, data: { role: "assistant" }, rows };
    const place = { index: 0, line: 1, offset: 0, length: 0, bytes: Buffer.alloc(0) };
    const record = { ...place, value, whole: true, terminated: true, losses: [] };
    const found = fold.step(fold.initial({ path: "", originalId: "ses_1" }), record);
    const parts = [{ type: "thinking", text: "", ...fields }];
    expect(found.find(({ type }) => type === "entry")).toMatchObject({ entry: { parts } });
    expect(JSON.stringify(found).includes("hidden")).toBe("hidden" in fields);
  });
});

describe("in Codex", () => {
  it("is one item for each seal, whatever pieces its summary is in", async () => {
    const parts = [thought("One"), thought("Two"), thought("Three", { signature: "other" }), said("Yes")];
    const { lines, dropped, says } = await written("codex", [reply(parts, GPT)], "gpt-5.5");
    expect(dropped).toEqual([]);
    expect(says).toEqual(["", "", "Yes"]);
    const items = lines.filter((line) => JSON.stringify(line).includes('"type":"reasoning"'));
    const summary = (text: string) => [{ type: "summary_text", text }];
    expect(items).toMatchObject([
      { payload: { summary: summary("One\n\nTwo"), encrypted_content: "sig" } },
      { payload: { summary: summary("Three"), encrypted_content: "other" } },
    ]);
  });

  it.each([
    ["gpt-5.5-mini", GPT],
    ["gpt-5.5", {}],
    ["claude-sonnet-4-5", SONNET],
  ])("is left out when it goes on with %s after %j", async (next, author) => {
    const { json, dropped } = await written("codex", [reply([thought("Hm"), said("Yes")], author)], next);
    expect(dropped).toHaveLength(1);
    expect(json).not.toContain("encrypted_content");
  });
});

describe("in Claude Code", () => {
  it("is a line of its own before the words, in one message", async () => {
    const parts = [thought("Hm"), thought("", { signature: "seal", hidden: true }), said("Yes")];
    const { lines, dropped } = await written("claude", [reply(parts, SONNET)], SONNET.model);
    expect(dropped).toEqual([]);
    const blocks = lines.slice(1, 4).map((line) => (line as { message: { content: unknown[] } }).message);
    expect(blocks.flatMap(({ content }) => content)).toEqual([
      { type: "thinking", thinking: "Hm", signature: "sig" },
      { type: "redacted_thinking", data: "seal" },
      { type: "text", text: "Yes" },
    ]);
    expect(new Set(blocks.map((message) => (message as { id?: string }).id)).size).toBe(1);
  });
});

describe("who keeps it", () => {
  it.each([
    ["claude", "claude-sonnet-4-5", "claude-sonnet-4-5-20250929", true],
    ["claude", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5[1m]", true],
    ["claude", "claude-sonnet-4-5", "claude-opus-4-5", false],
    ["claude", "claude-sonnet-4-5", "sonnet", false],
    ["claude", "gpt-5.5", "gpt-5.5", false],
    ["opencode", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5", true],
    ["opencode", "claude-sonnet-4-5-20250929", "anthropic/claude-opus-4-5", false],
    ["opencode", "claude-sonnet-4-5", "openrouter/anthropic/claude-sonnet-4.5", false],
    ["opencode", "claude-sonnet-4-5", "claude-sonnet-4-5", false],
    // Sealed for one organisation, which may be another's than the one that goes on.
    ["opencode", "gpt-5.5", "openai/gpt-5.5", false],
  ])("%s: of %s when it goes on with %s: %s", (id, entryModel, targetModel, isKept) => {
    expect(named(id).keepsThinking?.(entryModel, targetModel)).toBe(isKept);
  });

  it.each(["codex", "gemini"])("%s: none of another agent's", (id) => {
    expect(named(id).keepsThinking).toBeUndefined();
  });
});
