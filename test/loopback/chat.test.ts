import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Reply } from "../../src/loopback/reply.ts";
import { facts } from "../../src/loopback/request.ts";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { jsonEvents, PNG, post, sse } from "./client.ts";

const PATH = "/v1/chat/completions";
const LONG = "A longer sentence that arrives in several pieces 🎉 so that one can see that nothing is lost.";

let loopback: Loopback;
let replies: Reply[];

beforeEach(async () => {
  replies = [];
  loopback = await startLoopback({ script: () => replies.shift() ?? { text: "ok" } });
});
afterEach(() => loopback.close());

const user = (content: unknown) => ({ role: "user", content });
const call = (id: string, name = "ls", json: unknown = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: json },
});
const calling = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls });
const result = (id: string, content: unknown = "done") => ({ role: "tool", tool_call_id: id, content });
const request = (messages: unknown[], more = {}) => ({ model: "gpt-4.1", messages, ...more });

interface Delta {
  content?: string;
  reasoning_content?: string;
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
}

interface Chunk {
  id: string;
  object: string;
  choices: { delta: Delta; finish_reason: string | null }[];
  usage?: unknown;
}

const REPLY: Reply = {
  thinking: LONG,
  text: LONG,
  calls: [
    { name: "one", input: { a: 1 }, id: "call_one" },
    { name: "two", input: '{"broken"', id: "call_two" },
  ],
  usage: { input: 10, output: 20, cacheRead: 30, reasoning: 5 },
};
const USAGE = {
  prompt_tokens: 40,
  completion_tokens: 20,
  total_tokens: 60,
  prompt_tokens_details: { cached_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 5 },
};

describe("OpenAI Chat Completions", () => {
  it("streams text, reasoning and parallel calls in chunks and ends with [DONE]", async () => {
    replies = [REPLY];
    const { text } = await post(
      loopback,
      PATH,
      request([user("hi")], { stream: true, stream_options: { include_usage: true } }),
    );
    expect(sse(text).at(-1)?.data).toBe("[DONE]");
    const chunks = jsonEvents<Chunk>(text);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(["chat.completion.chunk"]));
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.map(({ content }) => content ?? "").join("")).toBe(LONG);
    expect(deltas.map((delta) => delta.reasoning_content ?? "").join("")).toBe(LONG);
    const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
    const whole = [0, 1].map((wanted) => {
      const own = calls.filter(({ index }) => index === wanted);
      return [own[0]?.id, own[0]?.function.name, own.map((each) => each.function.arguments).join("")];
    });
    expect(whole).toEqual([
      ["call_one", "one", '{"a":1}'],
      ["call_two", "two", '{"broken"'],
    ]);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("tool_calls");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: USAGE });
  });

  it("sends usage inside a stream only on request", async () => {
    const { text } = await post(loopback, PATH, request([user("hi")], { stream: true }));
    const chunks = jsonEvents<Chunk>(text);
    expect(chunks.filter(({ usage }) => usage !== undefined)).toEqual([]);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
  });

  it("says the same without streaming", async () => {
    replies = [REPLY];
    const { json } = await post(loopback, PATH, request([user("hi")]));
    expect(json).toMatchObject({
      object: "chat.completion",
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            content: LONG,
            reasoning_content: LONG,
            tool_calls: [call("call_one", "one", '{"a":1}'), call("call_two", "two", '{"broken"')],
          },
        },
      ],
      usage: USAGE,
    });
  });

  it("reads messages into the shared terms", async () => {
    const url = `data:image/png;base64,${PNG}`;
    const answer = await post(
      loopback,
      PATH,
      request(
        [
          { role: "developer", content: "rules" },
          user([
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url } },
          ]),
          { ...calling(call("a", "ls", '{"p":1}'), call("b")), reasoning_content: "hm" },
          result("a"),
          result("b", [{ type: "text", text: "other" }]),
          { role: "assistant", content: "so" },
          user("more"),
        ],
        { tools: [{ type: "function", function: { name: "ls" } }] },
      ),
    );
    expect(answer.status).toBe(200);
    const exchange = loopback.requests[0];
    expect(exchange?.request.tools).toEqual(["ls"]);
    expect(exchange && facts(exchange.request)).toEqual([
      { role: "system", block: { type: "text", text: "rules" } },
      { role: "user", block: { type: "text", text: "look" } },
      { role: "user", block: { type: "image", mimeType: "image/png", data: PNG } },
      { role: "assistant", block: { type: "thinking", text: "hm" } },
      { role: "assistant", block: { type: "tool_use", id: "a", name: "ls", input: { p: 1 } } },
      { role: "assistant", block: { type: "tool_use", id: "b", name: "ls", input: {} } },
      { role: "user", block: { type: "tool_result", callId: "a", blocks: [{ type: "text", text: "done" }] } },
      {
        role: "user",
        block: { type: "tool_result", callId: "b", blocks: [{ type: "text", text: "other" }] },
      },
      { role: "assistant", block: { type: "text", text: "so" } },
      { role: "user", block: { type: "text", text: "more" } },
    ]);
  });

  const image = [{ type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }];
  const refused: [string, string, unknown, RegExp][] = [
    ["no model", "field_missing", { messages: [user("x")] }, /'model'/],
    ["no messages", "field_missing", { model: "m" }, /'messages'/],
    ["an empty list", "message_empty", request([]), /empty array/],
    ["an unknown role", "field_invalid", request([{ role: "robot", content: "x" }]), /robot/],
    ["no content", "message_empty", request([{ role: "assistant" }]), /content/],
    ["an unknown part", "block_unknown", request([user([{ type: "zebra" }])]), /zebra/],
    ["an empty list of calls", "field_invalid", request([user("x"), calling()]), /empty array/],
    [
      "an unanswered call",
      "call_unanswered",
      request([user("x"), calling(call("a"))]),
      /did not have response messages: a/,
    ],
    [
      "an answer too late",
      "call_unanswered",
      request([user("x"), calling(call("a")), user("y"), result("a")]),
      /: a/,
    ],
    ["an orphaned result", "result_orphaned", request([user("x"), result("a")]), /must be a response/],
    [
      "two results of a call",
      "result_duplicate",
      request([user("x"), calling(call("a")), result("a"), result("a")]),
      /must be a response/,
    ],
    [
      "an id twice",
      "id_duplicate",
      request([user("x"), calling(call("a")), result("a"), calling(call("a")), result("a")]),
      /Duplicate/,
    ],
    [
      "an id of 41",
      "id_pattern",
      request([user("x"), calling(call("c".repeat(41))), result("c".repeat(41))]),
      /maximum length 40/,
    ],
    [
      "a name of 65",
      "name_pattern",
      request([user("x"), calling(call("a", "n".repeat(65))), result("a")]),
      /maximum length 64/,
    ],
    [
      "a name with a dot",
      "name_pattern",
      request([user("x"), calling(call("a", "x.y")), result("a")]),
      /pattern/,
    ],
    [
      "arguments as an object",
      "field_invalid",
      request([user("x"), calling(call("a", "b", {})), result("a")]),
      /arguments/,
    ],
    [
      "an image in a result",
      "block_misplaced",
      request([user("x"), calling(call("a")), result("a", image)]),
      /only allowed for messages with role 'user'/,
    ],
    [
      "an image of nothing",
      "media_invalid",
      request([user([{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }])]),
      /valid image/,
    ],
    ["no JSON", "body_invalid", "nonsense", /not valid JSON/],
  ];
  it.each(refused)("refuses %s", async (_name, rule, body, words) => {
    const answer = await post(loopback, PATH, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: { type: "invalid_request_error", message: expect.stringMatching(words) },
    });
    expect(loopback.requests[0]?.violations[0]?.rule).toBe(rule);
  });
});
