// Gemini: `POST /v1beta/models/{model}:streamGenerateContent`, `:generateContent`, `:countTokens`.
import { checkGemini } from "./gemini-check.ts";
import { type JsonObject, object, objects, parsed, text } from "./json.ts";
import { type Answer, argumentsOf, type Failure, newId, pieces, type ReplyBlock } from "./reply.ts";
import type { Block, Message, ModelRequest } from "./request.ts";
import type { Rendering, Route, Violation, Wire, WireEvent } from "./wire.ts";

export const gemini: Wire = {
  api: "gemini",
  newline: "\r\n",
  route,
  parse,
  check: checkGemini,
  events,
  message,
  failureEvent: (failure) => ({ data: failureBody(failure) }),
  failure: failureBody,
  count: (tokens) => ({
    totalTokens: tokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens }],
  }),
  models: (names) => ({
    models: names.map((name) => ({
      name: `models/${name}`,
      displayName: name,
      supportedGenerationMethods: ["generateContent", "countTokens"],
    })),
  }),
};

const PATH = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(streamGenerateContent|generateContent|countTokens)$/;

function route(method: string, url: URL): Route | undefined {
  if (method === "GET" && url.pathname === "/v1beta/models") return { kind: "models" };
  const match = PATH.exec(url.pathname);
  if (method !== "POST" || match === null) return undefined;
  const model = decodeURIComponent(match[1] ?? "");
  if (match[2] === "countTokens") return { kind: "count", model };
  const chunks = match[2] === "streamGenerateContent";
  const events = chunks && url.searchParams.get("alt") === "sse";
  return { kind: "generate", model, stream: events, ...(chunks && !events ? { list: true } : {}) };
}

// Reading

function parse(body: JsonObject, { model = "", stream = false }: Route): ModelRequest {
  const instruction = object(body.systemInstruction ?? body.system_instruction);
  const declared = objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations));
  return {
    api: "gemini",
    model,
    stream,
    system: objects(instruction.parts).map((part) => text(part.text)),
    messages: parseContents(objects(body.contents)),
    tools: declared.map((tool) => text(tool.name)),
  };
}

/** Calls without an id are paired with their results by order, as the vendor does. */
function parseContents(contents: JsonObject[]): Message[] {
  let made = 0;
  let waiting: string[] = [];
  return contents.map((content) => {
    const calls: string[] = [];
    const blocks: Block[] = [];
    for (const part of objects(content.parts)) {
      if (part.functionCall !== undefined) {
        const call = object(part.functionCall);
        const id = text(call.id) || `call-${made++}`;
        calls.push(id);
        blocks.push(parseCall(part, call, id));
      } else if (part.functionResponse !== undefined) {
        const response = object(part.functionResponse);
        const next = waiting.shift() ?? "";
        blocks.push(parseResponse(response, text(response.id) || next));
      } else addPart(parsePart(part), blocks);
    }
    if (calls.length > 0) waiting = calls;
    return { role: content.role === "model" ? "assistant" : "user", blocks };
  });
}

/** What a tool hands over besides words stands behind its response. */
function addPart(block: Block, blocks: Block[]): void {
  const last = blocks.at(-1);
  const isMedia = block.type === "image" || block.type === "document";
  if (isMedia && last?.type === "tool_result") last.blocks.push(block);
  else blocks.push(block);
}

function parseCall(part: JsonObject, call: JsonObject, id: string): Block {
  const signature = signatureOf(part);
  return { type: "tool_use", id, name: text(call.name), input: call.args ?? {}, ...signature };
}

/** The CLI puts a result under `output`, a failure under `error`; anything else is a result of its own shape. */
function parseResponse(response: JsonObject, callId: string): Block {
  const { output, error, ...rest } = object(response.response);
  const blocks: Block[] = [];
  if (typeof output === "string") blocks.push({ type: "text", text: output });
  if (typeof error === "string") blocks.push({ type: "text", text: error });
  const isMore = blocks.length > 0 && Object.keys(rest).length > 0;
  if (isMore) blocks.push({ type: "text", text: JSON.stringify(rest) });
  if (blocks.length === 0) blocks.push({ type: "text", text: JSON.stringify(output ?? error ?? rest) });
  blocks.push(...objects(response.parts).map(parsePart));
  return { type: "tool_result", callId, blocks, ...(error === undefined ? {} : { error: true }) };
}

function parsePart(part: JsonObject): Block {
  if (part.thought === true) return { type: "thinking", text: text(part.text), ...signatureOf(part) };
  if (typeof part.text === "string") {
    // A part that only carries a signature is the trace of thinking that was withheld.
    if (part.text === "" && part.thoughtSignature !== undefined) {
      return { type: "thinking", text: "", hidden: true, ...signatureOf(part) };
    }
    return { type: "text", text: part.text };
  }
  const inline = object(part.inlineData ?? part.inline_data);
  const file = object(part.fileData ?? part.file_data);
  const mimeType = text(inline.mimeType ?? inline.mime_type ?? file.mimeType);
  if (mimeType === "" && file.fileUri === undefined)
    return { type: "other", kind: Object.keys(part)[0] ?? "", raw: part };
  const bytes = inline.data === undefined ? { url: text(file.fileUri) } : { data: text(inline.data) };
  return { type: mimeType.startsWith("image/") ? "image" : "document", mimeType, ...bytes };
}

function signatureOf(part: JsonObject): { signature?: string } {
  return typeof part.thoughtSignature === "string" ? { signature: part.thoughtSignature } : {};
}

// Rendering

function events(answer: Answer, rendering: Rendering): WireEvent[] {
  const shared = { modelVersion: rendering.request.model, responseId: newId("") };
  const parts = partsOf(answer, rendering, true);
  const last = Math.max(0, parts.length - 1);
  return (parts.length === 0 ? [{ text: "" }] : parts).map((part, index) => ({
    data: {
      candidates: [candidateOf([part], index === last ? answer : undefined)],
      usageMetadata: usageOf(answer),
      ...shared,
    },
  }));
}

function message(answer: Answer, rendering: Rendering): unknown {
  return {
    candidates: [candidateOf(partsOf(answer, rendering, false), answer)],
    usageMetadata: usageOf(answer),
    modelVersion: rendering.request.model,
    responseId: newId(""),
  };
}

const FINISH_REASONS = { end: "STOP", tool: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" } as const;

function candidateOf(parts: JsonObject[], finished: Answer | undefined): JsonObject {
  const finish = finished === undefined ? {} : { finishReason: FINISH_REASONS[finished.stop] };
  return { content: { parts, role: "model" }, ...finish, index: 0 };
}

/** The prompt includes what came from a cache; thoughts are counted apart from the answer. */
function usageOf({ usage }: Answer): JsonObject {
  const prompt = usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
  const thoughts = usage.reasoning ?? 0;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output - thoughts,
    totalTokenCount: prompt + usage.output,
    ...(usage.cacheRead === undefined ? {} : { cachedContentTokenCount: usage.cacheRead }),
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
  };
}

/** A reply with calls is signed on the first of them; one with thinking only at its end. */
function partsOf({ blocks }: Answer, { request, signer }: Rendering, split: boolean): JsonObject[] {
  const parts = blocks.flatMap((block) => blockParts(block, split));
  const signature = { thoughtSignature: signer.seal(request.model, newId("")) };
  const call = parts.findIndex((part) => part.functionCall !== undefined);
  if (call !== -1) return parts.with(call, { ...parts[call], ...signature });
  const thinking = blocks.some((block) => block.type === "thinking");
  return thinking ? [...parts, { text: "", ...signature }] : parts;
}

function blockParts(block: ReplyBlock, split: boolean): JsonObject[] {
  switch (block.type) {
    case "text":
      return (split ? pieces(block.text) : [block.text]).map((piece) => ({ text: piece }));
    case "thinking":
      return block.hidden ? [] : [{ text: block.text, thought: true }];
    case "call": {
      const id = block.id === undefined ? {} : { id: block.id };
      return [{ functionCall: { ...id, name: block.name, args: parsed(argumentsOf(block)) } }];
    }
    case "image":
      return [{ inlineData: { mimeType: block.mimeType, data: block.data } }];
  }
}

// Failing

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

function failureBody(
  { status, type, message: words, retryAfter }: Failure,
  violation?: Violation,
): JsonObject {
  const name = type ?? STATUSES[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfter}s` };
  return {
    error: {
      code: status,
      message: violation?.message ?? words ?? name,
      status: name,
      ...(retryAfter === undefined ? {} : { details: [retry] }),
    },
  };
}
