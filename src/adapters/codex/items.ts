// One response item as an entry: what the model said, called or was told. The same function serves the lines
// of a rollout and the items that stand in for compacted history.
import type {
  AssistantEntry,
  Entry,
  Part,
  SystemEntry,
  ToolCall,
  ToolResult,
  UserEntry,
} from "../../session/session.ts";
import { contentOf, type Odd, outputOf, textsOf } from "./content.ts";
import { isContext, isSurroundings } from "./context.ts";
import { isObject, type JsonObject, text, word } from "./native.ts";
import { type CallFacts, outcomeOf } from "./outcome.ts";
import {
  type Universal,
  universalCall,
  universalSearch,
  universalShell,
  universalText,
} from "./universal.ts";

export interface ItemContext {
  id: string;
  timestamp: string;
  index: number;
  /** False when long strings may be cut: what is inside them must not be interpreted. */
  whole: boolean;
  model?: string | undefined;
  /** The line itself says whether it is context that an agent added; absent = it does not. */
  injected?: boolean;
  /** Told about content that no part can hold. */
  odd?: Odd;
  /** What events said about a call before its output came. */
  factsOf?(callId: string): CallFacts | undefined;
}

/** An entry that is not made of others. */
export type PlainEntry = Exclude<Entry, { type: "compaction" }>;

/** "unknown" for an item of a type nobody here knows, "malformed" for one that lacks what it needs. */
export type ItemResult = PlainEntry | "unknown" | "malformed";

export function entryOf(item: JsonObject, context: ItemContext): ItemResult {
  switch (item.type) {
    case "message":
      return messageEntry(item, context);
    case "reasoning":
      return thinkingEntry(item, context);
    case "function_call":
      return functionEntry(item, context);
    case "custom_tool_call":
      return customEntry(item, context);
    case "local_shell_call":
      return shellEntry(item, context);
    case "web_search_call":
      return searchEntry(item, context);
    case "tool_search_call":
      return callEntry(item, context, "tool_search", item.arguments, {
        tool: "unknown",
        input: isObject(item.arguments) ? item.arguments : {},
      });
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      return resultEntry(item, context, item.output);
    case "tool_search_output":
      return resultEntry(item, context, JSON.stringify(item.tools ?? []));
    case "agent_message":
      return agentEntry(item, context);
    case "image_generation_call":
      return imageEntry(item, context);
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
      return sealedEntry(item, context);
    default:
      return "unknown";
  }
}

function common(item: JsonObject, context: ItemContext) {
  const originalId = word(item.id);
  return {
    id: context.id,
    timestamp: context.timestamp,
    records: [context.index],
    ...(originalId !== undefined && { originalId }),
  };
}

/** Who said it, for what a model produced. */
function author(context: ItemContext) {
  return context.model === undefined ? {} : { model: context.model };
}

function messageEntry(item: JsonObject, context: ItemContext): ItemResult {
  const content = contentOf(item.content, context.odd);
  const shared = { ...common(item, context), content: content.text };
  const parts = content.parts && { parts: content.parts };
  switch (item.role) {
    case "assistant":
      return { ...shared, ...parts, ...author(context), type: "assistant" } satisfies AssistantEntry;
    case "user": {
      if (isSurroundings(content.text)) return { ...shared, ...parts, ...CONTEXT, subtype: "context" };
      const isAdded = context.injected || isInjected(content.text, content.parts);
      const injected = isAdded && { injected: true };
      return { ...shared, ...parts, ...injected, type: "user" } satisfies UserEntry;
    }
    case "developer":
      if (context.injected === false) return { ...shared, ...parts, type: "system" } satisfies SystemEntry;
      return { ...shared, ...parts, ...CONTEXT, subtype: "developer" };
    // Codex leaves these out of what it sends (0.166.0), so no model saw them.
    case "system":
      return { ...shared, ...parts, type: "system", note: true } satisfies SystemEntry;
    default:
      return "malformed";
  }
}

/** What Codex tells its model about itself: another agent tells its own. */
const CONTEXT = { type: "system", injected: true } as const;

function isInjected(content: string, parts: readonly Part[] | undefined): boolean {
  if (!parts) return isContext(content);
  return parts.some((part) => part.type === "text" && isContext(part.text));
}

/** Raw reasoning, where it is recorded, comes before its summary. */
function thinkingEntry(item: JsonObject, context: ItemContext): AssistantEntry {
  const raw = textsOf(item.content, context.odd).join("\n\n");
  const summary = textsOf(item.summary, context.odd).join("\n\n");
  const entry = thinking(item, context, raw === "" ? summary : raw);
  if (raw !== "" && summary !== "") entry.parts?.push({ type: "thinking", text: summary });
  return entry;
}

/** A summary that only the vendor can read. */
function sealedEntry(item: JsonObject, context: ItemContext): AssistantEntry {
  return thinking(item, context, "");
}

function thinking(item: JsonObject, context: ItemContext, thought: string): AssistantEntry {
  const signature = word(item.encrypted_content);
  const part: Part = {
    type: "thinking",
    text: thought,
    ...(signature !== undefined && { signature }),
    ...(thought === "" && { hidden: true }),
  };
  return { ...common(item, context), ...author(context), type: "assistant", content: "", parts: [part] };
}

function imageEntry(item: JsonObject, context: ItemContext): AssistantEntry {
  const data = word(item.result);
  const part: Part = { type: "image", mimeType: "image/png", ...(data !== undefined && { data }) };
  return { ...common(item, context), ...author(context), type: "assistant", content: "", parts: [part] };
}

/** A message from another agent. An encrypted one cannot be read by anybody but the vendor. */
function agentEntry(item: JsonObject, context: ItemContext): UserEntry {
  const words = textsOf(item.content, context.odd).join("\n");
  return { ...common(item, context), type: "user", content: words, injected: true };
}

function functionEntry(item: JsonObject, context: ItemContext): ItemResult {
  const name = word(item.name);
  if (name === undefined) return "malformed";
  const namespace = word(item.namespace);
  // The API wants a string; a few other writers have put an object here.
  const argument = typeof item.arguments === "string" ? item.arguments : JSON.stringify(item.arguments ?? {});
  const universal = context.whole ? universalCall(name, namespace, argument) : NOTHING;
  return callEntry(item, context, fullName(name, namespace), argument, universal);
}

const NOTHING: Universal = { tool: "unknown", input: {} };

/** MCP tools read like those of other agents; other namespaces are set off by a dot. */
export function fullName(name: string, namespace: string | undefined): string {
  if (namespace === undefined) return name;
  return namespace.startsWith("mcp__") ? `${namespace.replace(/__$/, "")}__${name}` : `${namespace}.${name}`;
}

function customEntry(item: JsonObject, context: ItemContext): ItemResult {
  const name = word(item.name);
  if (name === undefined) return "malformed";
  const input = text(item.input) ?? "";
  const universal = context.whole ? universalText(name, input) : NOTHING;
  return callEntry(item, context, fullName(name, word(item.namespace)), input, universal);
}

function shellEntry(item: JsonObject, context: ItemContext): ItemResult {
  const action = isObject(item.action) ? item.action : {};
  const universal = universalShell(action) ?? { tool: "unknown", input: action };
  return callEntry(item, context, "local_shell", action, universal);
}

/** The vendor's own search: there is no result to wait for. */
function searchEntry(item: JsonObject, context: ItemContext): ItemResult {
  const action = isObject(item.action) ? item.action : {};
  const universal = universalSearch(action);
  const call = { call_id: word(item.id) ?? context.id, ...item };
  const entry = callEntry(call, context, "web_search_call", action, universal);
  return typeof entry === "string" ? entry : { ...entry, status: "completed", hosted: true };
}

function callEntry(
  item: JsonObject,
  context: ItemContext,
  originalTool: string,
  originalInput: unknown,
  universal: Universal,
): ToolCall | "malformed" {
  // The oldest rollouts had the call's id in `id`.
  const id = word(item.call_id) ?? word(item.id);
  if (id === undefined) return "malformed";
  const { originalId, ...shared } = common(item, context);
  return {
    ...shared,
    ...(originalId !== undefined && originalId !== id && { originalId }),
    ...author(context),
    id,
    type: "tool_call",
    tool: universal.tool,
    input: universal.input,
    originalTool,
    originalInput,
  };
}

function resultEntry(item: JsonObject, context: ItemContext, output: unknown): ItemResult {
  const callId = word(item.call_id);
  if (callId === undefined) return "malformed";
  const content = outputOf(output, context.odd);
  const outcome = outcomeOf(content.text, context.factsOf?.(callId));
  const stated = isObject(output) && typeof output.success === "boolean" ? output.success : undefined;
  return {
    ...common(item, context),
    type: "tool_result",
    callId,
    success: stated ?? outcome.success,
    output: content.text,
    ...(content.parts && { parts: content.parts }),
    ...(outcome.details && { details: outcome.details }),
  } satisfies ToolResult;
}
