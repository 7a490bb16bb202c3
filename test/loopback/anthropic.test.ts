import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Reply } from "../../src/loopback/reply.ts";
import { facts } from "../../src/loopback/request.ts";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { jsonEvents, PNG, post, sse } from "./client.ts";

const PATH = "/v1/messages";
const MODEL = "claude-opus-4-8";
const LONG =
  "Ein längerer Satz, der in mehreren Stücken kommt 🎉, damit man sieht, dass nichts verloren geht.";

let loopback: Loopback;
let replies: Reply[];

beforeEach(async () => {
  replies = [];
  loopback = await startLoopback({ secret: "one", script: () => replies.shift() ?? { text: "ok" } });
});
afterEach(() => loopback.close());

const user = (content: unknown) => ({ role: "user", content });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const call = (id: string, name = "Bash", input: unknown = {}) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown = "done", more = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const request = (messages: unknown[], more = {}) => ({ model: MODEL, max_tokens: 100, messages, ...more });

interface Block extends Record<string, unknown> {
  type: string;
}

interface Message extends Record<string, unknown> {
  content: Block[];
  usage: unknown;
}

interface Event {
  type: string;
  index: number;
  message: Message;
  content_block: Block;
  delta: Record<string, string>;
  usage: unknown;
}

/** What a client makes of a stream. */
function assemble(text: string): Message {
  let message: Message = { content: [], usage: null };
  const filled: Record<string, Record<string, string>> = {};
  for (const { type, index, delta, ...event } of jsonEvents<Event>(text)) {
    if (type === "message_start") message = event.message;
    if (type === "content_block_start") message.content[index] = event.content_block;
    if (type === "message_delta") message = { ...message, ...delta, usage: event.usage };
    if (type !== "content_block_delta") continue;
    const [field, value] = Object.entries(delta).find(([key]) => key !== "type") ?? ["", ""];
    filled[index] = { ...filled[index], [field]: (filled[index]?.[field] ?? "") + value };
  }
  message.content = message.content.map((block, index) => {
    const { partial_json: json, ...fields } = filled[index] ?? {};
    return { ...block, ...fields, ...(json === undefined ? {} : { input: JSON.parse(json) }) };
  });
  return message;
}

const REPLY: Reply = {
  thinking: LONG,
  text: LONG,
  calls: [
    { name: "Bash", input: { command: "echo 'ä'" } },
    { name: "Read", input: { file_path: "/a" }, id: "toolu_given" },
  ],
  usage: { input: 10, output: 20, cacheRead: 30, cacheWrite: 40 },
};

describe("Anthropic Messages", () => {
  it("streams thinking, text and parallel calls in the vendor's events", async () => {
    replies = [REPLY];
    const answer = await post(loopback, PATH, request([user("hi")], { stream: true }));
    const events = sse(answer.text);
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    expect(events.map(({ event }) => event)).toEqual(events.map(({ data }) => JSON.parse(data).type));
    expect(events[0]?.event).toBe("message_start");
    expect(events.at(-1)?.event).toBe("message_stop");
    expect(events.filter(({ data }) => data.includes("text_delta")).length).toBeGreaterThan(3);
    expect(assemble(answer.text)).toMatchObject({
      role: "assistant",
      model: MODEL,
      stop_reason: "tool_use",
      content: [
        { type: "thinking", thinking: LONG },
        { type: "text", text: LONG },
        { type: "tool_use", name: "Bash", input: { command: "echo 'ä'" } },
        { type: "tool_use", name: "Read", input: { file_path: "/a" }, id: "toolu_given" },
      ],
      usage: {
        input_tokens: 10,
        output_tokens: 20,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 40,
      },
    });
  });

  it("says the same without streaming", async () => {
    replies = [REPLY, REPLY];
    const streamed = assemble((await post(loopback, PATH, request([user("hi")], { stream: true }))).text);
    const { json } = await post<Message>(loopback, PATH, request([user("hi")]));
    const plain = ({ content }: Message) =>
      content.map((block) => ({ ...block, id: block.id === "toolu_given" ? block.id : "" }));
    expect(plain(json)).toEqual(plain(streamed));
    expect(json).toMatchObject({ type: "message", stop_reason: "tool_use", usage: streamed.usage });
  });

  it("reads every kind of block into the shared terms", async () => {
    const source = { type: "base64", media_type: "image/png", data: PNG };
    const document = {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "doc" },
      title: "n",
    };
    await post(
      loopback,
      PATH,
      request(
        [
          user([{ type: "text", text: "look" }, { type: "image", source }, document]),
          assistant({ type: "text", text: "calling" }, call("a", "Bash", { command: "ls" }), call("b")),
          user([
            result("a", [
              { type: "text", text: "out" },
              { type: "image", source },
            ]),
            result("b", "bad", { is_error: true }),
          ]),
          { role: "system", content: "mind this" },
        ],
        { system: [{ type: "text", text: "sys" }], tools: [{ name: "Bash", input_schema: {} }] },
      ),
    );
    const exchange = loopback.requests[0];
    expect(exchange?.violations).toEqual([]);
    expect(exchange?.request).toMatchObject({
      api: "anthropic",
      model: MODEL,
      system: ["sys"],
      tools: ["Bash"],
    });
    const image = { type: "image", mimeType: "image/png", data: PNG };
    expect(exchange && facts(exchange.request)).toEqual([
      { role: "user", block: { type: "text", text: "look" } },
      { role: "user", block: image },
      { role: "user", block: { type: "document", mimeType: "text/plain", text: "doc", name: "n" } },
      { role: "assistant", block: { type: "text", text: "calling" } },
      { role: "assistant", block: { type: "tool_use", id: "a", name: "Bash", input: { command: "ls" } } },
      { role: "assistant", block: { type: "tool_use", id: "b", name: "Bash", input: {} } },
      {
        role: "user",
        block: { type: "tool_result", callId: "a", blocks: [{ type: "text", text: "out" }, image] },
      },
      {
        role: "user",
        block: { type: "tool_result", callId: "b", blocks: [{ type: "text", text: "bad" }], error: true },
      },
      { role: "system", block: { type: "text", text: "mind this" } },
    ]);
  });

  it("accepts its own signatures for the same model only, also after a restart", async () => {
    replies = [
      {
        blocks: [
          { type: "thinking", text: "deep" },
          { type: "thinking", text: "x", hidden: true },
        ],
      },
    ];
    const { content } = (await post<Message>(loopback, PATH, request([user("hi")]))).json;
    const history = [user("hi"), assistant(...content), user("more")];
    expect((await post(loopback, PATH, request(history))).status).toBe(200);
    const other = await post(loopback, PATH, request(history, { model: "claude-haiku-4-5" }));
    expect(other.status).toBe(400);
    expect(other.json).toMatchObject({
      error: { message: "messages.1.content.0: Invalid `signature` in `thinking` block" },
    });
    expect(loopback.requests.at(-1)?.violations.map(({ rule }) => rule)).toEqual(
      Array(2).fill("signature_foreign"),
    );

    const twin = await startLoopback({ secret: "one" });
    expect((await post(twin, PATH, request(history))).status).toBe(200);
    await twin.close();
    const stranger = await startLoopback({ secret: "two" });
    expect((await post(stranger, PATH, request(history))).status).toBe(400);
    await stranger.close();
  });

  it("refuses a signature over other words", async () => {
    replies = [{ thinking: "deep" }];
    const [block] = (await post<Message>(loopback, PATH, request([user("hi")]))).json.content;
    const forged = [user("hi"), assistant({ ...block, thinking: "deeper" }), user("more")];
    expect((await post(loopback, PATH, request(forged))).status).toBe(400);
  });

  it("answers a missing key with 401 and a missing version with 400", async () => {
    const keyless = await post(loopback, PATH, request([user("x")]), { "anthropic-version": "2023-06-01" });
    expect(keyless.status).toBe(401);
    expect(keyless.json).toMatchObject({ error: { type: "authentication_error" } });
    expect((await post(loopback, PATH, request([user("x")]), { "x-api-key": "k" })).status).toBe(400);
  });

  it("combines consecutive messages of one role, as the vendor does", async () => {
    const messages = [
      user("x"),
      user("y"),
      assistant(call("a")),
      assistant(call("b")),
      user([result("a")]),
      user([result("b")]),
    ];
    expect((await post(loopback, PATH, request(messages))).status).toBe(200);
  });

  it("answers what it refuses when it is not strict, and still says why it would", async () => {
    const lax = await startLoopback({ strict: false });
    const answer = await post(lax, PATH, request([user([result("a")])]));
    expect(answer.status).toBe(200);
    expect(lax.requests[0]?.violations[0]?.rule).toBe("result_orphaned");
    await lax.close();
  });

  it("counts tokens and lists models", async () => {
    const count = await post(loopback, `${PATH}/count_tokens`, { model: MODEL, messages: [user("x")] });
    expect(count.json).toEqual({ input_tokens: expect.any(Number) });
    expect((await post(loopback, `${PATH}/count_tokens`, { model: MODEL, messages: [] })).status).toBe(400);
    const headers = { "anthropic-version": "2023-06-01" };
    const models = await (await fetch(`${loopback.url}/v1/models`, { headers })).json();
    expect(models).toMatchObject({ data: [{ type: "model", id: MODEL }, {}, {}, {}] });
    expect(loopback.requests).toEqual([]);
    expect(loopback.asides.map(({ status }) => status)).toEqual([200, 400, 200]);
  });
});
