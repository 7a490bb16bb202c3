// The API histories: what is written is what the vendors accept, what is read is what was said, and whatever differs
// was reported.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Format, formats } from "../../src/formats/index.ts";
import { anthropic } from "../../src/loopback/anthropic.ts";
import { chat } from "../../src/loopback/chat.ts";
import { gemini } from "../../src/loopback/gemini.ts";
import type { JsonObject } from "../../src/loopback/json.ts";
import { responses } from "../../src/loopback/responses.ts";
import { createSigner } from "../../src/loopback/signature.ts";
import type { Wire } from "../../src/loopback/wire.ts";
import type { Loss } from "../../src/session/losses.ts";
import type { Entry } from "../../src/session/session.ts";
import { type Source, sourceOf } from "../../src/session/source.ts";
import { visible } from "../../src/transform/visible.ts";
import { cases, laidOut } from "../conformance/fixtures.ts";
import { fc } from "../property.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { conversation, factsOf, PDF, PNG } from "./conversation.ts";
import { temporaryFolder } from "./folder.ts";

const folder = temporaryFolder();
const signer = createSigner("histories");

interface Api {
  wire: Wire;
  model: string;
  path: string;
  list: string;
  /** The next prompt, without which no API answers. */
  next: JsonObject;
  fields?: JsonObject;
}

const APIS: Record<string, Api> = {
  anthropic: {
    wire: anthropic,
    model: "claude-opus-4-5",
    path: "/v1/messages",
    list: "messages",
    next: { role: "user", content: "go on" },
    fields: { max_tokens: 10 },
  },
  "openai-chat": {
    wire: chat,
    model: "gpt-5.5",
    path: "/v1/chat/completions",
    list: "messages",
    next: { role: "user", content: "go on" },
  },
  "openai-responses": {
    wire: responses,
    model: "gpt-5.5",
    path: "/v1/responses",
    list: "input",
    next: { role: "user", content: "go on" },
  },
  "gemini-contents": {
    wire: gemini,
    model: "gemini-3-pro",
    path: "/v1beta/models/gemini-3-pro:generateContent",
    list: "contents",
    next: { role: "user", parts: [{ text: "go on" }] },
  },
};
const HEADERS = {
  authorization: "Bearer test",
  "x-api-key": "test",
  "anthropic-version": "2023-06-01",
  "x-goog-api-key": "test",
};

const named = Object.keys(APIS).map(
  (id) => [id, formats.find((format) => format.id === id) as Format, APIS[id] as Api] as const,
);

async function written(source: Source, format: Format): Promise<{ body: JsonObject; losses: Loss[] }> {
  const losses: Loss[] = [];
  const pieces = format.write(visible(source), { onLoss: (found) => losses.push(found) });
  return { body: JSON.parse((await Array.fromAsync(pieces)).join("")), losses };
}

/** What the vendor has against the history with one more prompt. */
function refused(body: JsonObject, api: Api): string[] {
  const request = { model: api.model, ...api.fields, ...body, [api.list]: [...listOf(body, api), api.next] };
  const url = new URL(`http://127.0.0.1${api.path}`);
  const route = { kind: "generate" as const, model: api.model };
  return Array.from(
    api.wire.check(request, { route, headers: HEADERS, url, signer }),
    ({ rule, message }) => `${rule}: ${message}`,
  );
}

const listOf = (body: JsonObject, { list }: Api) => body[list] as JsonObject[];

let files = 0;
async function readBack(body: unknown, format: Format): Promise<Source> {
  const path = join(folder(), `${files++}.json`);
  await writeFile(path, JSON.stringify(body));
  return (await format.read?.(path)) as Source;
}

const kinds = (losses: readonly Loss[]) => new Set(losses.map(({ kind }) => kind));

describe.each(named)("%s", (id, format, api) => {
  it("is accepted and comes back, except for what was reported", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (made) => {
        const source = sourceOf(made);
        const { body, losses } = await written(source, format);
        expect(refused(body, api)).toEqual([]);
        const meant = factsOf(made.timeline);
        const found = factsOf(await Array.fromAsync((await readBack(body, format)).entries()));
        const lost = kinds(losses);
        expect({ calls: found.calls, ids: found.results.map(({ callId }) => callId) }).toEqual({
          calls: meant.calls,
          ids: meant.results.map(({ callId }) => callId),
        });
        if (!lost.has("thinking_dropped")) expect(found.thinking).toEqual(meant.thinking);
        if (!lost.has("outcome_dropped")) expect(found.failed).toEqual(meant.failed);
        if (lost.has("image_dropped") || lost.has("document_dropped")) return;
        expect(found).toMatchObject({ texts: meant.texts, results: meant.results, media: meant.media });
      }),
      { numRuns: 60 },
    );
  });

  it("is recognised, and read again without a difference", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (made) => {
        const { body } = await written(
          sourceOf({ ...made, model: { provider: "p", model: api.model } }),
          format,
        );
        const path = join(folder(), `again-${files++}.json`);
        await writeFile(path, JSON.stringify(body));
        const source = (await format.read?.(path)) as Source;
        expect((await written(source, format)).body).toEqual(body);
      }),
      { numRuns: 30 },
    );
  });

  it.each(cases.map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const))(
    "%s is accepted",
    async (_, one) => {
      for (const ref of await laidOut(one)) {
        const { body } = await written(await one.adapter.open(ref), format);
        // Real signatures are of servers that this test does not know.
        expect(refused(body, api).filter((reason) => !reason.startsWith("signature_foreign"))).toEqual([]);
      }
    },
  );

  it("answers what was never answered, leaves out what was never asked, and mends what is refused", async () => {
    const odd = session([
      assistant("a0"),
      user("u1"),
      { ...call("call:one"), id: "bad id/1" },
      { ...call("c2"), originalTool: "do this now" } as Entry,
      user("u2"),
      result("c9", {}, "stray"),
      call("c3"),
      result("c3"),
      user("u3"),
      { ...call("c3"), id: "c3" },
      result("c3", {}, "again"),
    ]);
    const { body, losses } = await written(sourceOf(odd), format);
    expect(refused(body, api)).toEqual([]);
    const expected = ["call_completed", "result_dropped", "tool_renamed", "id_changed"];
    expect([...kinds(losses)]).toEqual(expect.arrayContaining(expected));
  });

  it("keeps the thinking of its own model only", async () => {
    const signature =
      id === "openai-responses" || id === "gemini-contents"
        ? signer.seal(api.model, "deep")
        : signer.sign(api.model, "deep");
    const thinking = assistant("a", { parts: [{ type: "thinking", text: "deep", signature }] });
    const own = session([user("u"), thinking], { model: { provider: "p", model: api.model } });
    const foreign = session([user("u"), thinking], { model: { provider: "p", model: "llama-4" } });
    const kept = await written(sourceOf(own), format);
    const left = await written(sourceOf(foreign), format);
    expect(refused(kept.body, api)).toEqual([]);
    expect(JSON.stringify(left.body)).not.toContain("deep");
    expect(kinds(left.losses)).toContain("thinking_dropped");
    expect(kinds(left.losses)).toContain("model_changed");
    if (id === "openai-chat") return;
    expect(JSON.stringify(kept.body)).toContain("deep");
    const [, back] = await Array.fromAsync((await readBack(kept.body, format)).entries());
    expect(back?.parts).toEqual([{ type: "thinking", text: "deep", signature }]);
  });

  it("places the system prompt where the API wants it", async () => {
    const prompted = session([{ id: "s", timestamp: "t", type: "system", content: "Be brief." }, user("u")]);
    const { body } = await written(sourceOf(prompted), format);
    const places: Record<string, unknown> = {
      anthropic: body.system,
      "openai-chat": listOf(body, api)[0],
      "openai-responses": body.instructions,
      "gemini-contents": body.systemInstruction,
    };
    expect(places[id]).toEqual(
      {
        anthropic: "Be brief.",
        "openai-chat": { role: "system", content: "Be brief." },
        "openai-responses": "Be brief.",
        "gemini-contents": { parts: [{ text: "Be brief." }] },
      }[id],
    );
    const [first] = await Array.fromAsync((await readBack(body, format)).entries());
    expect(first).toMatchObject({ type: "system", content: "Be brief." });
  });

  it("keeps the fields of a request that are no history", async () => {
    const { body } = await written(sourceOf(session([user("u")])), format);
    const request = { ...body, temperature: 0.5, tools: [{ name: "x" }] };
    expect((await written(await readBack(request, format), format)).body).toMatchObject({
      temperature: 0.5,
      tools: [{ name: "x" }],
    });
  });

  const wrong: [string, unknown, string][] = [
    ["no list", { [api.list]: 7 }, `${api.list}: must be a list`],
    ["no object", { [api.list]: [api.next, "x"] }, `${api.list}[1]: must be an object`],
    ["a role that is none", { [api.list]: [{ ...api.next, role: "dancer" }] }, `${api.list}[0].role`],
  ];
  it.each(wrong)("%s is named", async (_, document, place) => {
    await expect(readBack(document, format)).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(place),
    });
  });
});

describe("what is read", () => {
  const formatOf = (id: string) => formats.find((format) => format.id === id) as Format;
  const entriesOf = async (id: string, body: unknown): Promise<Entry[]> =>
    Array.fromAsync((await readBack(body, formatOf(id))).entries());

  it("anthropic: blocks in their order, calls and results, images, documents, thinking", async () => {
    const entries = await entriesOf("anthropic", [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
          {
            type: "document",
            title: "p",
            source: { type: "base64", media_type: "application/pdf", data: PDF },
          },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "sig" },
          { type: "text", text: "before" },
          { type: "tool_use", id: "one", name: "Bash", input: { command: "ls" } },
          { type: "text", text: "between" },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "one",
            is_error: true,
            content: [{ type: "text", text: "no" }],
          },
          { type: "text", text: "and now" },
        ],
      },
    ]);
    expect(entries.map(({ type, id, turn }) => [type, id, turn])).toEqual([
      ["user", "m0", undefined],
      ["assistant", "m1.0", "m1"],
      ["tool_call", "one", "m1"],
      ["assistant", "m1.3", "m1"],
      ["tool_result", "m2.0", undefined],
      ["user", "m2", undefined],
    ]);
    expect(entries[0]?.parts?.map(({ type }) => type)).toEqual(["text", "image", "document"]);
    expect(entries[1]).toMatchObject({ content: "before", thinking: "hm" });
    expect(entries[2]).toMatchObject({ originalTool: "Bash", originalInput: { command: "ls" } });
    expect(entries[4]).toMatchObject({ success: false, output: "no", callId: "one" });
  });

  it("openai-chat: free-text tools, files, the reasoning of compatible servers", async () => {
    const entries = await entriesOf("openai-chat", {
      messages: [
        {
          role: "user",
          content: [
            { type: "file", file: { filename: "p.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
          ],
        },
        {
          role: "assistant",
          content: null,
          reasoning_content: "hm",
          tool_calls: [
            { id: "a", type: "custom", custom: { name: "apply_patch", input: "*** Begin" } },
            { id: "b", type: "function", function: { name: "run", arguments: "{bad json" } },
          ],
        },
        { role: "tool", tool_call_id: "b", content: "two" },
        { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "one" }] },
      ],
    });
    expect(entries[0]?.parts).toEqual([
      { type: "document", mimeType: "application/pdf", data: PDF, name: "p.pdf" },
    ]);
    expect(entries[1]).toMatchObject({ type: "assistant", thinking: "hm" });
    expect(entries[2]).toMatchObject({ id: "a", originalInput: "*** Begin", input: { input: "*** Begin" } });
    expect(entries[3]).toMatchObject({ id: "b", originalInput: "{bad json" });
    expect(entries.slice(4).map((entry) => entry.type === "tool_result" && entry.callId)).toEqual(["b", "a"]);
  });

  it("openai-responses: a plain input, and hosted tools", async () => {
    expect(await entriesOf("openai-responses", { input: "hello" })).toMatchObject([
      { type: "user", content: "hello" },
    ]);
    const entries = await entriesOf("openai-responses", [
      { type: "message", role: "user", content: [{ type: "input_text", text: "find" }] },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { query: "x" } },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "found" }] },
    ]);
    expect(entries[1]).toMatchObject({ type: "tool_call", id: "ws_1", hosted: true, turn: "i1" });
    expect(entries[2]).toMatchObject({ type: "assistant", turn: "i1" });
  });

  it("gemini-contents: answers find their calls by id, or by name in order", async () => {
    const entries = await entriesOf("gemini-contents", [
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          { text: "hm", thought: true },
          { functionCall: { name: "ls", args: { path: "a" } } },
          { functionCall: { name: "ls", args: { path: "b" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "ls", response: { output: "in a" } } },
          { functionResponse: { name: "ls", response: { error: "no b" } } },
        ],
      },
    ]);
    const results = entries.flatMap((entry) => (entry.type === "tool_result" ? [entry] : []));
    expect(results).toMatchObject([
      { callId: "c1.1", output: "in a", success: true },
      { callId: "c1.2", output: "no b", success: false },
    ]);
  });
});
