// Calls and results as response items. Codex's own calls keep the form they were recorded in; those of other
// agents are translated.
import { type Loss, loss } from "../../session/losses.ts";
import type { ToolCall, ToolResult } from "../../session/session.ts";
import { callText, wholeJson } from "../../session/text.ts";
import { lengthOf } from "../../storage/reference.ts";
import { fullName } from "./items.ts";
import { isObject, type JsonObject, text } from "./native.ts";
import { isFreeText, ownInput, split } from "./original.ts";
import { tools } from "./tools.ts";

export interface NativeCall {
  item: JsonObject;
  callId: string;
  name: string;
  namespace: string | undefined;
  /** The arguments as they are meant: parsed, or free text. */
  input: unknown;
  losses: readonly Loss[];
}

export function nativeCall(
  call: ToolCall,
  result: ToolResult | undefined,
  callId: string,
  isOwn: boolean,
): NativeCall {
  const losses = callId === call.id ? [] : [loss("id_changed", { entry: call.id }, `${call.id} → ${callId}`)];
  const input = isOwn ? (ownInput(call) ?? searchAction(call)) : undefined;
  if (input !== undefined) return { ...ownCall(call, input, callId), losses };
  const { pairs, losses: translated } = tools(call, result);
  const [pair] = pairs;
  const made = nativeItem(pair?.name ?? "unknown", pair?.input ?? {}, callId);
  return { ...made, losses: [...losses, ...translated, ...renamedBy(call, pair?.name ?? "", made)] };
}

type Made = Omit<NativeCall, "losses">;

function ownCall({ originalTool = "" }: ToolCall, input: unknown, callId: string): Made {
  if (originalTool !== "web_search_call") return nativeItem(originalTool, input, callId);
  const item = { type: "web_search_call", status: "completed", action: input };
  return { callId, name: originalTool, namespace: undefined, input, item };
}

/** A search at the vendor, with what is asked for now. */
export function searchAction({ originalTool, originalInput, tool, input }: ToolCall): JsonObject | undefined {
  if (originalTool !== "web_search_call" || !isObject(originalInput)) return undefined;
  const { query: _, queries: __, url: ___, pattern: ____, ...action } = originalInput;
  return tool === "web_fetch"
    ? { ...action, url: input.url, pattern: input.prompt }
    : { ...action, query: input.query };
}

export function nativeItem(fullName: string, input: unknown, callId: string): Made {
  const { name, namespace } = safe(fullName);
  const made = { callId, name, namespace, input };
  if (fullName === "local_shell" && isObject(input))
    return {
      ...made,
      item: { type: "local_shell_call", call_id: callId, status: "completed", action: input },
    };
  if (isFreeText(name, namespace, input))
    return { ...made, item: { type: "custom_tool_call", status: "completed", call_id: callId, name, input } };
  const given = typeof input === "string" ? input : wholeJson(input ?? {}).json;
  const scope = namespace === undefined ? {} : { namespace };
  const item = { type: "function_call", name, ...scope, arguments: given, call_id: callId };
  return { ...made, item, input: typeof input === "string" ? parsed(input) : input };
}

/** What reading the item must find again. */
export function saidBy({ type, name, namespace, ...item }: JsonObject): string {
  if (type === "web_search_call") return callText(type, item.action);
  if (type === "local_shell_call") return callText("local_shell", item.action);
  return callText(fullName(String(name), text(namespace)), item.arguments ?? item.input);
}

const LONGEST_NAME = 128;

function safe(fullName: string): { name: string; namespace: string | undefined } {
  const { name, namespace } = split(fullName);
  const allowed = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, LONGEST_NAME) || "unknown";
  return { name: allowed(name), namespace: namespace === undefined ? undefined : allowed(namespace) };
}

function renamedBy(call: ToolCall, wanted: string, made: Made): Loss[] {
  const isSame = wanted.endsWith(made.name);
  return isSame ? [] : [loss("tool_renamed", { entry: call.id }, `${wanted} → ${made.name}`)];
}

function parsed(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? value : { input };
  } catch {
    // Arguments that are not JSON are shown as they are.
    return { input };
  }
}

/**
 * Codex shortens an output above its limit when it resumes, unless the line allows more tokens (0.166.0). The
 * lowest limit, for models it does not know, is 12,000 bytes; a token is taken for four of them.
 */
const SHORTENED_FROM = 3000;

export function outputAllowance(text: string): JsonObject | undefined {
  const length = lengthOf(text);
  return length < SHORTENED_FROM ? undefined : { fallback_token_limit_override: length };
}
