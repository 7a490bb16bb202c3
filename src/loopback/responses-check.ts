// What OpenAI's Responses API refuses. README.md names the evidence for each rule.
import { type Found, repeated, violation } from "./check.ts";
import { isObject, type JsonObject, objects, text } from "./json.ts";
import { checkImage, checkKey, checkLength, checkName, missing, wrongType } from "./openai.ts";
import type { Signer } from "./signature.ts";
import type { Checking } from "./wire.ts";

const LONGEST_NAME = 128;
const LONGEST_ID = 64;
/** An item that is sent back keeps the id the API gave it, which says what it is. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};
const CALLS = ["function_call", "custom_tool_call", "local_shell_call"];
const OUTPUTS = ["function_call_output", "custom_tool_call_output", "local_shell_call_output"];
/** Items of the API's own tools; their insides are not judged here. */
const SERVER_ITEMS =
  /^(web_search_call|file_search_call|computer_call.*|code_interpreter_call|image_generation_call|mcp_.+|tool_search_.+|additional_tools|agent_message|compaction.*|item_reference|shell_call.*|apply_patch_call.*)$/;

export function* checkResponses(body: JsonObject, checking: Checking): Found {
  yield* checkKey(checking);
  if (typeof body.model !== "string") yield* missing("model");
  if (typeof body.input !== "string" && !Array.isArray(body.input)) yield* missing("input");
  if (typeof body.previous_response_id === "string") {
    const message = `Previous response with id '${body.previous_response_id}' not found.`;
    yield violation("field_invalid", "previous_response_id", message, {
      code: "previous_response_not_found",
    });
  }
  yield* checkTools(body);
  const items = objects(body.input);
  const judging = { model: text(body.model), signer: checking.signer };
  for (const [index, item] of items.entries()) yield* checkItem(item, `input[${index}]`, judging);
  yield* checkPairs(items);
}

interface Judging {
  model: string;
  signer: Signer;
}

function* checkTools(body: JsonObject): Found {
  for (const [index, tool] of objects(body.tools).entries()) {
    if (tool.type === "function" || tool.type === "custom") {
      yield* checkName(tool.name, `tools[${index}].name`, LONGEST_NAME);
    }
  }
}

function* checkItem(item: JsonObject, at: string, judging: Judging): Found {
  const type = text(item.type ?? "message");
  const prefix = ID_PREFIXES[type];
  if (typeof item.id === "string" && prefix !== undefined) {
    yield* checkLength(item.id, `${at}.id`, LONGEST_ID, "id_pattern");
    if (!item.id.startsWith(prefix)) {
      const message = `Invalid '${at}.id': '${item.id}'. Expected an ID that begins with '${prefix}'.`;
      yield violation("id_pattern", `${at}.id`, message, { code: "invalid_value" });
    }
  }
  if (type === "message") yield* checkMessage(item, at);
  else if (type === "reasoning") yield* checkReasoning(item, at, judging);
  else if (CALLS.includes(type)) yield* checkCall(item, type, at);
  else if (OUTPUTS.includes(type)) yield* checkOutput(item, at);
  else if (!SERVER_ITEMS.test(type)) {
    yield violation("block_unknown", at, `Invalid value: '${type}'.`, { code: "invalid_value" });
  }
}

function* checkMessage(item: JsonObject, at: string): Found {
  if (!["user", "assistant", "system", "developer"].includes(text(item.role))) {
    const message = `Invalid value: '${text(item.role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
    yield violation("field_invalid", `${at}.role`, message, { code: "invalid_value" });
  }
  if (typeof item.content === "string") return;
  if (!Array.isArray(item.content)) return yield* missing(`${at}.content`);
  const allowed =
    item.role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  yield* checkParts(item.content, allowed, `${at}.content`);
}

function* checkParts(content: unknown, allowed: string[], at: string): Found {
  for (const [index, part] of objects(content).entries()) {
    const place = `${at}[${index}]`;
    const type = text(part.type);
    if (!allowed.includes(type)) {
      const names = allowed.map((name) => `'${name}'`).join(", ");
      const message = `Invalid value: '${type}'. Supported values are: ${names}.`;
      yield violation("block_misplaced", place, message, { code: "invalid_value" });
    }
    if (type === "input_image" && part.file_id === undefined)
      yield* checkImage(part.image_url, `${place}.image_url`);
    if (type.endsWith("_text") && typeof part.text !== "string") yield* missing(`${place}.text`);
  }
}

function* checkReasoning(item: JsonObject, at: string, { model, signer }: Judging): Found {
  if (!Array.isArray(item.summary)) yield* missing(`${at}.summary`);
  const sealed = item.encrypted_content;
  if (typeof sealed !== "string") {
    // Nothing is stored here, so reasoning that does not bring its content cannot be found again.
    const message = `Item with id '${text(item.id)}' not found. Items are not persisted when \`store\` is set to false.`;
    yield violation("signature_missing", at, message, { status: 404 });
  } else if (signer.unseal(sealed, model) === undefined) {
    const short = `${sealed.slice(0, 4)}...${sealed.slice(-4)}`;
    const message = `The encrypted content ${short} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    yield violation("signature_foreign", at, message, { code: "invalid_encrypted_content" });
  }
}

function* checkCall(item: JsonObject, type: string, at: string): Found {
  yield* checkCallId(item, at);
  if (type === "local_shell_call") {
    if (!isObject(item.action)) yield* missing(`${at}.action`);
    return;
  }
  yield* checkName(item.name, `${at}.name`, LONGEST_NAME);
  const field = type === "function_call" ? "arguments" : "input";
  if (typeof item[field] !== "string") yield* wrongType(`${at}.${field}`, "a string");
}

function* checkOutput(item: JsonObject, at: string): Found {
  yield* checkCallId(item, at);
  if (typeof item.output === "string") return;
  if (!Array.isArray(item.output)) return yield* wrongType(`${at}.output`, "a string or an array");
  yield* checkParts(item.output, ["input_text", "input_image", "input_file"], `${at}.output`);
}

function* checkCallId(item: JsonObject, at: string): Found {
  if (typeof item.call_id !== "string" || item.call_id === "") return yield* missing(`${at}.call_id`);
  yield* checkLength(item.call_id, `${at}.call_id`, LONGEST_ID, "id_pattern");
}

function* checkPairs(items: JsonObject[]): Found {
  const ids = (types: string[]) =>
    items.filter((item) => types.includes(text(item.type))).map((item) => text(item.call_id));
  const calls = ids(CALLS);
  const outputs = ids(OUTPUTS);
  const called = new Set(calls);
  const answered = new Set(outputs);
  for (const id of calls.filter((call) => !answered.has(call))) {
    yield violation("call_unanswered", "input", `No tool output found for function call ${id}.`);
  }
  for (const id of outputs.filter((output) => !called.has(output))) {
    yield violation(
      "result_orphaned",
      "input",
      `No tool call found for function call output with call_id ${id}.`,
    );
  }
  for (const id of repeated(calls))
    yield violation("id_duplicate", "input", `Duplicate function call with call_id ${id}.`);
  for (const id of repeated(outputs)) {
    yield violation("result_duplicate", "input", `Duplicate function call output with call_id ${id}.`);
  }
  yield* checkResultOrder(items);
  for (const id of repeated(items.flatMap((item) => (typeof item.id === "string" ? [item.id] : [])))) {
    const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
    yield violation("id_duplicate", "input", message);
  }
}

/** An output cannot come before its call. */
function* checkResultOrder(items: JsonObject[]): Found {
  const open = new Set<string>();
  const called = new Set(
    items.filter((item) => CALLS.includes(text(item.type))).map((item) => text(item.call_id)),
  );
  for (const item of items) {
    const id = text(item.call_id);
    if (CALLS.includes(text(item.type))) open.add(id);
    else if (OUTPUTS.includes(text(item.type)) && called.has(id) && !open.has(id)) {
      yield violation(
        "result_misplaced",
        "input",
        `No tool call found for function call output with call_id ${id}.`,
      );
    }
  }
}
