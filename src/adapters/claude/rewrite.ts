// Writes changed entries into the record they came from; everything else in the record stays.
import { type Loss, loss } from "../../session/losses.ts";
import type { Entry, Part, ToolCall, ToolResult } from "../../session/session.ts";
import { switchMark, switchWords } from "../switched.ts";
import { displayed } from "./displayed.ts";
import { blocksOfParts } from "./draft.ts";
import { groupsOf } from "./messages.ts";
import { blocksOf, type ClaudeBlock, filled, isObject, type Json } from "./native.ts";
import { signature } from "./signature.ts";
import { nativeInput } from "./tools.ts";
import { translate } from "./translate.ts";

/** The record with these entries in place of what it said; undefined where its kind cannot say them. */
export function rewritten(
  value: Json,
  before: readonly Entry[],
  entries: readonly Entry[],
  losses: Loss[],
): Json | undefined {
  const [first] = entries;
  if (first?.type === "switch") return { ...value, content: switchWords(first), ...switchMark(first) };
  const pieces = piecesOf(value);
  const blocks = entries.flatMap((entry) => {
    const at = before.findIndex(({ id }) => id === entry.id);
    const piece = pieces.length === before.length ? pieces[at] : undefined;
    return blocksFor(entry, before[at], piece, losses);
  });
  const changed = withContent(value, blocks);
  const result = entries.find((entry) => entry.type === "tool_result");
  return changed && result && value.toolUseResult !== undefined
    ? { ...changed, toolUseResult: shown(value.toolUseResult, result) }
    : changed;
}

/** The entries as reading the record will yield them: a call that was edited is in the tool's own words again. */
export function asWritten(value: Json, entries: readonly Entry[]): Entry[] {
  const blocks = blocksOf(isObject(value.message) ? value.message.content : undefined);
  return entries.map((entry) => {
    const block = entry.type === "tool_call" ? blocks.find(({ id }) => id === entry.id) : undefined;
    return block ? ({ ...entry, originalTool: block.name, originalInput: block.input } as Entry) : entry;
  });
}

/** The blocks behind each entry of a message. */
function piecesOf(value: Json): (readonly ClaudeBlock[])[] {
  const content = isObject(value.message) ? value.message.content : value.content;
  if (value.type === "tool_result") return [[value]];
  if (value.type === "assistant")
    return blocksOf(content).flatMap((block) => (groupsOf({}, [block]).length > 0 ? [[block]] : []));
  return groupsOf(value, blocksOf(content)).map(({ result, blocks }) => (result ? [result] : blocks));
}

function withContent(value: Json, blocks: ClaudeBlock[]): Json | undefined {
  const { message, attachment } = value;
  const before = isObject(message) ? message.content : value.content;
  const [first] = blocks;
  const isText = blocks.length === 1 && first?.type === "text" && !Array.isArray(before);
  const content = isText && value.type !== "assistant" ? first.text : blocks;
  switch (value.type) {
    case "tool_result":
      return first && blocks.length === 1 ? { ...value, ...first } : undefined;
    case "attachment": {
      // Of the others the CLI keeps material that it words anew.
      if (!isObject(attachment) || attachment.type !== "queued_command") return undefined;
      const prompt = blocks.length === 1 && first?.type === "text" ? first.text : blocks;
      return { ...value, attachment: { ...attachment, prompt } };
    }
    case "system":
      return isText ? { ...value, content } : undefined;
    default:
      return message === undefined
        ? { ...value, content }
        : { ...value, message: { ...(isObject(message) ? message : {}), content } };
  }
}

/** What the CLI shows of a result; what it found out besides stays. */
function shown(recorded: unknown, result: ToolResult): unknown {
  const known = displayed("", {}, result);
  if (!isObject(recorded)) return known;
  const { file } = recorded;
  return {
    ...recorded,
    ...(typeof recorded.stdout === "string" && { stdout: known }),
    ...(filled(recorded.agentId) && { content: [{ type: "text", text: known }] }),
    ...(isObject(file) && typeof file.content === "string" && { file: { ...file, content: known } }),
  };
}

function blocksFor(
  entry: Entry,
  before: Entry | undefined,
  piece: readonly ClaudeBlock[] | undefined,
  losses: Loss[],
): readonly ClaudeBlock[] {
  if (before && piece && signature(before) === signature(entry)) return piece;
  switch (entry.type) {
    case "tool_call":
      return callBlocks(entry, piece?.[0], losses);
    case "tool_result":
      return [resultBlock(entry, before, piece?.[0], losses)];
    case "compaction":
      return [{ type: "text", text: entry.summary ?? "" }];
    case "switch":
      return [];
    default:
      return partsNow(entry, before).flatMap((part) =>
        part.type === "thinking"
          ? thinkingBlock(part, entry.id, losses)
          : blocksOfParts({ ...entry, parts: [part] }, losses),
      );
  }
}

function callBlocks(entry: ToolCall, block: ClaudeBlock | undefined, losses: Loss[]): ClaudeBlock[] {
  const { id, tool, input, originalTool } = entry;
  const base = { ...(block ?? { type: "tool_use" }), id };
  const native = originalTool === undefined ? undefined : nativeInput(originalTool, { tool, input });
  if (native) return [{ ...base, name: originalTool, input: native }];
  const { pairs, losses: found } = translate(entry, undefined);
  losses.push(...found.filter(({ kind }) => kind !== "tool_split"));
  const [pair] = pairs;
  if (pairs.length > 1)
    losses.push(loss("edit_ignored", { entry: id }, `a call that would be ${pairs.length}: only the first`));
  return pair ? [{ ...base, name: pair.name, input: pair.input }] : [];
}

type Said = Extract<Entry, { content: string }>;

/** Whoever changed only the plain text of an entry means its text parts. */
function partsNow(entry: Said, before: Entry | undefined): Part[] {
  const { parts, content } = entry;
  if (!parts) return [{ type: "text", text: content }];
  if (!before || !("content" in before) || !isSame(before.parts, parts)) return parts;
  const thinking = entry.type === "assistant" ? entry.thinking : undefined;
  const others = parts.flatMap((part): Part[] => {
    if (part.type === "text") return [];
    return [part.type === "thinking" && thinking !== undefined ? { ...part, text: thinking } : part];
  });
  if (before.content === content) return parts.every(({ type }) => type === "thinking") ? others : parts;
  return [{ type: "text", text: content }, ...others];
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function thinkingBlock(
  part: Extract<Part, { type: "thinking" }>,
  entry: string,
  losses: Loss[],
): ClaudeBlock[] {
  if (part.signature === undefined) {
    losses.push(loss("thinking_dropped", { entry }, "it has no signature"));
    return [];
  }
  if (part.hidden) return [{ type: "redacted_thinking", data: part.signature }];
  return [{ type: "thinking", thinking: part.text, signature: part.signature }];
}

function resultBlock(
  result: ToolResult,
  before: Entry | undefined,
  block: ClaudeBlock | undefined,
  losses: Loss[],
): ClaudeBlock {
  const { is_error: _, ...base } = block ?? { type: "tool_result" };
  const isTextOnly =
    before?.type === "tool_result" && before.output !== result.output && isSame(before.parts, result.parts);
  const media = (result.parts ?? []).filter(({ type }) => type !== "text");
  const parts: Part[] = isTextOnly ? [{ type: "text", text: result.output }, ...media] : (result.parts ?? []);
  const blocks = blocksOfParts({ id: result.id, parts, content: "" }, losses);
  const isPlain = blocks.length === 0 || (blocks.length === 1 && blocks[0]?.type === "text" && !result.parts);
  return {
    ...base,
    tool_use_id: result.callId,
    content: isPlain ? result.output : blocks,
    ...(!result.success && { is_error: true }),
  };
}
