import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Reply } from "../../src/loopback/reply.ts";
import { facts } from "../../src/loopback/request.ts";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { jsonEvents, OPENAI_KEYS, PNG, post, sse } from "./client.ts";

const PATH = "/v1/responses";
const MODEL = "gpt-5.5";
const LONG = "A longer sentence that arrives in several pieces 🎉 so that one can see that nothing is lost.";

let loopback: Loopback;
let replies: Reply[];

beforeEach(async () => {
  replies = [];
  loopback = await startLoopback({ secret: "one", script: () => replies.shift() ?? { text: "ok" } });
});
afterEach(() => loopback.close());

const message = (role: string, ...content: unknown[]) => ({ type: "message", role, content });
const said = (text: string) => message("user", { type: "input_text", text });
const request = (input: unknown, more = {}) => ({ model: MODEL, input, ...more });
const ask = (body: unknown) => post<Response>(loopback, PATH, body, OPENAI_KEYS);

interface Item extends Record<string, unknown> {
  id: string;
  type: string;
}

interface Response extends Record<string, unknown> {
  output: Item[];
  error: unknown;
}

interface Event extends Record<string, unknown> {
  type: string;
  sequence_number: number;
  item: Item;
  response: Response;
  delta: string;
}

const REPLY: Reply = {
  thinking: LONG,
  text: LONG,
  calls: [
    { name: "exec_command", input: { cmd: "ls" }, id: "call_given" },
    { name: "apply_patch", input: "*** Begin Patch", custom: true },
    { name: "tool", namespace: "mcp__x", input: '{"bad":' },
  ],
  usage: { input: 10, output: 20, cacheRead: 30, reasoning: 5 },
};

describe("OpenAI Responses", () => {
  it("takes what agents of a team tell each other", async () => {
    const content = [{ type: "input_text", text: "done" }];
    const told = { type: "agent_message", author: "/main/helper", recipient: "/main", content };
    expect((await ask(request([said("hi"), told]))).status).toBe(200);
    expect(loopback.requests[0]?.request.messages.at(-1)).toEqual({
      role: "user",
      blocks: [{ type: "text", text: "done" }],
    });
  });

  it("streams reasoning, text and parallel calls in the vendor's events", async () => {
    replies = [REPLY];
    const { text } = await ask(request("hi", { stream: true }));
    const events = jsonEvents<Event>(text);
    expect(sse(text).map(({ event }) => event)).toEqual(events.map(({ type }) => type));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.in_progress"]);
    const deltas = (type: string) =>
      events.filter((event) => event.type === `response.${type}.delta`).map(({ delta }) => delta);
    expect(deltas("output_text").length).toBeGreaterThan(3);
    expect(deltas("output_text").join("")).toBe(LONG);
    expect(deltas("reasoning_summary_text").join("")).toBe(LONG);
    expect(deltas("function_call_arguments").join("")).toBe('{"cmd":"ls"}{"bad":');
    expect(deltas("custom_tool_call_input").join("")).toBe("*** Begin Patch");
    const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
    const last = events.at(-1);
    expect(last?.type).toBe("response.completed");
    expect(last?.response.output).toEqual(done);
    expect(done).toMatchObject([
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: LONG }],
        encrypted_content: expect.any(String),
      },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: LONG }] },
      { type: "function_call", call_id: "call_given", name: "exec_command", arguments: '{"cmd":"ls"}' },
      { type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch" },
      { type: "function_call", namespace: "mcp__x", arguments: '{"bad":' },
    ]);
    expect(last?.response).toMatchObject({
      status: "completed",
      usage: {
        input_tokens: 40,
        input_tokens_details: { cached_tokens: 30 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 60,
      },
    });
  });

  it("opens every item before it fills and closes it", async () => {
    replies = [{ ...REPLY, image: { mimeType: "image/png", data: PNG } }];
    const events = jsonEvents<Event>((await ask(request("hi", { stream: true }))).text);
    const places = events.flatMap((event) => (event.output_index === undefined ? [] : [event.output_index]));
    expect(places).toEqual([...places].sort());
    for (const { item } of events.filter(({ type }) => type === "response.output_item.done")) {
      const own = events.filter((event) => event.item?.id === item.id || event.item_id === item.id);
      expect(own[0]?.type).toBe("response.output_item.added");
      expect(own.at(-1)?.type).toBe("response.output_item.done");
    }
    expect(events.at(-1)?.response.output[2]).toMatchObject({ type: "image_generation_call", result: PNG });
  });

  it("says the same without streaming, and names why an answer is incomplete", async () => {
    replies = [REPLY, { text: "cut", stopReason: "length" }];
    const { json } = await ask(request("hi"));
    expect(json).toMatchObject({ object: "response", status: "completed" });
    expect(json.output.map(({ type }) => type)).toEqual([
      "reasoning",
      "message",
      "function_call",
      "custom_tool_call",
      "function_call",
    ]);
    expect((await ask(request("hi"))).json).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
  });

  it("reads every kind of item into the shared terms", async () => {
    replies = [{ thinking: "deep" }];
    const [reasoning] = (await ask(request("hi"))).json.output;
    const url = `data:image/png;base64,${PNG}`;
    const answer = await ask(
      request(
        [
          message("developer", { type: "input_text", text: "rules" }),
          message("user", { type: "input_text", text: "look" }, { type: "input_image", image_url: url }),
          reasoning,
          message("assistant", { type: "output_text", text: "calling" }),
          { type: "function_call", call_id: "a", name: "exec_command", arguments: '{"cmd":"ls"}' },
          { type: "custom_tool_call", call_id: "b", name: "apply_patch", input: "patch" },
          {
            type: "local_shell_call",
            call_id: "c",
            status: "completed",
            action: { type: "exec", command: ["ls"] },
          },
          { type: "function_call_output", call_id: "a", output: "out" },
          {
            type: "custom_tool_call_output",
            call_id: "b",
            output: [{ type: "input_image", image_url: url }],
          },
          { type: "function_call_output", call_id: "c", output: "" },
          { type: "web_search_call", status: "completed" },
          { role: "user", content: "short form" },
        ],
        { instructions: "sys", tools: [{ type: "function", name: "exec_command" }, { type: "web_search" }] },
      ),
    );
    expect(answer.status).toBe(200);
    const exchange = loopback.requests[1];
    expect(exchange?.request).toMatchObject({ system: ["sys"], tools: ["exec_command", "web_search"] });
    const image = { type: "image", mimeType: "image/png", data: PNG };
    expect(exchange && facts(exchange.request)).toEqual([
      { role: "system", block: { type: "text", text: "rules" } },
      { role: "user", block: { type: "text", text: "look" } },
      { role: "user", block: image },
      {
        role: "assistant",
        block: { type: "thinking", text: "deep", signature: reasoning?.encrypted_content },
      },
      { role: "assistant", block: { type: "text", text: "calling" } },
      { role: "assistant", block: { type: "tool_use", id: "a", name: "exec_command", input: { cmd: "ls" } } },
      { role: "assistant", block: { type: "tool_use", id: "b", name: "apply_patch", input: "patch" } },
      {
        role: "assistant",
        block: { type: "tool_use", id: "c", name: "local_shell", input: { type: "exec", command: ["ls"] } },
      },
      { role: "user", block: { type: "tool_result", callId: "a", blocks: [{ type: "text", text: "out" }] } },
      { role: "user", block: { type: "tool_result", callId: "b", blocks: [image] } },
      { role: "user", block: { type: "tool_result", callId: "c", blocks: [{ type: "text", text: "" }] } },
      { role: "assistant", block: { type: "other", kind: "web_search_call", raw: expect.anything() } },
      { role: "user", block: { type: "text", text: "short form" } },
    ]);
  });

  it("accepts its own encrypted reasoning for the same model only", async () => {
    replies = [
      {
        blocks: [
          { type: "thinking", text: "deep", hidden: true },
          { type: "text", text: "x" },
        ],
      },
    ];
    const { output } = (await ask(request("hi"))).json;
    expect(output[0]?.summary).toEqual([]);
    const input = [said("hi"), ...output, said("more")];
    expect((await ask(request(input))).status).toBe(200);
    const other = await ask(request(input, { model: "gpt-5" }));
    expect(other.status).toBe(400);
    expect(other.json.error).toMatchObject({
      type: "invalid_request_error",
      code: "invalid_encrypted_content",
      message: expect.stringMatching(/could not be verified/),
    });
    const twin = await startLoopback({ secret: "one" });
    expect((await post(twin, PATH, request(input), OPENAI_KEYS)).status).toBe(200);
    await twin.close();
  });

  it("lists models and counts", async () => {
    const models = await (await fetch(`${loopback.url}/v1/models`)).json();
    expect(models).toMatchObject({
      object: "list",
      data: expect.arrayContaining([expect.objectContaining({ id: MODEL })]),
    });
    expect((await fetch(`${loopback.url}/v1/models`, { method: "HEAD" })).status).toBe(200);
    const count = await post(loopback, `${PATH}/input_tokens`, request("hi"), OPENAI_KEYS);
    expect(count.json).toMatchObject({ input_tokens: expect.any(Number) });
  });
});
