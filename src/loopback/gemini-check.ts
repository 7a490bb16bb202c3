// What Gemini refuses. README.md names the evidence for each rule.
import { type Found, isBase64, repeated, violation } from "./check.ts";
import { isObject, type JsonObject, object, objects, text } from "./json.ts";
import type { Signer } from "./signature.ts";
import type { Checking } from "./wire.ts";

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;
const NAME_RULE =
  "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.";
/** What the vendor's documentation offers for calls that no Gemini model made. */
const SENTINELS = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];
/** What the vendor's documentation lists for images, documents, audio and video. */
const MEDIA = /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf|(?:text|audio|video)\/.+)$/;
const DATA_FIELDS = [
  "text",
  "inlineData",
  "inline_data",
  "fileData",
  "file_data",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
];

export function* checkGemini(body: JsonObject, { headers, url, route, signer }: Checking): Found {
  if (!headers["x-goog-api-key"] && !headers.authorization && !url.searchParams.has("key")) {
    const message = "Method doesn't allow unregistered callers (callers without established identity).";
    yield violation("key_missing", "headers", message, { status: 403 });
  }
  // Counting may wrap the whole request.
  const contents = objects(body.contents ?? object(body.generateContentRequest).contents);
  if (contents.length === 0) {
    const at = "GenerateContentRequest.contents";
    yield violation("field_missing", at, `* ${at}: contents is not specified`);
  }
  yield* checkTools(body);
  const model = route.model ?? "";
  for (const [index, content] of contents.entries()) {
    yield* checkContent(content, `GenerateContentRequest.contents[${index}]`, { model, signer });
  }
  // What is only counted may be a part of a conversation: the CLI asks for a single result.
  if (route.kind === "count") return;
  yield* checkOrder(contents);
  yield* checkPairs(contents);
  if (needsSignatures(model)) yield* checkSigned(contents);
}

interface Judging {
  model: string;
  signer: Signer;
}

function* checkTools(body: JsonObject): Found {
  const names: string[] = [];
  for (const [index, tool] of objects(body.tools).entries()) {
    for (const [position, declaration] of objects(tool.functionDeclarations).entries()) {
      const at = `GenerateContentRequest.tools[${index}].function_declarations[${position}].name`;
      names.push(text(declaration.name));
      if (!NAME.test(text(declaration.name))) yield violation("name_pattern", at, `* ${at}: ${NAME_RULE}`);
    }
  }
  for (const name of repeated(names)) {
    yield violation("tool_duplicate", "tools", `Duplicate function declaration found: ${name}`);
  }
}

function* checkContent(content: JsonObject, at: string, judging: Judging): Found {
  if (content.role !== undefined && !["user", "model", "function"].includes(text(content.role))) {
    yield violation("field_invalid", `${at}.role`, "Please use a valid role: user, model.");
  }
  const parts = objects(content.parts);
  if (parts.length === 0) {
    yield violation("message_empty", `${at}.parts`, `* ${at}.parts: contents.parts must not be empty.`);
  }
  for (const [index, part] of parts.entries()) {
    yield* checkPart(part, content.role === "model", `${at}.parts[${index}]`, judging);
  }
}

function* checkPart(part: JsonObject, model: boolean, at: string, judging: Judging): Found {
  const fields = DATA_FIELDS.filter((field) => part[field] !== undefined);
  if (fields.length !== 1) {
    const message = `* ${at}.data: required oneof field 'data' must have one initialized field`;
    yield violation("block_unknown", at, message);
  }
  if (part.text === "" && part.thoughtSignature === undefined) {
    yield violation("text_empty", at, "Unable to submit request because it has an empty text parameter.");
  }
  if (part.functionCall !== undefined) yield* checkCall(object(part.functionCall), model, at);
  if (part.functionResponse !== undefined) yield* checkResponse(object(part.functionResponse), model, at);
  yield* checkInline(object(part.inlineData ?? part.inline_data), at);
  yield* checkSignature(part.thoughtSignature, at, judging);
}

function* checkCall(call: JsonObject, model: boolean, at: string): Found {
  const place = `${at}.function_call`;
  if (!model) yield violation("block_misplaced", place, "Function calls are only allowed in model turns.");
  if (!NAME.test(text(call.name)))
    yield violation("name_pattern", `${place}.name`, `* ${place}.name: ${NAME_RULE}`);
  if (call.args !== undefined && !isObject(call.args)) {
    const message = `Invalid value at '${place}.args' (type.googleapis.com/google.protobuf.Struct)`;
    yield violation("field_invalid", `${place}.args`, message);
  }
}

function* checkResponse(response: JsonObject, model: boolean, at: string): Found {
  const place = `${at}.function_response`;
  if (model) yield violation("block_misplaced", place, "Function responses are only allowed in user turns.");
  if (text(response.name) === "") {
    yield violation("name_pattern", `${place}.name`, `* ${place}.name: Name cannot be empty.`);
  }
  if (!isObject(response.response)) {
    const message = `Invalid value at '${place}.response' (type.googleapis.com/google.protobuf.Struct)`;
    yield violation("field_invalid", `${place}.response`, message);
  }
  for (const [index, part] of objects(response.parts).entries()) {
    yield* checkInline(object(part.inlineData), `${place}.parts[${index}]`);
  }
}

function* checkInline(inline: JsonObject, at: string): Found {
  if (inline.data === undefined && inline.mimeType === undefined) return;
  const place = `${at}.inline_data`;
  const mimeType = text(inline.mimeType ?? inline.mime_type);
  if (mimeType === "") {
    yield violation("media_invalid", place, `* ${place}.mime_type: must not be empty.`);
  } else if (!MEDIA.test(mimeType)) {
    yield violation("media_invalid", place, `Unsupported MIME type: ${mimeType}`);
  } else if (!isBase64(inline.data)) {
    yield violation(
      "media_invalid",
      place,
      `Invalid value at '${place}.data' (TYPE_BYTES), Base64 decoding failed`,
    );
  }
}

function* checkSignature(signature: unknown, at: string, { model, signer }: Judging): Found {
  if (signature === undefined) return;
  const value = text(signature);
  if (isSentinel(value) || signer.unseal(value, model) !== undefined) return;
  yield violation("signature_foreign", at, "Corrupted thought signature.");
}

/** The sentinels are written as they are, or as base64, because the field holds bytes. */
function isSentinel(value: string): boolean {
  return SENTINELS.includes(value) || SENTINELS.includes(Buffer.from(value, "base64").toString("latin1"));
}

function* checkOrder(contents: JsonObject[]): Found {
  if (contents[0]?.role === "model") {
    const message = "Please ensure that multiturn requests alternate between user and model.";
    yield violation("role_order", "contents[0]", message);
  }
  if (contents.at(-1)?.role === "model") {
    yield violation("role_order", "contents", "Requests ending with a model turn are not supported.");
  }
}

const callsIn = (content: JsonObject | undefined): JsonObject[] =>
  objects(content?.parts).flatMap((part) => (isObject(part.functionCall) ? [part.functionCall] : []));

const responsesIn = (content: JsonObject | undefined): JsonObject[] =>
  objects(content?.parts).flatMap((part) => (isObject(part.functionResponse) ? [part.functionResponse] : []));

function* checkPairs(contents: JsonObject[]): Found {
  const ids = contents.flatMap(callsIn).flatMap((call) => (typeof call.id === "string" ? [call.id] : []));
  for (const id of repeated(ids))
    yield violation("id_duplicate", "contents", `Duplicate function call id: ${id}`);
  for (const [index, content] of contents.entries()) {
    yield* checkCallTurn(content, contents[index + 1], `contents[${index}]`);
    yield* checkResponseTurn(content, contents[index - 1], `contents[${index}]`);
  }
}

function* checkCallTurn(content: JsonObject, next: JsonObject | undefined, at: string): Found {
  const calls = callsIn(content);
  const responses = responsesIn(next);
  if (calls.length === 0 || calls.length === responses.length) return;
  const message =
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  yield violation(responses.length > calls.length ? "result_duplicate" : "call_unanswered", at, message);
}

function* checkResponseTurn(content: JsonObject, previous: JsonObject | undefined, at: string): Found {
  const responses = responsesIn(content);
  if (responses.length === 0) return;
  const calls = callsIn(previous);
  if (calls.length === 0) {
    const message = "Please ensure that function response turn comes immediately after a function call turn.";
    yield violation("result_orphaned", at, message);
    return;
  }
  const names = new Set(calls.map((call) => text(call.name)));
  const ids = new Set(calls.map((call) => text(call.id)));
  for (const response of responses) {
    const known =
      names.has(text(response.name)) && (ids.has("") || !response.id || ids.has(text(response.id)));
    if (!known) {
      const message = `Function response ${text(response.name)} has no function call in the turn before it.`;
      yield violation("result_orphaned", at, message);
    }
  }
}

/** From the third generation on, the steps of the current turn must come back signed. */
function needsSignatures(model: string): boolean {
  const generation = /^gemini-(\d+)/.exec(model)?.[1];
  return generation !== undefined && Number(generation) >= 3;
}

function* checkSigned(contents: JsonObject[]): Found {
  const start = contents.findLastIndex(
    (content) => content.role !== "model" && responsesIn(content).length === 0,
  );
  for (const [index, content] of contents.entries()) {
    if (index < start || content.role !== "model") continue;
    const first = objects(content.parts).find((part) => part.functionCall !== undefined);
    if (first === undefined || first.thoughtSignature !== undefined) continue;
    const name = text(object(first.functionCall).name);
    const message = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\`, position ${index + 1}.`;
    yield violation("signature_missing", `contents[${index}]`, message);
  }
}
