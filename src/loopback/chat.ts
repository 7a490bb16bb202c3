// OpenAI Chat Completions: `POST /v1/chat/completions`. Thinking is rendered as `reasoning_content`, which the
// vendor's own models never send but the servers that are compatible with this API do.
import { checkChat } from "./chat-check.ts";
import { type JsonObject, object, objects, parsed, text } from "./json.ts";
import { imageBytes, openaiFailure, openaiModels } from "./openai.ts";
import { type Answer, argumentsOf, type Call, newId, pieces, type ReplyBlock } from "./reply.ts";
import type { Block, Message, ModelRequest, Role } from "./request.ts";
import type { Rendering, Route, Wire, WireEvent } from "./wire.ts";

export const chat: Wire = {
  api: "chat",
  route,
  parse,
  check: checkChat,
  events,
  message,
  failureEvent: (failure) => ({ data: openaiFailure(failure) }),
  failure: openaiFailure,
  count: (tokens) => ({ input_tokens: tokens }),
  models: openaiModels,
};

function route(method: string, url: URL): Route | undefined {
  return method === "POST" && url.pathname === "/v1/chat/completions" ? { kind: "generate" } : undefined;
}

// Reading

function parse(body: JsonObject): ModelRequest {
  return {
    api: "chat",
    model: text(body.model),
    stream: body.stream === true,
    system: [],
    messages: objects(body.messages).map(parseMessage),
    tools: objects(body.tools).map((tool) => text(object(tool.function ?? tool.custom).name)),
  };
}

function parseMessage(message: JsonObject): Message {
  if (message.role === "tool") {
    const result: Block = {
      type: "tool_result",
      callId: text(message.tool_call_id),
      blocks: parseContent(message.content),
    };
    return { role: "user", blocks: [result] };
  }
  const thinking = text(message.reasoning_content);
  return {
    role: roleOf(message.role),
    blocks: [
      ...(thinking === "" ? [] : [{ type: "thinking", text: thinking } as const]),
      ...parseContent(message.content),
      ...objects(message.tool_calls).map(parseCall),
    ],
  };
}

function roleOf(role: unknown): Role {
  if (role === "assistant") return "assistant";
  return role === "developer" || role === "system" ? "system" : "user";
}

function parseContent(content: unknown): Block[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return objects(content).map(parsePart);
}

function parsePart(part: JsonObject): Block {
  switch (part.type) {
    case "text":
      return { type: "text", text: text(part.text) };
    case "refusal":
      return { type: "text", text: text(part.refusal) };
    case "image_url":
      return { type: "image", ...imageBytes(object(part.image_url).url) };
    case "file": {
      const file = object(part.file);
      const name = typeof file.filename === "string" ? { name: file.filename } : {};
      return { type: "document", ...imageBytes(file.file_data), ...name };
    }
    default:
      return { type: "other", kind: text(part.type), raw: part };
  }
}

function parseCall(call: JsonObject): Block {
  const { name, arguments: json, input } = object(call.function ?? call.custom);
  const content = call.type === "custom" ? input : parsed(json);
  return { type: "tool_use", id: text(call.id), name: text(name), input: content };
}

// Rendering

function events(answer: Answer, rendering: Rendering): WireEvent[] {
  const envelope = envelopeOf("chat.completion.chunk", rendering);
  const chunk = (delta: JsonObject, finish: string | null = null): WireEvent => ({
    data: { ...envelope, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
  });
  const wanted = object(rendering.body.stream_options).include_usage === true;
  let calls = 0;
  const deltas = answer.blocks.flatMap((block) => deltasOf(block, block.type === "call" ? calls++ : 0));
  return [
    chunk({ role: "assistant", content: "", refusal: null }),
    ...deltas.map((delta) => chunk(delta)),
    chunk({}, FINISH_REASONS[answer.stop]),
    ...(wanted ? [{ data: { ...envelope, choices: [], usage: usageOf(answer) } }] : []),
    { data: "[DONE]" },
  ];
}

function message(answer: Answer, rendering: Rendering): unknown {
  const words = (type: "text" | "thinking") =>
    answer.blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join("");
  const calls = answer.blocks.flatMap((block) => (block.type === "call" ? [wholeCall(block)] : []));
  if (answer.blocks.some((block) => block.type === "image")) throw new Error(NO_IMAGES);
  const content = {
    role: "assistant",
    content: words("text") || null,
    refusal: null,
    ...(words("thinking") === "" ? {} : { reasoning_content: words("thinking") }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...envelopeOf("chat.completion", rendering),
    choices: [{ index: 0, message: content, logprobs: null, finish_reason: FINISH_REASONS[answer.stop] }],
    usage: usageOf(answer),
  };
}

const NO_IMAGES = "the models of this API do not answer with images";

const FINISH_REASONS = {
  end: "stop",
  tool: "tool_calls",
  length: "length",
  refusal: "content_filter",
} as const;

function envelopeOf(kind: string, { request }: Rendering): JsonObject {
  const created = Math.floor(Date.now() / 1000);
  return { id: newId("chatcmpl-"), object: kind, created, model: request.model, service_tier: "default" };
}

/** Here, unlike in the universal session, the input includes what came from a cache. */
function usageOf({ usage }: Answer): JsonObject {
  const input = usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
  return {
    prompt_tokens: input,
    completion_tokens: usage.output,
    total_tokens: input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  };
}

function deltasOf(block: ReplyBlock, callIndex: number): JsonObject[] {
  switch (block.type) {
    case "text":
      return pieces(block.text).map((content) => ({ content }));
    case "thinking":
      return block.hidden ? [] : pieces(block.text).map((piece) => ({ reasoning_content: piece }));
    case "call": {
      const field = block.custom ? "custom" : "function";
      const content = block.custom ? "input" : "arguments";
      const start = { ...wholeCall(block), [field]: { name: block.name, [content]: "" } };
      return [
        { tool_calls: [{ index: callIndex, ...start }] },
        ...pieces(argumentsOf(block)).map((piece) => ({
          tool_calls: [{ index: callIndex, [field]: { [content]: piece } }],
        })),
      ];
    }
    case "image":
      throw new Error(NO_IMAGES);
  }
}

function wholeCall(call: Call): JsonObject {
  const id = call.id ?? newId("call_");
  const content = argumentsOf(call);
  return call.custom
    ? { id, type: "custom", custom: { name: call.name, input: content } }
    : { id, type: "function", function: { name: call.name, arguments: content } };
}
