// What OpenAI's Chat Completions API refuses. README.md names the evidence for each rule.
import { type Found, repeated, violation } from "./check.ts";
import { type JsonObject, object, objects, text } from "./json.ts";
import { checkImage, checkKey, checkLength, checkName, missing, wrongType } from "./openai.ts";
import type { Checking } from "./wire.ts";

const LONGEST_NAME = 64;
const LONGEST_ID = 40;
const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
};

export function* checkChat(body: JsonObject, checking: Checking): Found {
  yield* checkKey(checking);
  if (typeof body.model !== "string") yield* missing("model");
  if (!Array.isArray(body.messages)) yield* missing("messages");
  else if (body.messages.length === 0) {
    yield violation("message_empty", "messages", "Invalid 'messages': empty array.", { code: "empty_array" });
  }
  for (const [index, tool] of objects(body.tools).entries()) {
    const at = `tools[${index}].function.name`;
    yield* checkName(object(tool.function ?? tool.custom).name, at, LONGEST_NAME);
  }
  const messages = objects(body.messages);
  for (const [index, message] of messages.entries()) yield* checkMessage(message, `messages[${index}]`);
  yield* checkPairs(messages);
}

function* checkMessage(message: JsonObject, at: string): Found {
  const role = text(message.role);
  if (!ROLES.includes(role)) {
    const names = ROLES.map((name) => `'${name}'`).join(", ");
    const words = `Invalid value: '${role}'. Supported values are: ${names}.`;
    yield violation("field_invalid", `${at}.role`, words, { code: "invalid_value" });
  }
  if (role === "tool") yield* checkCallId(message.tool_call_id, `${at}.tool_call_id`);
  if (role === "assistant" && message.tool_calls !== undefined) yield* checkCalls(message.tool_calls, at);
  const optional = role === "assistant" && message.tool_calls !== undefined;
  if (typeof message.content !== "string" && !Array.isArray(message.content) && !optional) {
    const words = "Invalid value for 'content': expected a string, got null.";
    yield violation("message_empty", `${at}.content`, words);
  }
  yield* checkParts(message, role, at);
}

function* checkParts(message: JsonObject, role: string, at: string): Found {
  const allowed = PARTS[role] ?? ["text"];
  for (const [index, part] of objects(message.content).entries()) {
    const place = `${at}.content[${index}]`;
    if (part.type === "image_url" && role !== "user") {
      const words = `Invalid '${at}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`;
      yield violation("block_misplaced", at, words, { code: "invalid_value" });
    } else if (!allowed.includes(text(part.type))) {
      const words = `Invalid value: '${text(part.type)}'. Supported values are: ${allowed.join(", ")}.`;
      yield violation("block_unknown", place, words, { code: "invalid_value" });
    }
    if (part.type === "image_url") yield* checkImage(object(part.image_url).url, `${place}.image_url`);
  }
}

function* checkCalls(calls: unknown, at: string): Found {
  if (!Array.isArray(calls) || calls.length === 0) {
    const words = `Invalid '${at}.tool_calls': empty array. Expected an array with minimum length 1.`;
    yield violation("field_invalid", `${at}.tool_calls`, words, { code: "empty_array" });
  }
  for (const [index, call] of objects(calls).entries()) {
    const place = `${at}.tool_calls[${index}]`;
    yield* checkCallId(call.id, `${place}.id`);
    const custom = call.type === "custom";
    const field = custom ? "custom" : "function";
    const content = object(call[field]);
    yield* checkName(content.name, `${place}.${field}.name`, LONGEST_NAME);
    const argument = custom ? "input" : "arguments";
    if (typeof content[argument] !== "string") yield* wrongType(`${place}.${field}.${argument}`, "a string");
  }
}

function* checkCallId(id: unknown, at: string): Found {
  if (typeof id !== "string" || id === "") yield* missing(at);
  else yield* checkLength(id, at, LONGEST_ID, "id_pattern");
}

/** The results stand directly after the message that made the calls. */
function* checkPairs(messages: JsonObject[]): Found {
  const all: string[] = [];
  let open: string[] = [];
  let answered: string[] = [];
  for (const [index, message] of [...messages, { role: "end" }].entries()) {
    const at = `messages[${index}]`;
    if (message.role === "tool") {
      const id = text((message as JsonObject).tool_call_id);
      if (answered.includes(id)) yield violation("result_duplicate", at, orphan("tool_call_id", id));
      else if (!open.includes(id)) yield violation("result_orphaned", at, orphan("tool_call_id", id));
      answered.push(id);
      open = open.filter((call) => call !== id);
      continue;
    }
    if (open.length > 0) {
      const words = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`;
      yield violation("call_unanswered", at, words);
    }
    open = objects((message as JsonObject).tool_calls).map((call) => text(call.id));
    answered = [];
    all.push(...open);
  }
  for (const id of repeated(all)) {
    yield violation("id_duplicate", "messages", `Duplicate value for 'tool_call_id' of ${id} in messages.`);
  }
}

function orphan(field: string, id: string): string {
  return `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls' (${field} ${id}).`;
}
