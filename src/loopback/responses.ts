// OpenAI Responses: `POST /v1/responses`, `GET /v1/models`.
import { type JsonObject, object, objects, parsed, text } from "./json.ts";
import { imageBytes, openaiFailure, openaiModels } from "./openai.ts";
import { type Answer, argumentsOf, type Failure, newId, pieces, type ReplyBlock } from "./reply.ts";
import type { Block, Message, ModelRequest, Role } from "./request.ts";
import { checkResponses } from "./responses-check.ts";
import type { Rendering, Route, Wire, WireEvent } from "./wire.ts";

export const responses: Wire = {
  api: "responses",
  route,
  parse,
  check: checkResponses,
  events,
  message: (answer, rendering) => finalResponse(answer, outputOf(answer, rendering), rendering),
  failureEvent,
  failure: openaiFailure,
  count: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  models: openaiModels,
};

function route(method: string, url: URL): Route | undefined {
  if (method === "POST" && url.pathname === "/v1/responses") return { kind: "generate" };
  if (method === "POST" && url.pathname === "/v1/responses/input_tokens") return { kind: "count" };
  const models = url.pathname === "/v1/models" && (method === "GET" || method === "HEAD");
  return models ? { kind: "models" } : undefined;
}

// Reading

function parse(body: JsonObject): ModelRequest {
  const input =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : objects(body.input);
  return {
    api: "responses",
    model: text(body.model),
    stream: body.stream === true,
    system: typeof body.instructions === "string" ? [body.instructions] : [],
    messages: input.map(parseItem),
    tools: objects(body.tools).map((tool) => text(tool.name) || text(tool.type)),
  };
}

function parseItem(item: JsonObject): Message {
  switch (item.type ?? "message") {
    case "message":
      return { role: roleOf(item.role), blocks: parseContent(item.content) };
    // What one agent of a Codex team tells another (0.166.0, multi_agent_v2).
    case "agent_message":
      return { role: "user", blocks: parseContent(item.content) };
    case "reasoning":
      return { role: "assistant", blocks: [parseReasoning(item)] };
    case "function_call":
      return { role: "assistant", blocks: [parseCall(item, parsed(item.arguments))] };
    case "custom_tool_call":
      return { role: "assistant", blocks: [parseCall(item, item.input)] };
    case "local_shell_call":
      return { role: "assistant", blocks: [parseCall({ ...item, name: "local_shell" }, item.action)] };
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      return { role: "user", blocks: [parseOutput(item)] };
    case "image_generation_call":
      return {
        role: "assistant",
        blocks: [{ type: "image", mimeType: "image/png", data: text(item.result) }],
      };
    default: {
      const role = text(item.type).endsWith("_call") ? "assistant" : "system";
      return { role, blocks: [{ type: "other", kind: text(item.type), raw: item }] };
    }
  }
}

function roleOf(role: unknown): Role {
  if (role === "assistant") return "assistant";
  return role === "developer" || role === "system" ? "system" : "user";
}

function parseContent(content: unknown): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return objects(content).map(parsePart);
}

function parsePart(part: JsonObject): Block {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: text(part.text) };
    case "refusal":
      return { type: "text", text: text(part.refusal) };
    case "input_image":
      return { type: "image", ...imageBytes(part.image_url) };
    case "input_file": {
      const bytes = part.file_data === undefined ? { url: text(part.file_url) } : imageBytes(part.file_data);
      const name = typeof part.filename === "string" ? { name: part.filename } : {};
      return { type: "document", ...bytes, ...name };
    }
    default:
      return { type: "other", kind: text(part.type), raw: part };
  }
}

function parseReasoning(item: JsonObject): Block {
  const parts = [...objects(item.summary), ...objects(item.content)].map((part) => text(part.text));
  const words = parts.join("\n\n");
  return {
    type: "thinking",
    text: words,
    ...(typeof item.encrypted_content === "string" ? { signature: item.encrypted_content } : {}),
    ...(words === "" ? { hidden: true } : {}),
  };
}

function parseCall(item: JsonObject, input: unknown): Block {
  const namespace = typeof item.namespace === "string" ? { namespace: item.namespace } : {};
  return { type: "tool_use", id: text(item.call_id), name: text(item.name), input, ...namespace };
}

function parseOutput(item: JsonObject): Block {
  return { type: "tool_result", callId: text(item.call_id), blocks: parseContent(item.output) };
}

// Rendering

function events(answer: Answer, rendering: Rendering): WireEvent[] {
  const output = outputOf(answer, rendering);
  const final = finalResponse(answer, output, rendering);
  const begun = { ...final, status: "in_progress", output: [], usage: null, incomplete_details: null };
  const list = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...output.flatMap(itemEvents),
    { type: `response.${text(final.status)}`, response: final },
  ];
  return list.map((data, index) => ({ event: data.type, data: { ...data, sequence_number: index } }));
}

function finalResponse(answer: Answer, output: JsonObject[], { request }: Rendering): JsonObject {
  const reason = { length: "max_output_tokens", refusal: "content_filter", end: null, tool: null }[
    answer.stop
  ];
  return {
    id: newId("resp_"),
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status: reason === null ? "completed" : "incomplete",
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: request.system[0] ?? null,
    model: request.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    tool_choice: "auto",
    tools: [],
    usage: usageOf(answer),
    metadata: {},
  };
}

/** Here, unlike in the universal session, the input includes what came from a cache. */
function usageOf({ usage }: Answer): JsonObject {
  const input = usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + usage.output,
  };
}

function outputOf(answer: Answer, rendering: Rendering): JsonObject[] {
  return answer.blocks.map((block) => wholeItem(block, rendering));
}

function wholeItem(block: ReplyBlock, { request, signer }: Rendering): JsonObject {
  switch (block.type) {
    case "text": {
      const part = { type: "output_text", text: block.text, annotations: [], logprobs: [] };
      return { type: "message", id: newId("msg_"), status: "completed", role: "assistant", content: [part] };
    }
    case "thinking": {
      const summary = block.hidden ? [] : [{ type: "summary_text", text: block.text }];
      const sealed = signer.seal(request.model, block.text);
      return { type: "reasoning", id: newId("rs_"), summary, encrypted_content: sealed };
    }
    case "call": {
      const shared = { status: "completed", call_id: block.id ?? newId("call_"), name: block.name };
      const namespace = block.namespace === undefined ? {} : { namespace: block.namespace };
      const content = argumentsOf(block);
      return block.custom
        ? { type: "custom_tool_call", id: newId("ctc_"), ...shared, ...namespace, input: content }
        : { type: "function_call", id: newId("fc_"), ...shared, ...namespace, arguments: content };
    }
    case "image":
      return { type: "image_generation_call", id: newId("ig_"), status: "completed", result: block.data };
  }
}

interface ItemEvent extends JsonObject {
  type: string;
}

function itemEvents(item: JsonObject, index: number): ItemEvent[] {
  const place = { item_id: item.id, output_index: index };
  const { empty, between } = streamed(item);
  const begun = { ...item, ...empty, ...(item.status === undefined ? {} : { status: "in_progress" }) };
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    ...between.map((event) => ({ ...event, ...place })),
    { type: "response.output_item.done", output_index: index, item },
  ];
}

/** The fields an item starts without, and the events that fill them. */
function streamed(item: JsonObject): { empty: JsonObject; between: ItemEvent[] } {
  switch (item.type) {
    case "message":
      return { empty: { content: [] }, between: objects(item.content).flatMap(textEvents) };
    case "reasoning":
      return { empty: { summary: [] }, between: objects(item.summary).flatMap(summaryEvents) };
    case "function_call":
      return { empty: { arguments: "" }, between: inputEvents("function_call_arguments", "arguments", item) };
    case "custom_tool_call":
      return { empty: { input: "" }, between: inputEvents("custom_tool_call_input", "input", item) };
    default: {
      const states = ["in_progress", "generating", "completed"];
      const between = states.map((state) => ({ type: `response.image_generation_call.${state}` }));
      return { empty: { result: null }, between };
    }
  }
}

function textEvents(part: JsonObject): ItemEvent[] {
  const at = { content_index: 0 };
  const words = text(part.text);
  return [
    { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
    ...pieces(words).map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
    { type: "response.output_text.done", ...at, text: words, logprobs: [] },
    { type: "response.content_part.done", ...at, part },
  ];
}

function summaryEvents(part: JsonObject): ItemEvent[] {
  const at = { summary_index: 0 };
  const words = text(part.text);
  return [
    { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
    ...pieces(words).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
    { type: "response.reasoning_summary_text.done", ...at, text: words },
    { type: "response.reasoning_summary_part.done", ...at, part },
  ];
}

function inputEvents(kind: string, field: string, item: JsonObject): ItemEvent[] {
  const content = text(item[field]);
  return [
    ...pieces(content).map((delta) => ({ type: `response.${kind}.delta`, delta })),
    { type: `response.${kind}.done`, [field]: content },
  ];
}

// Failing

function failureEvent(failure: Failure, rendering: Rendering): WireEvent {
  const { code, message, type } = object(openaiFailure(failure).error);
  const none: Answer = { blocks: [], usage: { input: 0, output: 0 }, stop: "end" };
  const response = { ...finalResponse(none, [], rendering), status: "failed", usage: null };
  const data = {
    type: "response.failed",
    sequence_number: failure.after ?? 0,
    response: { ...response, error: { code: code ?? type, message } },
  };
  return { event: data.type, data };
}
