// Anthropic Messages: `POST /v1/messages`, `/v1/messages/count_tokens`, `GET /v1/models`.
import { checkAnthropic } from "./anthropic-check.ts";
import { type JsonObject, object, objects, parsed, text } from "./json.ts";
import { type Answer, argumentsOf, type Failure, newId, pieces, type ReplyBlock } from "./reply.ts";
import type { Block, Bytes, Message, ModelRequest, Role } from "./request.ts";
import type { Rendering, Route, Wire, WireEvent } from "./wire.ts";

export const anthropic: Wire = {
  api: "anthropic",
  route,
  parse,
  check: checkAnthropic,
  events,
  message,
  failureEvent: (failure) => ({ event: "error", data: failureBody(failure) }),
  failure: (failure, violation) =>
    failureBody({ ...failure, message: violation?.message ?? failure.message }),
  count: (tokens) => ({ input_tokens: tokens }),
  models: (names) => ({
    data: names.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" })),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  }),
};

function route(method: string, url: URL, headers: NodeJS.Dict<string | string[]>): Route | undefined {
  if (method === "POST" && url.pathname === "/v1/messages") return { kind: "generate" };
  if (method === "POST" && url.pathname === "/v1/messages/count_tokens") return { kind: "count" };
  const asksForModels = url.pathname === "/v1/models" && "anthropic-version" in headers;
  return asksForModels && (method === "GET" || method === "HEAD") ? { kind: "models" } : undefined;
}

// Reading

function parse(body: JsonObject): ModelRequest {
  return {
    api: "anthropic",
    model: text(body.model),
    stream: body.stream === true,
    system:
      typeof body.system === "string" ? [body.system] : objects(body.system).map((block) => text(block.text)),
    messages: objects(body.messages).map(parseMessage),
    tools: objects(body.tools).map((tool) => text(tool.name)),
  };
}

function parseMessage(message: JsonObject): Message {
  return { role: roleOf(message.role), blocks: parseContent(message.content) };
}

function roleOf(role: unknown): Role {
  if (role === "assistant") return "assistant";
  return role === "system" ? "system" : "user";
}

function parseContent(content: unknown): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return objects(content).map(parseBlock);
}

function parseBlock(block: JsonObject): Block {
  switch (block.type) {
    case "text":
      return { type: "text", text: text(block.text) };
    case "thinking":
      return { type: "thinking", text: text(block.thinking), signature: text(block.signature) };
    case "redacted_thinking":
      return { type: "thinking", text: "", signature: text(block.data), hidden: true };
    case "tool_use":
      return { type: "tool_use", id: text(block.id), name: text(block.name), input: block.input };
    case "tool_result":
      return {
        type: "tool_result",
        callId: text(block.tool_use_id),
        blocks: parseContent(block.content),
        ...(block.is_error === true ? { error: true } : {}),
      };
    case "image":
      return { type: "image", ...parseSource(object(block.source)) };
    case "document":
      return parseDocument(block);
    default:
      return { type: "other", kind: text(block.type), raw: block };
  }
}

function parseDocument(block: JsonObject): Block {
  const source = object(block.source);
  const name = typeof block.title === "string" ? { name: block.title } : {};
  if (source.type === "text")
    return { type: "document", mimeType: "text/plain", text: text(source.data), ...name };
  return { type: "document", ...parseSource(source), ...name };
}

function parseSource(source: JsonObject): Bytes {
  if (source.type === "url") return { url: text(source.url) };
  return { mimeType: text(source.media_type), data: text(source.data) };
}

// Rendering

function events(answer: Answer, rendering: Rendering): WireEvent[] {
  const list: JsonObject[] = [
    { type: "message_start", message: { ...envelope(rendering), content: [], usage: usageOf(answer, 1) } },
    ...answer.blocks.flatMap((block, index) => blockEvents(block, index, rendering)),
    {
      type: "message_delta",
      delta: { stop_reason: STOP_REASONS[answer.stop], stop_sequence: null },
      usage: usageOf(answer, answer.usage.output),
    },
    { type: "message_stop" },
  ];
  list.splice(2, 0, { type: "ping" });
  return list.map((data) => ({ event: text(data.type), data }));
}

function message(answer: Answer, rendering: Rendering): unknown {
  return {
    ...envelope(rendering),
    content: answer.blocks.map((block) => wholeBlock(block, rendering)),
    stop_reason: STOP_REASONS[answer.stop],
    usage: usageOf(answer, answer.usage.output),
  };
}

const STOP_REASONS = { end: "end_turn", tool: "tool_use", length: "max_tokens", refusal: "refusal" } as const;

function envelope({ request }: Rendering): JsonObject {
  const id = newId("msg_01");
  return {
    id,
    type: "message",
    role: "assistant",
    model: request.model,
    stop_reason: null,
    stop_sequence: null,
  };
}

function usageOf({ usage }: Answer, output: number): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    output_tokens: output,
    service_tier: "standard",
  };
}

function wholeBlock(block: ReplyBlock, { request, signer }: Rendering): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return block.hidden
        ? { type: "redacted_thinking", data: signer.seal(request.model, block.text) }
        : { type: "thinking", thinking: block.text, signature: signer.sign(request.model, block.text) };
    case "call":
      return {
        type: "tool_use",
        id: block.id ?? newId("toolu_01"),
        name: block.name,
        input: parsed(argumentsOf(block)),
      };
    case "image":
      throw new Error("the models of this API do not answer with images");
  }
}

function blockEvents(block: ReplyBlock, index: number, rendering: Rendering): JsonObject[] {
  const whole = wholeBlock(block, rendering);
  const { empty, deltas } = streamed(block, whole);
  return [
    { type: "content_block_start", index, content_block: { ...whole, ...empty } },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** The fields a block starts without, and the deltas that fill them. */
function streamed(block: ReplyBlock, whole: JsonObject): { empty: JsonObject; deltas: JsonObject[] } {
  switch (whole.type) {
    case "text":
      return {
        empty: { text: "" },
        deltas: pieces(text(whole.text)).map((piece) => ({ type: "text_delta", text: piece })),
      };
    case "thinking": {
      const deltas = pieces(text(whole.thinking)).map((piece) => ({
        type: "thinking_delta",
        thinking: piece,
      }));
      const signature = { type: "signature_delta", signature: whole.signature };
      return { empty: { thinking: "", signature: "" }, deltas: [...deltas, signature] };
    }
    case "tool_use": {
      const json = block.type === "call" ? argumentsOf(block) : "";
      const deltas = ["", ...pieces(json)].map((piece) => ({
        type: "input_json_delta",
        partial_json: piece,
      }));
      return { empty: { input: {} }, deltas };
    }
    default:
      return { empty: {}, deltas: [] };
  }
}

// Failing

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

function failureBody({ status, type, message: words }: Failure): JsonObject {
  const name = type ?? ERROR_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return { type: "error", error: { type: name, message: words ?? name }, request_id: newId("req_01") };
}
