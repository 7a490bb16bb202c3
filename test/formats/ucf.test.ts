// The Unified Conversation Format: what is written is valid, and reading it gives the entries back.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { partsOf } from "../../src/formats/parts.ts";
import { readUcf } from "../../src/formats/ucf-read.ts";
import { type Ucf, ucfSchema } from "../../src/formats/ucf-schema.ts";
import { writeUcf } from "../../src/formats/ucf-write.ts";
import type { Loss } from "../../src/session/losses.ts";
import type { Entry, Session } from "../../src/session/session.ts";
import { type Source, sourceOf } from "../../src/session/source.ts";
import { thread } from "../../src/transform/visible.ts";
import { cases, laidOut } from "../conformance/fixtures.ts";
import { fc } from "../property.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";
import { conversation } from "./conversation.ts";
import { temporaryFolder } from "./folder.ts";

const folder = temporaryFolder();

async function written(source: Source, path?: string): Promise<{ ucf: Ucf; losses: Loss[] }> {
  const losses: Loss[] = [];
  const onLoss = (found: Loss) => losses.push(found);
  const pieces = writeUcf(thread(source), { onLoss, ...(path !== undefined && { path }) });
  const ucf: unknown = JSON.parse((await Array.fromAsync(pieces)).join(""));
  expect(ucfSchema.safeParse(ucf).error).toBeUndefined();
  return { ucf: ucf as Ucf, losses };
}

let files = 0;
async function read(document: unknown): Promise<Source> {
  const path = join(folder(), `${files++}.json`);
  await writeFile(path, JSON.stringify(document));
  return readUcf(path);
}

/** Where an entry came from and what it follows are not told, and its author and usage once a message. */
function told(entries: readonly Entry[]): unknown[] {
  return entries.map(({ records: _, parent: __, provider: ___, ...entry }) => {
    const { turn, status, model, usage, ...rest } = entry as typeof entry & { status?: string };
    if (entry.type === "tool_call" || entry.type === "switch" || entry.type === "compaction")
      return plain(rest);
    // Content is the same whether it is told as text or as parts, and a second entry of an id gets one of its own.
    const { content, thinking, output, error, parts, ...others } = rest as typeof rest &
      Record<string, unknown>;
    return plain({ ...others, id: entry.id.replace(/#\d+$/, ""), parts: partsOf(entry) });
  });
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("a conversation", () => {
  it("comes back as it was", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (made) => {
        const { ucf } = await written(sourceOf(made));
        const back = await read(ucf);
        expect(told(await Array.fromAsync(back.entries()))).toEqual(told(made.timeline));
        expect((await written(back)).ucf.messages).toEqual(ucf.messages);
      }),
      { numRuns: 100 },
    );
  });

  it.each(cases.map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const))(
    "%s comes back as it was",
    async (_, one) => {
      for (const ref of await laidOut(one)) {
        const source = await one.adapter.open(ref);
        const { ucf } = await written(source, ref.path);
        const meant = told(await Array.fromAsync(thread(source).entries()));
        const found = told(await Array.fromAsync((await read(ucf)).entries()));
        // What was said before calls of the same message may have been recorded after them.
        expect(found.toSorted(byId)).toEqual(meant.toSorted(byId));
      }
    },
  );

  const byId = (a: unknown, b: unknown) =>
    (a as Entry).id < (b as Entry).id ? -1 : (a as Entry).id > (b as Entry).id ? 1 : 0;

  it("says whose messages they are, what they cost and where the providers have them", async () => {
    const usage = { input: 10, output: 5, cacheRead: 3, cost: 0.5 };
    const made: Session = session(
      [
        user("u"),
        { ...assistant("a"), usage, model: "claude-opus-4-5" } as Entry,
        {
          id: "x",
          timestamp: "2026-01-02T03:04:05.000Z",
          type: "switch",
          switch: {
            timestamp: "2026-01-02T03:04:05.000Z",
            fromProvider: "claude",
            toProvider: "gemini",
            fromModel: "a",
            toModel: "b",
            messageIndex: 7,
            reason: "cheaper",
          },
        },
        user("u2"),
        { ...assistant("a2"), model: "gemini-3-pro", usage: { input: 1, output: 1 } } as Entry,
      ],
      {
        source: { cli: "yours", originalId: "native" },
        links: [{ type: "continued_in", session: "codex:thread-1" }],
      },
    );
    const { ucf } = await written(sourceOf(made));
    expect(ucf.messages.map(({ role, provider }) => [role, provider])).toEqual([
      ["user", "user"],
      ["assistant", "claude"],
      ["user", "user"],
      ["assistant", "gemini"],
    ]);
    expect(ucf.usage).toEqual({
      totalInputTokens: 11,
      totalOutputTokens: 6,
      totalCost: 0.5,
      byProvider: {
        claude: { inputTokens: 10, outputTokens: 5, cost: 0.5 },
        gemini: { inputTokens: 1, outputTokens: 1, cost: 0 },
      },
    });
    expect(ucf.switches).toMatchObject([{ messageIndex: 2, reason: "cheaper" }]);
    expect(ucf.providerState).toEqual({ openai: { threadId: "thread-1" } });
    const claude = { ...made, source: { cli: "claude", originalId: "one" } };
    expect((await written(sourceOf(claude), "/store/one.jsonl")).ucf.providerState.claude).toEqual({
      sessionId: "one",
      sessionFile: "/store/one.jsonl",
    });
    const back = await read(ucf);
    expect((await Array.fromAsync(back.entries()))[2]).toMatchObject({ type: "switch" });
    expect((await written(back)).ucf).toEqual({ ...ucf, title: expect.any(String) });
  });

  it("reads a summary that somebody else set off with one newline", async () => {
    const made = session([user("u"), compaction("c", { summary: "All of it." })]);
    const { ucf } = await written(sourceOf(made));
    const [first, second] = ucf.messages;
    if (!first || !second) throw new Error("messages are missing");
    const text = "[Previous conversation summary - 1 messages]\nAll of it.";
    const { _providerData: _, ...plain } = second;
    const entries = (
      await read({ ...ucf, messages: [first, { ...plain, content: [{ type: "text", text }] }] })
    ).entries();
    expect((await Array.fromAsync(entries))[1]).toMatchObject({ type: "compaction", summary: "All of it." });
  });

  it.each([
    [{ content: 42 }, "content"],
    [{ parent: 5 }, "parent"],
    [{ injected: "yes" }, "injected"],
  ])("says where %j is wrong", async (data, field) => {
    const { ucf } = await written(sourceOf(session([user("u"), user("v")])));
    const messages = ucf.messages.map((one, at) => (at === 1 ? { ...one, _providerData: data } : one));
    await expect(read({ ...ucf, messages })).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(`messages[1]._providerData: ${field}: `),
    });
  });

  it("tells a compaction as a summary that opens with how much it stands for", async () => {
    const made = session([user("u"), assistant("a"), compaction("c", { summary: "All of it." }), user("v")]);
    const { ucf } = await written(sourceOf(made));
    expect(ucf.messages[2]).toMatchObject({
      role: "system",
      content: [{ type: "text", text: "[Previous conversation summary - 2 messages]\n\nAll of it." }],
    });
    expect((await Array.fromAsync((await read(ucf)).entries()))[2]).toMatchObject({
      type: "compaction",
      summary: "All of it.",
    });
  });

  it("reports what it leaves out", async () => {
    const child = session([user("x")], { title: "helper" });
    const made = session([user("u")], {
      children: [child],
      records: [{ index: 0, raw: "r" }],
      project: { path: "/p", git: { branch: "main" } },
      links: [{ type: "fork_of", session: "claude:other" }],
    });
    const { losses } = await written(sourceOf(made));
    expect(new Set(losses.map(({ kind }) => kind))).toEqual(
      new Set(["subagent_dropped", "records_dropped", "facts_dropped", "links_dropped"]),
    );
  });
});

describe("somebody else's file", () => {
  const foreign = {
    id: "yume-1",
    version: "1.0",
    created: "2026-01-01T00:00:00Z",
    updated: "2026-01-02T00:00:00Z",
    cwd: "/home/me/app",
    title: "Auth",
    messages: [
      message("m1", "user", "user", [{ type: "text", text: "Refactor" }]),
      {
        ...message("m2", "assistant", "claude", [
          { type: "thinking", text: "hm" },
          { type: "text", text: "Done" },
          { type: "code", language: "ts", code: "let a" },
          { type: "artifact", artifactId: "x", artifactType: "svg", text: "<svg>" },
        ]),
        model: "claude-opus-4-5",
        toolCalls: [
          { id: "t1", originalId: "toolu_1", name: "Edit", input: { file_path: "a" }, status: "completed" },
        ],
        usage: { inputTokens: 3, outputTokens: 4 },
      },
      {
        ...message("m3", "tool_result", "claude", []),
        toolResults: [{ toolCallId: "t1", originalToolCallId: "toolu_1", content: "ok", isError: false }],
        _providerData: { toolName: "Edit" },
      },
    ],
    usage: { totalInputTokens: 3, totalOutputTokens: 4, totalCost: 0.1, byProvider: {} },
    providerState: { claude: { sessionId: "s", sessionFile: "/f" } },
    switches: [],
  };

  it("is read in full", async () => {
    const source = await read(foreign);
    expect(source.header).toMatchObject({
      source: { cli: "ucf", originalId: "yume-1" },
      title: "Auth",
      project: { path: "/home/me/app" },
      model: { provider: "anthropic", model: "claude-opus-4-5" },
      metadata: { tokens: { input: 3, output: 4 }, cost: 0.1 },
    });
    const entries = await Array.fromAsync(source.entries());
    expect(entries).toMatchObject([
      { type: "user", content: "Refactor" },
      { type: "assistant", content: "Done", thinking: "hm", provider: "anthropic" },
      { type: "tool_call", id: "t1", originalId: "toolu_1", originalTool: "Edit" },
      { type: "tool_result", callId: "t1", output: "ok", success: true, toolName: "Edit" },
    ]);
    expect(entries[1]?.parts?.map(({ type }) => type)).toEqual(["thinking", "text", "code", "artifact"]);
    expect((await written(source)).ucf).toMatchObject({ providerState: foreign.providerState, id: "yume-1" });
  });

  it.each([
    ["a role", { messages: [{ ...foreign.messages[0], role: "dancer" }] }, "messages[0].role"],
    ["a missing list", { switches: undefined }, "switches"],
    ["another version", { version: "2.0" }, "version"],
  ])("%s that is wrong is named", async (_, change, place) => {
    await expect(read({ ...foreign, ...change })).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(`: ${place}: `),
      hint: expect.stringContaining("baton schema ucf"),
    });
  });

  function message(id: string, role: string, provider: string, content: unknown[]) {
    return { id, timestamp: "2026-01-01T00:00:00Z", role, provider, content };
  }
});

it("a call without a result is pending, a failed one an error", async () => {
  const made = session([
    user("u"),
    call("c1"),
    { ...result("c1"), success: false } as Entry,
    user("v"),
    call("c2"),
  ]);
  const { ucf } = await written(sourceOf(made));
  const states = ucf.messages.flatMap(({ toolCalls }) => toolCalls ?? []).map(({ status }) => status);
  expect(states).toEqual(["error", "pending"]);
});
