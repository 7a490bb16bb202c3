// What Anthropic refuses. The rules and their wording are known from the vendor's documentation and from
// errors that users reported; README.md names the evidence.
import { type Found, isBase64, repeated, sniff, violation } from "./check.ts";
import { isObject, type JsonObject, object, objects, text } from "./json.ts";
import type { Signer } from "./signature.ts";
import type { Checking } from "./wire.ts";

const ID = /^[a-zA-Z0-9_-]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** A name in the history may be longer than one that is declared. */
const CALLED_NAME = /^[a-zA-Z0-9_-]{1,200}$/;
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const MOST_CACHE_MARKS = 4;
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;
/** Blocks that only the vendor's own servers produce; their insides are not judged here. */
const SERVER_BLOCKS =
  /^(server_tool_use|mcp_tool_use|.+_tool_result|compaction|container_upload|tool_reference)$/;
const USER_BLOCKS = ["text", "image", "document", "search_result", "tool_result"];
const ASSISTANT_BLOCKS = ["text", "thinking", "redacted_thinking", "tool_use"];
const RESULT_BLOCKS = ["text", "image", "document", "search_result", "tool_reference"];

export function* checkAnthropic(body: JsonObject, checking: Checking): Found {
  yield* checkFields(body, checking);
  yield* checkTools(body);
  const messages = objects(body.messages);
  for (const [index, message] of messages.entries()) {
    const last = index === messages.length - 1;
    yield* checkMessage(message, `messages.${index}`, last, {
      model: text(body.model),
      signer: checking.signer,
    });
  }
  yield* checkOrder(messages);
  yield* checkPairs(messages);
  yield* checkCacheMarks(body);
}

interface Judging {
  model: string;
  signer: Signer;
}

function* checkFields(body: JsonObject, { headers, route }: Checking): Found {
  if (!headers["x-api-key"] && !headers.authorization) {
    yield violation("key_missing", "headers", "x-api-key header is required", { status: 401 });
  }
  if (!headers["anthropic-version"]) {
    yield violation("field_missing", "anthropic-version", "anthropic-version: header is required");
  }
  if (typeof body.model !== "string") yield violation("field_missing", "model", "model: Field required");
  if (!Array.isArray(body.messages)) yield violation("field_missing", "messages", "messages: Field required");
  else if (body.messages.length === 0) {
    yield violation("message_empty", "messages", "messages: at least one message is required");
  }
  if (route.kind === "count") return;
  const most = body.max_tokens;
  if (most === undefined) yield violation("field_missing", "max_tokens", "max_tokens: Field required");
  else if (typeof most !== "number" || !Number.isInteger(most) || most < 1) {
    yield violation("field_invalid", "max_tokens", "max_tokens: Input should be greater than or equal to 1");
  }
}

function* checkTools(body: JsonObject): Found {
  const names = objects(body.tools).map((tool) => text(tool.name));
  for (const [index, name] of names.entries()) {
    if (TOOL_NAME.test(name)) continue;
    const at = `tools.${index}.custom.name`;
    yield violation("name_pattern", at, `${at}: String should match pattern '${TOOL_NAME.source}'`);
  }
  if (repeated(names).length > 0)
    yield violation("tool_duplicate", "tools", "tools: Tool names must be unique.");
}

function* checkMessage(message: JsonObject, at: string, last: boolean, judging: Judging): Found {
  if (message.role !== "user" && message.role !== "assistant" && message.role !== "system") {
    yield violation("field_invalid", `${at}.role`, `${at}.role: Input should be 'user' or 'assistant'`);
  }
  const empty = message.content === "" || (Array.isArray(message.content) && message.content.length === 0);
  const prefill = message.role === "assistant" && last;
  // Claude Code 2.1.325 changes the effort in mid-conversation with a system message that says nothing else.
  const setting = message.role === "system" && isObject(message.output_config);
  if (empty && !prefill && !setting) {
    yield violation(
      "message_empty",
      at,
      `${at}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  if (typeof message.content === "string") {
    if (message.content !== "" && message.content.trim() === "")
      yield* emptyText("messages", message.content);
    return;
  }
  if (!Array.isArray(message.content)) {
    yield violation("field_invalid", `${at}.content`, `${at}.content: Input should be a valid list`);
    return;
  }
  for (const [index, block] of objects(message.content).entries()) {
    yield* checkBlock(block, message.role === "assistant", `${at}.content.${index}`, judging);
  }
}

function* checkBlock(block: JsonObject, assistant: boolean, at: string, judging: Judging): Found {
  const type = text(block.type);
  const known = [...USER_BLOCKS, ...ASSISTANT_BLOCKS].includes(type) || SERVER_BLOCKS.test(type);
  if (!known) {
    yield violation(
      "block_unknown",
      at,
      `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`,
    );
    return;
  }
  const allowed = assistant ? ASSISTANT_BLOCKS : USER_BLOCKS;
  if (!allowed.includes(type) && !SERVER_BLOCKS.test(type)) {
    const role = assistant ? "assistant" : "user";
    yield violation(
      "block_misplaced",
      at,
      `${at}: \`${type}\` blocks are not permitted in \`${role}\` messages`,
    );
  }
  switch (type) {
    case "text":
      return yield* emptyText("messages", block.text);
    case "image":
    case "document":
      return yield* checkMedia(block, at);
    case "tool_use":
      return yield* checkCall(block, at);
    case "tool_result":
      return yield* checkResult(block, at);
    case "thinking":
    case "redacted_thinking":
      return yield* checkThinking(block, at, judging);
  }
}

function* emptyText(at: string, value: unknown): Found {
  if (typeof value !== "string") yield violation("field_missing", at, `${at}: text: Field required`);
  else if (value === "") yield violation("text_empty", at, `${at}: text content blocks must be non-empty`);
  else if (value.trim() === "") {
    yield violation("text_empty", at, `${at}: text content blocks must contain non-whitespace text`);
  }
}

function* checkCall(block: JsonObject, at: string): Found {
  const where = `${at}.tool_use`;
  if (!ID.test(text(block.id))) {
    yield violation("id_pattern", `${where}.id`, `${where}.id: String should match pattern '${ID.source}'`);
  }
  if (!CALLED_NAME.test(text(block.name))) {
    yield violation(
      "name_pattern",
      `${where}.name`,
      `${where}.name: String should match pattern '${CALLED_NAME.source}'`,
    );
  }
  if (!isObject(block.input)) {
    yield violation("field_invalid", `${where}.input`, `${where}.input: Input should be a valid dictionary`);
  }
}

function* checkResult(block: JsonObject, at: string): Found {
  const where = `${at}.tool_result`;
  if (!ID.test(text(block.tool_use_id))) {
    const field = `${where}.tool_use_id`;
    yield violation("id_pattern", field, `${field}: String should match pattern '${ID.source}'`);
  }
  const parts = objects(block.content);
  if (block.is_error === true && parts.some((part) => part.type !== "text")) {
    yield violation(
      "block_misplaced",
      where,
      `${where}: all content must be type "text" if \`is_error\` is true`,
    );
  }
  for (const [index, part] of parts.entries()) {
    const place = `${where}.content.${index}`;
    if (!RESULT_BLOCKS.includes(text(part.type))) {
      yield violation(
        "block_unknown",
        place,
        `${place}: Input tag '${text(part.type)}' found using 'type' does not match any of the expected tags`,
      );
    }
    if (part.type === "text") yield* emptyText("messages", part.text);
    if (part.type === "image" || part.type === "document") yield* checkMedia(part, place);
  }
}

function* checkThinking(block: JsonObject, at: string, { model, signer }: Judging): Found {
  if (block.type === "redacted_thinking") {
    if (signer.unseal(text(block.data), model) !== undefined) return;
    yield violation("signature_foreign", at, `${at}: Invalid \`data\` in \`redacted_thinking\` block`);
    return;
  }
  if (typeof block.signature !== "string") {
    const field = `${at}.thinking.signature`;
    yield violation("signature_missing", field, `${field}: Field required`);
  } else if (!signer.accepts(block.signature, model, text(block.thinking))) {
    yield violation("signature_foreign", at, `${at}: Invalid \`signature\` in \`thinking\` block`);
  }
}

function* checkMedia(block: JsonObject, at: string): Found {
  const source = object(block.source);
  if (["url", "file", "text", "content"].includes(text(source.type))) return;
  const where = `${at}.${text(block.type)}.source.base64`;
  const type = text(source.media_type);
  const allowed = block.type === "image" ? IMAGE_TYPES : ["application/pdf"];
  const real = sniff(source.data) ?? "something else";
  const bytes = (text(source.data).length / 4) * 3;
  if (!allowed.includes(type)) {
    const names = allowed.map((name) => `'${name}'`).join(", ");
    yield violation("media_invalid", where, `${where}.media_type: Input should be ${names}`);
  } else if (!isBase64(source.data)) {
    yield violation("media_invalid", where, `${where}.data: Input should be valid base64`);
  } else if (real !== type) {
    const message = `${where}: The file was specified using the ${type} media type, but it appears to be ${real}`;
    yield violation("media_invalid", where, message);
  } else if (block.type === "image" && bytes > MOST_IMAGE_BYTES) {
    const message = `${where}: image exceeds 5 MB maximum: ${bytes} bytes > ${MOST_IMAGE_BYTES} bytes`;
    yield violation("limit_exceeded", where, message);
  }
}

function* checkOrder(messages: JsonObject[]): Found {
  const first = messages[0];
  if (first !== undefined && first.role !== "user") {
    yield violation("role_order", "messages.0", 'messages: first message must use the "user" role');
  }
  if (messages.length > 0 && messages.at(-1)?.role === "assistant") {
    const at = `messages.${messages.length - 1}`;
    yield violation(
      "role_order",
      at,
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
}

interface Turn {
  index: number;
  assistant: boolean;
  blocks: JsonObject[];
}

/** Consecutive messages of one role count as one turn, as the vendor combines them; system messages may stand anywhere. */
function turnsOf(messages: JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach((message, index) => {
    if (message.role === "system") return;
    const assistant = message.role === "assistant";
    const last = turns.at(-1);
    const content =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    if (last !== undefined && last.assistant === assistant) last.blocks.push(...objects(content));
    else turns.push({ index, assistant, blocks: [...objects(content)] });
  });
  return turns;
}

function* checkPairs(messages: JsonObject[]): Found {
  const turns = turnsOf(messages);
  const allCalls = turns.flatMap(callIds);
  if (repeated(allCalls).length > 0) {
    yield violation("id_duplicate", "messages", "messages: `tool_use` ids must be unique");
  }
  for (const [position, turn] of turns.entries()) {
    if (turn.assistant) yield* checkAnswered(turn, turns[position + 1]);
    else yield* checkAsked(turn, turns[position - 1]);
  }
}

const callIds = (turn: Turn | undefined): string[] =>
  (turn?.blocks ?? []).filter((block) => block.type === "tool_use").map((block) => text(block.id));

const resultIds = (blocks: JsonObject[]): string[] =>
  blocks.filter((block) => block.type === "tool_result").map((block) => text(block.tool_use_id));

function* checkAnswered(turn: Turn, next: Turn | undefined): Found {
  const calls = callIds(turn);
  if (calls.length === 0) return;
  const blocks = next?.blocks ?? [];
  // Results stand first in the message; a text before them makes them count as missing.
  const end = blocks.findIndex((block) => block.type !== "tool_result");
  const leading = resultIds(end === -1 ? blocks : blocks.slice(0, end));
  const missing = calls.filter((id) => !leading.includes(id));
  if (missing.length === 0) return;
  const late = missing.every((id) => resultIds(blocks).includes(id));
  yield violation(
    late ? "result_misplaced" : "call_unanswered",
    `messages.${turn.index}`,
    `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function* checkAsked(turn: Turn, previous: Turn | undefined): Found {
  const at = `messages.${turn.index}.content`;
  const results = resultIds(turn.blocks);
  const calls = callIds(previous);
  for (const id of results.filter((result) => !calls.includes(result))) {
    yield violation(
      "result_orphaned",
      at,
      `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
  }
  for (const id of repeated(results)) {
    yield violation(
      "result_duplicate",
      at,
      `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
    );
  }
}

function* checkCacheMarks(body: JsonObject): Found {
  const blocks = [
    ...objects(body.system),
    ...objects(body.tools),
    ...objects(body.messages).flatMap((message) => objects(message.content)),
  ];
  const marks = blocks.filter((block) => isObject(block.cache_control)).length;
  if (marks > MOST_CACHE_MARKS) {
    yield violation(
      "limit_exceeded",
      "cache_control",
      `A maximum of ${MOST_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`,
    );
  }
}
