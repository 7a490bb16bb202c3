// Lines of a model message: text, thinking and calls share its id; the results of the calls hang below them.
import { isAbsolute, join, win32 } from "node:path";
import { isSameModel } from "../../models/names.ts";
import { isMedia } from "../../session/image.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type { AssistantEntry, Entry, Part, ToolResult } from "../../session/session.ts";
import { callText } from "../../session/text.ts";
import type { Exchange } from "../../transform/exchanges.ts";
import type { Written } from "../adapter.ts";
import { contentOf } from "./blocks.ts";
import { displayed } from "./displayed.ts";
import { blocksOfParts, type Draft, empty, remember } from "./draft.ts";
import { chained, messageIdAt, type Says, says } from "./lines.ts";
import { type ClaudeBlock, type Json, SYNTHETIC, text } from "./native.ts";
import { blockOf, textBlock } from "./native-blocks.ts";
import { translate } from "./translate.ts";

export function composeAssistant(entry: AssistantEntry, draft: Draft, out: Written[]): void {
  const blocks = assistantBlocks(entry, draft.losses);
  if (blocks.length === 0 && !entry.parts?.some(isMedia)) empty(entry, draft);
  for (const [index, block] of blocks.entries()) {
    const usage = index === blocks.length - 1 ? entry : undefined;
    const said = says("assistant", text(block.text) ?? "");
    out.push(remember(draft, entry.id, assistantLine(draft, entry, block, usage, said)));
  }
}

function assistantBlocks(entry: AssistantEntry, losses: Loss[]): ClaudeBlock[] {
  const parts: Part[] = entry.parts ?? [{ type: "text", text: entry.content }];
  return parts.flatMap((part): ClaudeBlock[] => {
    if (part.type === "thinking") return thinkingBlock(part, entry, losses);
    const block = isMedia(part) ? undefined : blockOf(part, entry.id, losses);
    return block ? [block] : [];
  });
}

/** Without its signature, or under another model, the API refuses a thinking block. */
function thinkingBlock(
  part: Extract<Part, { type: "thinking" }>,
  entry: AssistantEntry,
  losses: Loss[],
): ClaudeBlock[] {
  if (part.signature === undefined || !isClaudeModel(entry.model)) {
    losses.push(loss("thinking_dropped", { entry: entry.id }, "it is not signed by a Claude model"));
    return [];
  }
  if (part.hidden) return [{ type: "redacted_thinking", data: part.signature }];
  return [{ type: "thinking", thinking: part.text, signature: part.signature }];
}

/** Any account may hand a signed block back to the model that made it. */
export function keepsThinking(entryModel: string, targetModel: string): boolean {
  return isClaudeModel(entryModel) && isSameModel(entryModel, targetModel);
}

function isClaudeModel(model: string | undefined): model is string {
  return model?.startsWith("claude-") ?? false;
}

function assistantLine(
  draft: Draft,
  entry: { id: string; timestamp: string; turn?: string | undefined; model?: string | undefined },
  block: ClaudeBlock,
  last: Pick<Entry, "usage"> | undefined,
  said: Says,
) {
  const message = {
    id: messageId(draft, entry),
    type: "message",
    role: "assistant",
    model: modelFor(draft, entry.model),
    content: [block],
    stop_reason: block.type === "tool_use" ? "tool_use" : null,
    stop_sequence: null,
    ...usageFor(draft, entry.model, last?.usage),
  };
  return chained(draft.thread, { type: "assistant", message }, { timestamp: entry.timestamp, says: said });
}

/** Lines of one model message share an id; a message never goes on after something else was said. */
function messageId(draft: Draft, entry: { id: string; turn?: string | undefined }): string {
  const { message, thread } = draft;
  if (message && entry.turn !== undefined && message[0] === entry.turn) return message[1];
  const id = messageIdAt(thread);
  draft.message = entry.turn === undefined ? undefined : [entry.turn, id];
  return id;
}

/** A model that the CLI does not know would make it warn; this name makes it take its default silently. */
function modelFor(draft: Draft, model: string | undefined): string {
  if (isClaudeModel(model)) return model;
  if (model !== undefined) draft.foreign.models.add(model);
  return SYNTHETIC;
}

function usageFor(draft: Draft, model: string | undefined, usage: Entry["usage"]): Json {
  if (usage === undefined) return {};
  if (!isClaudeModel(model)) {
    draft.foreign.usage = true;
    return {};
  }
  return {
    usage: {
      input_tokens: usage.input,
      cache_creation_input_tokens: usage.cacheWrite ?? 0,
      cache_read_input_tokens: usage.cacheRead ?? 0,
      output_tokens: usage.output,
      ...(usage.reasoning !== undefined && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
    },
  };
}

interface Called {
  id: string;
  name: string;
  input: Json;
  result: ToolResult | undefined;
  uuid: string;
}

/** All calls of a model message, then their results, each under its own call. */
export function composeExchange({ pairs }: Exchange, draft: Draft, out: Written[]): void {
  const { thread, losses } = draft;
  const called: Called[] = [];
  const turn = pairs.find(({ call }) => call.turn !== undefined)?.call.turn ?? pairs[0]?.call.id;
  for (const { call, result } of pairs) {
    const translated = translate(call, result, draft.folders);
    losses.push(...translated.losses);
    for (const [index, pair] of translated.pairs.entries()) {
      const id = callId(draft, call.id, index);
      const input = absolute(pair.name, pair.input as Json, thread.target.cwd);
      const block = { type: "tool_use", id, name: pair.name, input };
      const last = index === translated.pairs.length - 1 ? call : undefined;
      const said = says("tool_call", callText(pair.name, input));
      const record = assistantLine(draft, { ...call, turn }, block, last, said);
      if (index === 0) draft.uuids.set(call.id, record.uuid);
      called.push({ id, name: pair.name, input, result: pair.result, uuid: record.uuid });
      out.push(record);
    }
  }
  draft.message = undefined;
  for (const one of called) if (one.result) out.push(resultLine(one, one.result, draft));
}

/**
 * Ids outside the API's letters are replaced; the parts of a call that became several are numbered. Claude takes
 * `X_2` for a second copy of `X` wherever the two meet and drops its result (2.1.325), so no id may end like that.
 */
function callId(draft: Draft, id: string, index: number): string {
  const letters = FINE.test(id) ? id : id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 60) || "call";
  const plain = letters.replace(/_(?=\d+$)/, "-");
  const wanted = index === 0 ? plain : `${plain}-${index + 1}`;
  let found = wanted;
  for (let again = 2; draft.used.has(found); again++) found = `${wanted}-${again}`;
  draft.used.add(found);
  if (index === 0) {
    draft.calls.set(id, found);
    if (found !== id) draft.losses.push(loss("id_changed", { entry: id }, found));
  }
  return found;
}

const FINE = /^[A-Za-z0-9_-]{1,60}$/;

const PATHS: Readonly<Record<string, string>> = {
  Read: "file_path",
  Write: "file_path",
  Edit: "file_path",
  LS: "path",
};

/** Claude's file tools take absolute paths only. */
function absolute(name: string, input: Json, cwd: string): Json {
  const field = PATHS[name];
  const path = field === undefined ? undefined : text(input[field]);
  if (field === undefined || path === undefined || path === "") return input;
  // Where nobody knows the folder, a path stays as it was said.
  if (cwd === "/" || isAbsolute(path) || win32.isAbsolute(path)) return input;
  return { ...input, [field]: join(cwd, path) };
}

export function resultLine(
  { id, name, input, uuid }: Omit<Called, "result">,
  result: ToolResult,
  draft: Draft,
): Written {
  const output = result.output === "" && !result.success ? (result.error ?? "") : result.output;
  const blocks = resultBlocks(result, draft.losses);
  const content = blocks.length > 0 ? blocks : output;
  const agentId = draft.agents.get(result.callId);
  const recorded = displayed(name, input, { ...result, output });
  const block = {
    tool_use_id: id,
    type: "tool_result",
    content,
    ...(!result.success && { is_error: true }),
  };
  const fields = {
    type: "user",
    message: { role: "user", content: [block] },
    toolUseResult:
      agentId === undefined ? recorded : { status: "completed", agentId, content: contentBlocks(output) },
    sourceToolAssistantUUID: uuid,
  };
  const said = says("tool_result", blocks.length > 0 ? contentOf(blocks).text : output);
  const record = chained(draft.thread, fields, { timestamp: result.timestamp, says: said, parent: uuid });
  return remember(draft, result.id, record);
}

/** Measured: the CLI sends only the text of a result that failed. */
function resultBlocks(result: ToolResult, losses: Loss[]): ClaudeBlock[] {
  const blocks = blocksOfParts({ id: result.id, parts: result.parts ?? [], content: "" }, losses);
  if (result.success) return blocks;
  return blocks.filter(({ type }) => {
    if (type !== "image" && type !== "document") return true;
    losses.push(loss(`${type}_dropped`, { entry: result.id }, "a failed result holds text only"));
    return false;
  });
}

function contentBlocks(output: string): ClaudeBlock[] {
  const block = textBlock(output);
  return block ? [block] : [];
}
