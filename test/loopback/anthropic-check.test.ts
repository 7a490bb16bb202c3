import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { PNG, post } from "./client.ts";

const PATH = "/v1/messages";
const MODEL = "claude-opus-4-8";

let loopback: Loopback;
beforeEach(async () => {
  loopback = await startLoopback();
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

describe("Anthropic Messages", () => {
  const image = (data: string, type = "image/png") => ({
    type: "image",
    source: { type: "base64", media_type: type, data },
  });
  const marked = { type: "text", text: "x", cache_control: { type: "ephemeral" } };
  const refused: [string, string, unknown, RegExp][] = [
    ["no model", "field_missing", { max_tokens: 1, messages: [user("x")] }, /^model: Field required$/],
    [
      "no max_tokens",
      "field_missing",
      { model: MODEL, messages: [user("x")] },
      /^max_tokens: Field required$/,
    ],
    ["max_tokens 0", "field_invalid", request([user("x")], { max_tokens: 0 }), /max_tokens/],
    ["no messages", "field_missing", { model: MODEL, max_tokens: 1 }, /^messages: Field required$/],
    ["an empty list", "message_empty", request([]), /at least one message/],
    [
      "an unknown role",
      "field_invalid",
      request([user("x"), { role: "tool", content: "x" }]),
      /messages\.1\.role/,
    ],
    [
      "an assistant first",
      "role_order",
      request([assistant({ type: "text", text: "x" }), user("x")]),
      /"user" role/,
    ],
    [
      "an assistant last",
      "role_order",
      request([user("x"), assistant({ type: "text", text: "x" })]),
      /prefill/,
    ],
    ["empty content", "message_empty", request([user("x"), assistant(), user("x")]), /non-empty content/],
    ["an empty text", "text_empty", request([user([{ type: "text", text: "" }])]), /must be non-empty/],
    ["a blank text", "text_empty", request([user([{ type: "text", text: " \n" }])]), /non-whitespace/],
    ["an unknown block", "block_unknown", request([user([{ type: "zebra" }])]), /Input tag 'zebra'/],
    ["a call by the user", "block_misplaced", request([user([call("a")])]), /not permitted/],
    [
      "an unanswered call",
      "call_unanswered",
      request([user("x"), assistant(call("a")), user("x")]),
      /without `tool_result`.*: a\./,
    ],
    [
      "an answer too late",
      "call_unanswered",
      request([
        user("x"),
        assistant(call("a")),
        user("x"),
        assistant({ type: "text", text: "y" }),
        user([result("a")]),
      ]),
      /immediately after/,
    ],
    [
      "a text before the result",
      "result_misplaced",
      request([user("x"), assistant(call("a")), user([{ type: "text", text: "y" }, result("a")])]),
      /immediately after/,
    ],
    [
      "an orphaned result",
      "result_orphaned",
      request([user([result("a")])]),
      /unexpected `tool_use_id`.*: a\./,
    ],
    [
      "two results of a call",
      "result_duplicate",
      request([user("x"), assistant(call("a")), user([result("a"), result("a")])]),
      /single result/,
    ],
    [
      "the same id twice",
      "id_duplicate",
      request([user("x"), assistant(call("a"), call("a")), user([result("a")])]),
      /ids must be unique/,
    ],
    [
      "an id with a dot",
      "id_pattern",
      request([user("x"), assistant(call("a.b")), user([result("a.b")])]),
      /tool_use\.id: .*pattern/,
    ],
    [
      "an empty id",
      "id_pattern",
      request([user("x"), assistant(call("")), user([result("")])]),
      /tool_use\.id/,
    ],
    [
      "a name with a dot",
      "name_pattern",
      request([user("x"), assistant(call("a", "x.y")), user([result("a")])]),
      /tool_use\.name/,
    ],
    [
      "a name of 201",
      "name_pattern",
      request([user("x"), assistant(call("a", "n".repeat(201))), user([result("a")])]),
      /tool_use\.name/,
    ],
    [
      "a declared name of 129",
      "name_pattern",
      request([user("x")], { tools: [{ name: "n".repeat(129) }] }),
      /tools\.0\.custom\.name/,
    ],
    [
      "a tool declared twice",
      "tool_duplicate",
      request([user("x")], { tools: [{ name: "a" }, { name: "a" }] }),
      /unique/,
    ],
    [
      "arguments in a string",
      "field_invalid",
      request([user("x"), assistant(call("a", "b", "{}")), user([result("a")])]),
      /valid dictionary/,
    ],
    [
      "an image in a failed result",
      "block_misplaced",
      request([user("x"), assistant(call("a")), user([result("a", [image(PNG)], { is_error: true })])]),
      /is_error/,
    ],
    [
      "thinking without a signature",
      "signature_missing",
      request([
        user("x"),
        assistant({ type: "thinking", thinking: "x" }, { type: "text", text: "y" }),
        user("x"),
      ]),
      /signature: Field required/,
    ],
    [
      "redacted thinking of another",
      "signature_foreign",
      request([
        user("x"),
        assistant({ type: "redacted_thinking", data: "AAAA" }, { type: "text", text: "y" }),
        user("x"),
      ]),
      /redacted_thinking/,
    ],
    [
      "an image of a wrong type",
      "media_invalid",
      request([user([image(PNG, "image/jpeg")])]),
      /appears to be image\/png/,
    ],
    ["an image of an odd type", "media_invalid", request([user([image(PNG, "image/bmp")])]), /media_type/],
    ["an image without bytes", "media_invalid", request([user([image("")])]), /base64/],
    [
      "an image above 5 MB",
      "limit_exceeded",
      request([
        user([
          image(
            Buffer.concat([Buffer.from(PNG, "base64"), Buffer.alloc(5 * 1024 * 1024)]).toString("base64"),
          ),
        ]),
      ]),
      /5 MB/,
    ],
    [
      "five cache marks",
      "limit_exceeded",
      request([user([marked, marked, marked, marked, marked])]),
      /maximum of 4/,
    ],
    ["no JSON", "body_invalid", '{"model":', /not valid JSON/],
    ["a list", "body_invalid", "[]", /not valid JSON/],
  ];
  it.each(refused)("refuses %s", async (_name, rule, body, message) => {
    const answer = await post(loopback, PATH, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringMatching(message) },
    });
    expect(loopback.requests[0]).toMatchObject({ outcome: "refused", status: 400 });
    expect(loopback.requests[0]?.violations[0]?.rule).toBe(rule);
  });

  it("takes a system message that only sets the effort, and no other empty one", async () => {
    const silent = { role: "system", content: [] };
    const effort = { ...silent, output_config: { effort: "medium" } };
    expect((await post(loopback, PATH, request([user("x"), effort]))).status).toBe(200);
    expect((await post(loopback, PATH, request([user("x"), silent]))).status).toBe(400);
  });
});
