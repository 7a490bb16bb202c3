// Tells files that are one JSON document apart by what stands in them. Nothing here matches an agent's own file.
import { constants } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { isObject, type Json } from "./check.ts";
import { firstObject, head } from "./recognise.ts";

export type Kind = "ucf" | "anthropic" | "openai-chat" | "openai-responses" | "gemini-contents" | "atif";

export function isKind(kind: Kind): (path: string) => Promise<boolean> {
  return async (path) => (await kindOf(path)) === kind;
}

/** Each format asks in turn, and one look at the file answers all of them. */
let last: { key: string; kind: Promise<Kind | undefined> } | undefined;

async function kindOf(path: string): Promise<Kind | undefined> {
  const { size, mtimeMs, ino } = await stat(path);
  const key = `${path}\0${ino}\0${size}\0${mtimeMs}`;
  if (last?.key !== key) last = { key, kind: look(path, size) };
  return last.kind;
}

async function look(path: string, size: number): Promise<Kind | undefined> {
  if (size > constants.MAX_STRING_LENGTH) return undefined;
  const beginning = await head(path);
  if (!/^\s*[[{]/.test(beginning) || isLines(beginning)) return undefined;
  try {
    return kindOfValue(JSON.parse((await readFile(path, "utf8")).replace(/^\uFEFF/, "")));
  } catch {
    // No JSON, so none of these; whoever reads it with --from is told why.
    return undefined;
  }
}

/** One object a line is an agent's own file, or universal JSONL. */
export function isLines(beginning: string): boolean {
  return firstObject(beginning) !== undefined && /\n\s*\S/.test(beginning.trimStart());
}

function kindOfValue(value: unknown): Kind | undefined {
  if (Array.isArray(value)) return kindOfList(value, {});
  if (!isObject(value)) return undefined;
  if (typeof value.schema_version === "string" && value.schema_version.startsWith("ATIF-")) return "atif";
  if (isUcf(value)) return "ucf";
  if (Array.isArray(value.contents)) return isContents(value.contents) ? "gemini-contents" : undefined;
  if (Array.isArray(value.input)) return isItems(value.input) ? "openai-responses" : undefined;
  return Array.isArray(value.messages) ? kindOfList(value.messages, value) : undefined;
}

/** Which format a document was meant to be in that is in none: by its list and what marks each API. */
export function likeliestKind(value: unknown): Kind | undefined {
  const request: Json = isObject(value) ? value : {};
  if (Array.isArray(request.contents)) return "gemini-contents";
  if (Array.isArray(request.input)) return "openai-responses";
  const list = Array.isArray(value) ? value : request.messages;
  if (!Array.isArray(list)) return undefined;
  const items = list.filter(isObject);
  if (!items.some(({ role }) => role !== undefined)) return undefined;
  return isForClaude(items, request) ? "anthropic" : "openai-chat";
}

function isUcf({ version, messages, providerState, switches, usage }: Json): boolean {
  const isMarked =
    isObject(providerState) || Array.isArray(switches) || (isObject(usage) && isObject(usage.byProvider));
  return version === "1.0" && Array.isArray(messages) && isMarked;
}

function kindOfList(list: readonly unknown[], request: Json): Kind | undefined {
  const items = list.filter(isObject);
  if (items.length === 0 || items.length < list.length) return undefined;
  if (isContents(items)) return "gemini-contents";
  if (items.some(isItemOnly) && isItems(items)) return "openai-responses";
  if (!items.every(isMessage)) return undefined;
  return isForClaude(items, request) ? "anthropic" : "openai-chat";
}

function isForClaude(items: readonly Json[], request: Json): boolean {
  const isMarked = "system" in request || /claude/i.test(String(request.model)) || items.some(hasBlocks);
  return isMarked && !items.some(isChatOnly);
}

function isContents(items: readonly unknown[]): boolean {
  return items.length > 0 && items.every((item) => isObject(item) && isContent(item));
}

/** Parts say what they are by their fields; an agent's own have a type. */
function isContent({ role, parts, ...others }: Json): boolean {
  const isRole = role === undefined || role === "user" || role === "model" || role === "function";
  const isBare = Array.isArray(parts) && parts.every((part) => isObject(part) && !("type" in part));
  return isRole && isBare && Object.keys(others).length === 0;
}

function isItems(items: readonly unknown[]): boolean {
  return items.length > 0 && items.every((item) => isObject(item) && (isItemOnly(item) || isMessage(item)));
}

const ITEM =
  /^(?:message|reasoning|item_reference|compaction|mcp_list_tools|mcp_approval_.+|.+_call|.+_call_output)$/;

/** Chat Completions has `input_audio` too. */
const DIRECTED = ["input_text", "input_image", "input_file", "output_text"];

/** What only the Responses API has: typed items, and contents with a direction. */
function isItemOnly({ type, content }: Json): boolean {
  if (typeof type === "string") return ITEM.test(type);
  return partTypes(content).some((part) => DIRECTED.includes(part));
}

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];

function isMessage({ role, type, content, tool_calls }: Json): boolean {
  if (typeof role !== "string" || !ROLES.includes(role)) return false;
  const hasContent = typeof content === "string" || Array.isArray(content) || content === null;
  return (hasContent || Array.isArray(tool_calls)) && (type === undefined || type === "message");
}

function isChatOnly({ role, tool_calls, content }: Json): boolean {
  if (role === "tool" || role === "developer" || role === "function" || Array.isArray(tool_calls))
    return true;
  return partTypes(content).some((type) => type === "image_url" || type === "file" || type === "input_audio");
}

const BLOCKS = ["tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document"];

function hasBlocks({ content }: Json): boolean {
  return partTypes(content).some((type) => BLOCKS.includes(type));
}

function partTypes(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => (isObject(part) && typeof part.type === "string" ? [part.type] : []));
}
