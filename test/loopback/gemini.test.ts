import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Reply } from "../../src/loopback/reply.ts";
import { facts } from "../../src/loopback/request.ts";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { jsonEvents, PNG, post } from "./client.ts";

const MODEL = "gemini-3-pro-preview";
const path = (method: string, model = MODEL) => `/v1beta/models/${model}:${method}`;
const STREAM = `${path("streamGenerateContent")}?alt=sse`;
const WHOLE = path("generateContent");
const LONG = "A longer sentence that arrives in several pieces 🎉 so that one can see that nothing is lost.";

let loopback: Loopback;
let replies: Reply[];

beforeEach(async () => {
  replies = [];
  loopback = await startLoopback({ secret: "one", script: () => replies.shift() ?? { text: "ok" } });
});
afterEach(() => loopback.close());

const user = (...parts: unknown[]) => ({ role: "user", parts });
const model = (...parts: unknown[]) => ({ role: "model", parts });
const words = (text: string) => ({ text });
const call = (name: string, args: unknown = {}, more = {}) => ({ functionCall: { name, args }, ...more });
const result = (name: string, response: unknown = { output: "done" }) => ({
  functionResponse: { name, response },
});
const request = (...contents: unknown[]) => ({ contents });
const SKIP = { thoughtSignature: "skip_thought_signature_validator" };

interface Part extends Record<string, unknown> {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
}

interface Chunk {
  candidates: { content: { role: string; parts: Part[] }; finishReason?: string }[];
  usageMetadata: unknown;
  modelVersion: string;
}

const partsOf = (chunks: Chunk[]) => chunks.flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);

const REPLY: Reply = {
  thinking: "deep",
  text: LONG,
  calls: [
    { name: "one", input: { a: 1 } },
    { name: "two", input: { b: 2 }, id: "given" },
  ],
  image: { mimeType: "image/png", data: PNG },
  usage: { input: 10, output: 20, cacheRead: 30, reasoning: 5 },
};
const USAGE = {
  promptTokenCount: 40,
  candidatesTokenCount: 15,
  thoughtsTokenCount: 5,
  cachedContentTokenCount: 30,
  totalTokenCount: 60,
};

describe("Gemini", () => {
  it("streams thoughts, text, an image and calls, the first of them signed", async () => {
    replies = [REPLY];
    const { text } = await post(loopback, STREAM, request(user(words("hi"))));
    const chunks = jsonEvents<Chunk>(text);
    const parts = partsOf(chunks);
    expect(text).toContain("\r\n\r\n");
    expect(parts[0]).toEqual({ text: "deep", thought: true });
    const spoken = parts.filter((part) => part.text !== undefined && !part.thought);
    expect(spoken.length).toBeGreaterThan(3);
    expect(spoken.map((part) => part.text).join("")).toBe(LONG);
    expect(parts.slice(-3)).toEqual([
      { inlineData: { mimeType: "image/png", data: PNG } },
      { functionCall: { name: "one", args: { a: 1 } }, thoughtSignature: expect.any(String) },
      { functionCall: { id: "given", name: "two", args: { b: 2 } } },
    ]);
    expect(chunks.map(({ candidates }) => candidates[0]?.finishReason).filter(Boolean)).toEqual(["STOP"]);
    expect(chunks.at(-1)).toMatchObject({ usageMetadata: USAGE, modelVersion: MODEL });
  });

  it("says the same in one piece, and in a list where the vendor does", async () => {
    replies = [REPLY, REPLY];
    const whole = await post<Chunk>(loopback, WHOLE, request(user(words("hi"))));
    expect(partsOf([whole.json]).length).toBe(5);
    const list = await post<Chunk[]>(loopback, path("streamGenerateContent"), request(user(words("hi"))));
    expect(partsOf(list.json).length).toBe(5);
  });

  it("reads what a result says beside its output", async () => {
    const answer = result("one", { output: "done", exitCode: 3 });
    await post(loopback, STREAM, request(user(words("go")), model(call("one", {}, SKIP)), user(answer)));
    const asked = JSON.stringify(loopback.requests[0]?.request);
    expect(asked).toContain('"text":"done"');
    expect(asked).toContain(JSON.stringify('{"exitCode":3}'));
  });

  it("reads contents into the shared terms and pairs calls by order", async () => {
    const inlineData = { mimeType: "image/png", data: PNG };
    const body = {
      ...request(
        user(words("look"), { inlineData }),
        model({ text: "hm", thought: true }, words("calling"), call("one", { a: 1 }, SKIP), call("one")),
        user(result("one"), result("one", { error: "bad" }), { inlineData }),
        user(words("more")),
      ),
      systemInstruction: { parts: [{ text: "sys" }] },
      tools: [{ functionDeclarations: [{ name: "one" }] }],
    };
    expect((await post(loopback, STREAM, body)).status).toBe(200);
    const exchange = loopback.requests[0];
    expect(exchange?.request).toMatchObject({ model: MODEL, stream: true, system: ["sys"], tools: ["one"] });
    const image = { type: "image", ...inlineData };
    expect(exchange && facts(exchange.request)).toEqual([
      { role: "user", block: { type: "text", text: "look" } },
      { role: "user", block: image },
      { role: "assistant", block: { type: "thinking", text: "hm" } },
      { role: "assistant", block: { type: "text", text: "calling" } },
      {
        role: "assistant",
        block: {
          type: "tool_use",
          id: "call-0",
          name: "one",
          input: { a: 1 },
          signature: SKIP.thoughtSignature,
        },
      },
      { role: "assistant", block: { type: "tool_use", id: "call-1", name: "one", input: {} } },
      {
        role: "user",
        block: { type: "tool_result", callId: "call-0", blocks: [{ type: "text", text: "done" }] },
      },
      {
        role: "user",
        block: {
          type: "tool_result",
          callId: "call-1",
          blocks: [{ type: "text", text: "bad" }, image],
          error: true,
        },
      },
      { role: "user", block: { type: "text", text: "more" } },
    ]);
  });

  it("accepts its own signatures for the same model only", async () => {
    replies = [{ calls: [{ name: "one", input: {} }] }];
    const parts = partsOf([(await post<Chunk>(loopback, WHOLE, request(user(words("hi"))))).json]);
    const history = request(user(words("hi")), model(...parts), user(result("one")));
    expect((await post(loopback, WHOLE, history)).status).toBe(200);
    const other = await post(loopback, path("generateContent", "gemini-3-flash"), history);
    expect(other.status).toBe(400);
    expect(other.json).toMatchObject({
      error: { code: 400, message: "Corrupted thought signature.", status: "INVALID_ARGUMENT" },
    });
  });

  it("wants the current turn signed from the third generation on, and earlier turns not", async () => {
    const open = request(user(words("hi")), model(call("one")), user(result("one")));
    expect((await post(loopback, WHOLE, open)).status).toBe(400);
    expect(loopback.requests[0]?.violations[0]).toMatchObject({ rule: "signature_missing" });
    expect((await post(loopback, path("generateContent", "gemini-2.5-pro"), open)).status).toBe(200);
    const past = request(...open.contents, model(words("so")), user(words("more")));
    expect((await post(loopback, WHOLE, past)).status).toBe(200);
    const base64 = { thoughtSignature: Buffer.from(SKIP.thoughtSignature).toString("base64") };
    for (const sentinel of [SKIP, base64]) {
      const signed = request(user(words("hi")), model(call("one", {}, sentinel)), user(result("one")));
      expect((await post(loopback, WHOLE, signed)).status).toBe(200);
    }
  });

  const turn = (calls: unknown[], results: unknown[]) =>
    request(user(words("x")), model(...calls), user(...results), model(words("y")), user(words("z")));
  const refused: [string, string, unknown, RegExp][] = [
    ["no contents", "field_missing", {}, /contents is not specified/],
    ["an unknown role", "field_invalid", request({ role: "assistant", parts: [words("x")] }), /valid role/],
    ["no parts", "message_empty", request(user()), /must not be empty/],
    ["an empty part", "block_unknown", request(user({})), /oneof field/],
    ["an empty text", "text_empty", request(user(words(""))), /empty text/],
    ["a model first", "role_order", request(model(words("x")), user(words("x"))), /alternate/],
    ["a model last", "role_order", request(user(words("x")), model(words("x"))), /ending with a model turn/],
    [
      "a call without a response",
      "call_unanswered",
      turn([call("one")], [words("x")]),
      /number of function response parts/,
    ],
    [
      "fewer responses",
      "call_unanswered",
      turn([call("one"), call("two")], [result("one")]),
      /number of function response parts/,
    ],
    [
      "more responses",
      "result_duplicate",
      turn([call("one")], [result("one"), result("one")]),
      /number of function response parts/,
    ],
    [
      "an orphaned response",
      "result_orphaned",
      request(user(result("one"))),
      /immediately after a function call turn/,
    ],
    ["a response of another function", "result_orphaned", turn([call("one")], [result("two")]), /two/],
    [
      "an id twice",
      "id_duplicate",
      turn(
        [{ functionCall: { name: "one", id: "a" } }, { functionCall: { name: "one", id: "a" } }],
        [result("one"), result("one")],
      ),
      /Duplicate/,
    ],
    [
      "a name that starts with a digit",
      "name_pattern",
      turn([call("1a")], [result("1a")]),
      /Invalid function name/,
    ],
    [
      "a name of 65",
      "name_pattern",
      turn([call("n".repeat(65))], [result("n".repeat(65))]),
      /maximum length of 64/,
    ],
    ["a response without a name", "name_pattern", turn([call("one")], [result("")]), /Name cannot be empty/],
    [
      "a tool declared twice",
      "tool_duplicate",
      { ...request(user(words("x"))), tools: [{ functionDeclarations: [{ name: "a" }, { name: "a" }] }] },
      /Duplicate/,
    ],
    ["arguments in a string", "field_invalid", turn([call("one", "{}")], [result("one")]), /Struct/],
    ["a response as a string", "field_invalid", turn([call("one")], [result("one", "done")]), /Struct/],
    ["a call by the user", "block_misplaced", request(user(call("one")), user(result("one"))), /model turns/],
    [
      "a foreign signature",
      "signature_foreign",
      turn([call("one", {}, { thoughtSignature: "QUJD" })], [result("one")]),
      /Corrupted/,
    ],
    [
      "bytes that are none",
      "media_invalid",
      request(user({ inlineData: { mimeType: "image/png", data: "?" } })),
      /Base64/,
    ],
    [
      "bytes of a type that the vendor does not take",
      "media_invalid",
      request(user({ inlineData: { mimeType: "image/gif", data: "R0lGODlh" } })),
      /Unsupported MIME type: image\/gif/,
    ],
    ["no JSON", "body_invalid", "{", /not valid JSON/],
  ];
  it.each(refused)("refuses %s", async (_name, rule, body, message) => {
    const answer = await post(loopback, STREAM, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      error: { code: 400, message: expect.stringMatching(message), status: "INVALID_ARGUMENT" },
    });
    expect(loopback.requests[0]?.violations[0]?.rule).toBe(rule);
  });

  it("wants a key, counts tokens and lists models", async () => {
    const body = request(user(words("hi")));
    expect((await post(loopback, WHOLE, body, {})).status).toBe(403);
    expect((await post(loopback, `${WHOLE}?key=k`, body, {})).status).toBe(200);
    expect((await post(loopback, path("countTokens"), body)).json).toMatchObject({
      totalTokens: expect.any(Number),
    });
    const alone = request(user({ functionResponse: { id: "c", name: "f", response: { output: "x" } } }));
    expect((await post(loopback, path("countTokens"), alone)).status).toBe(200);
    const models = await (await fetch(`${loopback.url}/v1beta/models`)).json();
    expect(models).toMatchObject({
      models: expect.arrayContaining([expect.objectContaining({ name: `models/${MODEL}` })]),
    });
  });
});
