import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { OPENAI_KEYS, PNG, post } from "./client.ts";

const PATH = "/v1/responses";

let loopback: Loopback;
beforeEach(async () => {
  loopback = await startLoopback();
});
afterEach(() => loopback.close());

const message = (role: string, ...content: unknown[]) => ({ type: "message", role, content });
const call = (id: unknown, more = {}) => ({
  type: "function_call",
  call_id: id,
  name: "exec_command",
  arguments: "{}",
  ...more,
});
const output = (id: unknown, value: unknown = "done") => ({
  type: "function_call_output",
  call_id: id,
  output: value,
});
const request = (...input: unknown[]) => ({ model: "gpt-5.5", input });
const image = (url: string) => message("user", { type: "input_image", image_url: url });

describe("OpenAI Responses", () => {
  const refused: [string, string, unknown, string | null, RegExp][] = [
    ["no model", "field_missing", { input: "x" }, "missing_required_parameter", /'model'/],
    ["no input", "field_missing", { model: "m" }, "missing_required_parameter", /'input'/],
    [
      "a response it does not know",
      "field_invalid",
      { ...request(), previous_response_id: "resp_1" },
      "previous_response_not_found",
      /resp_1/,
    ],
    ["an unknown item", "block_unknown", request({ type: "zebra" }), "invalid_value", /zebra/],
    ["an unknown role", "field_invalid", request(message("robot")), "invalid_value", /robot/],
    [
      "a user's output_text",
      "block_misplaced",
      request(message("user", { type: "output_text", text: "x" })),
      "invalid_value",
      /'output_text'/,
    ],
    [
      "an assistant's input_text",
      "block_misplaced",
      request(message("assistant", { type: "input_text", text: "x" })),
      "invalid_value",
      /'output_text', 'refusal'/,
    ],
    [
      "an unanswered call",
      "call_unanswered",
      request(call("a")),
      null,
      /No tool output found for function call a/,
    ],
    ["an orphaned output", "result_orphaned", request(output("a")), null, /No tool call found .* a/],
    [
      "an output before its call",
      "result_misplaced",
      request(output("a"), call("a")),
      null,
      /No tool call found/,
    ],
    ["a call id twice", "id_duplicate", request(call("a"), call("a"), output("a")), null, /Duplicate/],
    [
      "two outputs of a call",
      "result_duplicate",
      request(call("a"), output("a"), output("a")),
      null,
      /Duplicate/,
    ],
    [
      "a call id of 65",
      "id_pattern",
      request(call("c".repeat(65)), output("c".repeat(65))),
      "string_above_max_length",
      /maximum length 64, but got a string with length 65/,
    ],
    [
      "a call without an id",
      "field_missing",
      request(call(undefined)),
      "missing_required_parameter",
      /call_id/,
    ],
    [
      "an item id of another kind",
      "id_pattern",
      request(call("a", { id: "call_1" }), output("a")),
      "invalid_value",
      /begins with 'fc'/,
    ],
    [
      "an item twice",
      "id_duplicate",
      request(call("a", { id: "fc_1" }), output("a"), call("b", { id: "fc_1" }), output("b")),
      null,
      /Duplicate item found with id fc_1/,
    ],
    [
      "a name with a dot",
      "name_pattern",
      request(call("a", { name: "x.y" }), output("a")),
      "invalid_value",
      /does not match pattern/,
    ],
    [
      "a name of 129",
      "name_pattern",
      request(call("a", { name: "n".repeat(129) }), output("a")),
      "string_above_max_length",
      /maximum length 128/,
    ],
    [
      "a declared name with a space",
      "name_pattern",
      { ...request(), tools: [{ type: "function", name: "a b" }] },
      "invalid_value",
      /tools\[0\]\.name/,
    ],
    [
      "arguments as an object",
      "field_invalid",
      request(call("a", { arguments: {} }), output("a")),
      "invalid_type",
      /arguments/,
    ],
    [
      "an output as an object",
      "field_invalid",
      request(call("a"), output("a", {})),
      "invalid_type",
      /output/,
    ],
    [
      "foreign reasoning",
      "signature_foreign",
      request({ type: "reasoning", summary: [], encrypted_content: "gAAAAABsecret" }),
      "invalid_encrypted_content",
      /gAAA\.\.\.cret could not be verified/,
    ],
    [
      "an image of nothing",
      "media_invalid",
      request(image("data:image/png;base64,AAAA")),
      "invalid_image",
      /valid image/,
    ],
    [
      "an image without a URL",
      "field_missing",
      request(image("")),
      "missing_required_parameter",
      /image_url/,
    ],
    ["no JSON", "body_invalid", "{", null, /not valid JSON/],
  ];
  it.each(refused)("refuses %s", async (_name, rule, body, code, words) => {
    const answer = await post(loopback, PATH, body, OPENAI_KEYS);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      error: {
        type: "invalid_request_error",
        code,
        param: expect.any(String),
        message: expect.stringMatching(words),
      },
    });
    expect(loopback.requests[0]?.violations[0]?.rule).toBe(rule);
  });

  it("cannot find reasoning that was never stored", async () => {
    const body = request({ type: "reasoning", id: "rs_1", summary: [] });
    const answer = await post(loopback, PATH, body, OPENAI_KEYS);
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({ error: { message: expect.stringMatching(/'rs_1' not found/) } });
  });

  it("answers a missing key with 401", async () => {
    const answer = await post(loopback, PATH, request(), {});
    expect(answer.status).toBe(401);
    expect(answer.json).toMatchObject({ error: { code: "invalid_api_key" } });
  });

  it("takes a real image and ids of exactly 64", async () => {
    const id = "c".repeat(64);
    const body = request(image(`data:image/png;base64,${PNG}`), call(id), output(id));
    expect((await post(loopback, PATH, body, OPENAI_KEYS)).status).toBe(200);
  });
});
