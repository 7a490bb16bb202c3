// Calls and results as response items. Codex's own calls keep the form they were recorded in; those of other
// agents are translated.
import { type Loss, loss } from "../../session/losses.ts";
import type { ToolCall, ToolResult } from "../../session/session.ts";
import { callIdOf } from "./ids.ts";
import { isObject, type JsonObject } from "./native.ts";
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

export function nativeCall(call: ToolCall, result: ToolResult | undefined, isOwn: boolean): NativeCall {
  const callId = callIdOf(call.id);
  const losses = callId === call.id ? [] : [loss("id_changed", { entry: call.id }, `${call.id} → ${callId}`)];
  if (isOwn && call.originalTool !== undefined) return { ...ownCall(call, callId), losses };
  const { pairs, losses: translated } = tools(call, result);
  const [pair] = pairs;
  const made = itemFor(pair?.name ?? "unknown", pair?.input ?? {}, callId);
  return { ...made, losses: [...losses, ...translated, ...renamedBy(call, pair?.name ?? "", made)] };
}

type Made = Omit<NativeCall, "losses">;

function ownCall(call: ToolCall, callId: string): Made {
  const { originalTool: name = "", originalInput: input } = call;
  const common = { callId, name, namespace: undefined, input };
  if (name === "local_shell")
    return {
      ...common,
      item: { type: "local_shell_call", call_id: callId, status: "completed", action: input },
    };
  if (name === "web_search_call")
    return { ...common, item: { type: "web_search_call", status: "completed", action: input } };
  return itemFor(name, input ?? {}, callId);
}

function itemFor(fullName: string, input: unknown, callId: string): Made {
  const { name, namespace } = split(fullName);
  const isScript = name === "exec" && namespace === undefined;
  const isPatch = name === "apply_patch" && typeof input === "string" && !input.trimStart().startsWith("{");
  if (typeof input === "string" && (isScript || isPatch)) {
    const item = { type: "custom_tool_call", status: "completed", call_id: callId, name, input };
    return { item, callId, name, namespace, input };
  }
  const given = typeof input === "string" ? input : JSON.stringify(input);
  const scope = namespace === undefined ? {} : { namespace };
  const item = { type: "function_call", name, ...scope, arguments: given, call_id: callId };
  return { item, callId, name, namespace, input: typeof input === "string" ? parsed(input) : input };
}

const LONGEST_NAME = 128;

/** MCP tools, and those set off by a dot, have a namespace of their own. */
function split(fullName: string): { name: string; namespace: string | undefined } {
  const [, scope, tool] = /^(mcp__.+?)__(.+)$/s.exec(fullName) ?? /^([^.]+)\.(.+)$/s.exec(fullName) ?? [];
  const safe = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, LONGEST_NAME) || "unknown";
  return { name: safe(tool ?? fullName), namespace: scope === undefined ? undefined : safe(scope) };
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
  return text.length < SHORTENED_FROM ? undefined : { fallback_token_limit_override: text.length };
}
