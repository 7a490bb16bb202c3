// Records of the conversation become entries: one for each block, joined by the id of the model message.
import type { AssistantEntry, Entry, Link, ToolCall, Usage, UserEntry } from "../../session/session.ts";
import { hasInstructionsMark } from "../instructions.ts";
import { type SwitchEntry, switchIn } from "../switched.ts";
import { type Attached, attached } from "./attachments.ts";
import { type Content, contentOf, mediaPart, otherText } from "./blocks.ts";
import { boundaryRecord, summaryRecord } from "./compaction.ts";
import { detailsOf } from "./details.ts";
import { isInjected } from "./injected.ts";
import {
  type ClaudeBlock,
  type ClaudeRecord,
  count,
  filled,
  INTERRUPTED,
  isObject,
  isShallow,
  SYNTHETIC,
  TOO_DEEP,
  text,
} from "./native.ts";
import {
  contentBlocks,
  DEEP,
  type Line,
  parentOf,
  passBy,
  patch,
  promptStart,
  remember,
  report,
} from "./state.ts";
import { universalCall } from "./tools.ts";

const FILLER = "No response requested.";

/** What all entries of one record have in common. */
interface Common {
  timestamp: string;
  records: number[];
  turn?: string;
  model?: string;
  interrupted?: boolean;
}

/** The entries of a record, the first one under its uuid, the others numbered. */
interface Draft {
  line: Line;
  common: Common;
  size: number;
  last: string;
}

function draft(line: Line, more: Partial<Common> = {}): Draft {
  return { line, common: { timestamp: line.time, records: [line.record.index], ...more }, size: 0, last: "" };
}

function nextId({ line, size }: Draft): string {
  return size === 0 ? line.id : `${line.id}.${size}`;
}

function add(entries: Draft, entry: Entry): void {
  const { line } = entries;
  const parent = entries.size === 0 ? parentOf(line) : undefined;
  if (parent !== undefined) entry.parent = parent;
  line.out.push({ type: "entry", entry });
  entries.last = entry.id;
  entries.size++;
}

/** Later records name this one by its uuid, whatever its entries are called. */
function finish({ line, size, last }: Draft): void {
  if (size === 0) passBy(line);
  else if (line.hasUuid) {
    if (last !== line.id) line.out.push({ type: "link", id: line.id, parent: last, alias: true });
    line.state.tail = line.id;
  }
}

export function userRecord(line: Line): void {
  const { value, state } = line;
  if (value.isCompactSummary === true && state.boundary) {
    summaryRecord(line, state.boundary);
    return;
  }
  const content = isObject(value.message) ? value.message.content : value.content;
  if (content === undefined) report(line, "record_malformed", "a user record without content");
  const entries = draft(line);
  for (const group of groupsOf(value, contentBlocks(line, content))) {
    if (group.result) addResult(entries, group.result);
    else if (hasInstructionsMark(value)) addInstructions(entries, contentOf(group.blocks));
    else addSaid(entries, contentOf(group.blocks), group.injected);
  }
  finish(entries);
}

interface Group {
  blocks: ClaudeBlock[];
  injected: boolean;
  result?: ClaudeBlock;
}

/** What a user record says in one piece: a result, or neighbouring blocks of one origin. */
export function groupsOf(value: ClaudeRecord, blocks: readonly ClaudeBlock[]): Group[] {
  const groups: Group[] = [];
  for (const block of blocks) {
    if (block.type === "tool_result") groups.push({ blocks: [], injected: false, result: block });
    else if (!isEmpty(block)) {
      const injected = isInjected(value, block);
      const last = groups.at(-1);
      if (last && !last.result && last.injected === injected) last.blocks.push(block);
      else groups.push({ blocks: [block], injected });
    }
  }
  return groups;
}

function addSaid(entries: Draft, { text: content, parts }: Content, injected: boolean): void {
  const entry: UserEntry = { id: nextId(entries), type: "user", content, ...entries.common };
  if (parts) entry.parts = parts;
  if (injected) entry.injected = true;
  if (content.startsWith(INTERRUPTED)) entry.interrupted = true;
  add(entries, entry);
}

/** Of ours, for what has no place of its own here. */
function addInstructions(entries: Draft, { text: content, parts }: Content): void {
  add(entries, {
    id: nextId(entries),
    type: "system",
    content,
    ...entries.common,
    ...(parts && { parts }),
  });
}

/** The CLI never sends empty text. Long texts may be cut, so only short ones are looked at. */
function isEmpty(block: ClaudeBlock): boolean {
  return block.type === "text" && (typeof block.text !== "string" || isBlank(block.text));
}

function isBlank(words: string): boolean {
  return words.length < 256 && words.trim() === "";
}

function addResult(entries: Draft, block: ClaudeBlock): void {
  const { line } = entries;
  const { toolUseResult, toolDenialKind } = line.value;
  const callId = text(block.tool_use_id);
  if (callId === undefined) report(line, "record_malformed", "a tool result that names no call");
  const failed = block.is_error === true;
  const { text: output, parts } = contentOf(contentBlocks(line, block.content));
  // One record holds one result; where there are more, what is beside the text belongs to the first.
  const details = detailsOf(entries.size === 0 ? toolUseResult : undefined, output, failed);
  const cut =
    toolDenialKind === "interrupted" || (isObject(toolUseResult) && toolUseResult.interrupted === true);
  add(entries, {
    id: nextId(entries),
    type: "tool_result",
    callId: callId ?? "",
    success: !failed,
    output,
    ...entries.common,
    ...(parts && { parts }),
    ...(details && { details }),
    ...(cut && { interrupted: true }),
  });
  const link = entries.size === 1 && callId !== undefined && subagentLink(line.state, callId, toolUseResult);
  if (link) patch(line, { link });
}

/** The subagent that a call started, as what is recorded beside its result names it. */
export function subagentLink({ id }: Line["state"], entry: string, recorded: unknown): Link | undefined {
  if (!isObject(recorded)) return undefined;
  const agent = filled(recorded.agentId);
  if (agent === undefined) return undefined;
  const label = filled(recorded.description);
  // All subagents of a session lie side by side, those of subagents too.
  const session = `claude:${id.split("/", 1)[0]}/agent-${agent}`;
  return { type: "subagent", session, entry, ...(label && { label: label.slice(0, 200) }) };
}

/** Simplified transcripts keep a result as a record of its own. */
export function resultRecord(line: Line): void {
  const entries = draft(line);
  addResult(entries, line.value);
  finish(entries);
}

export function assistantRecord(line: Line): void {
  const { value, state } = line;
  const message = isObject(value.message) ? value.message : value;
  const model = filled(message.model);
  if (message.content === undefined) report(line, "record_malformed", "an assistant record without content");
  const blocks = contentBlocks(line, message.content);
  // Measured: errors that the CLI words itself are not sent again.
  if (value.isApiErrorMessage === true && model === SYNTHETIC) {
    noteRecord(line, contentOf(blocks).text, "api_error");
    return;
  }
  const usage = model === SYNTHETIC ? undefined : usageOf(message.usage, value.costUSD);
  const turn = filled(message.id) ?? (usage || blocks.length > 1 ? line.id : undefined);
  if (model !== undefined && model !== SYNTHETIC && model !== state.model) {
    state.model = model;
    patch(line, { model });
  }
  const entries = draft(line, {
    ...(turn !== undefined && { turn }),
    ...(model !== undefined && model !== SYNTHETIC && { model }),
    ...(value.isAbortedMidStream === true && { interrupted: true }),
  });
  for (const block of blocks) addBlock(entries, block, model === SYNTHETIC);
  finish(entries);
  if (usage && turn !== undefined) line.out.push({ type: "usage", turn, usage, message: turn });
}

export function usageOf(usage: unknown, cost: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const found: Usage = { input: count(usage.input_tokens), output: count(usage.output_tokens) };
  const cacheRead = count(usage.cache_read_input_tokens);
  const cacheWrite = count(usage.cache_creation_input_tokens);
  if (cacheRead > 0) found.cacheRead = cacheRead;
  if (cacheWrite > 0) found.cacheWrite = cacheWrite;
  const written = usage.cache_creation;
  const cacheWriteHour = isObject(written) ? count(written.ephemeral_1h_input_tokens) : 0;
  if (cacheWriteHour > 0) found.cacheWriteHour = cacheWriteHour;
  const details = usage.output_tokens_details;
  const reasoning = isObject(details) ? count(details.thinking_tokens) : 0;
  if (reasoning > 0) found.reasoning = reasoning;
  if (count(cost) > 0) found.cost = count(cost);
  return found;
}

function addBlock(entries: Draft, block: ClaudeBlock, synthetic: boolean): void {
  switch (block.type) {
    case "text":
      if (!isEmpty(block)) add(entries, reply(entries, text(block.text) ?? "", synthetic));
      break;
    case "thinking":
      addThinking(entries, text(block.thinking) ?? "", filled(block.signature), false);
      break;
    case "redacted_thinking":
      addThinking(entries, "", filled(block.data), true);
      break;
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      addCall(entries, block);
      break;
    default:
      if (typeof block.tool_use_id === "string") addResult(entries, block);
      else addOther(entries, block);
  }
}

function reply(entries: Draft, content: string, synthetic = false): AssistantEntry {
  const entry: AssistantEntry = { id: nextId(entries), type: "assistant", content, ...entries.common };
  // The CLI fills in where a prompt was never answered; it sends that again, but no model said it.
  if (synthetic && content === FILLER) entry.injected = true;
  return entry;
}

function addThinking(entries: Draft, words: string, signature: string | undefined, hidden: boolean): void {
  const entry = reply(entries, "");
  if (words !== "") entry.thinking = words;
  const signed = signature === undefined ? {} : { signature };
  entry.parts = [{ type: "thinking", text: words, ...signed, ...(hidden && { hidden }) }];
  add(entries, entry);
}

function addOther(entries: Draft, block: ClaudeBlock): void {
  const media = mediaPart(block);
  if (!media) report(entries.line, "record_unknown", `a block of type ${String(block.type).slice(0, 80)}`);
  const entry = reply(entries, media ? "" : otherText(block));
  if (media) entry.parts = [media];
  add(entries, entry);
}

function addCall(entries: Draft, block: ClaudeBlock): void {
  const { line } = entries;
  const name = text(block.name) ?? "unknown";
  const id = filled(block.id);
  if (id === undefined) report(line, "record_malformed", "a tool call without an id");
  const native = shallow(line, block.input);
  const { tool, input } = universalCall(name, native);
  const entry: ToolCall = {
    id: id ?? nextId(entries),
    type: "tool_call",
    tool,
    input,
    originalTool: name,
    originalInput: native,
    ...entries.common,
  };
  add(entries, entry);
  if (tool === "task")
    remember(line.state.tasks, [
      entry.id,
      promptStart(input.prompt),
      text(input.description)?.slice(0, 200) ?? "",
    ]);
}

function shallow(line: Line, value: unknown): unknown {
  if (isShallow(value)) return value;
  report(line, "record_malformed", DEEP);
  return { note: TOO_DEEP };
}

export function attachmentRecord(line: Line): void {
  const found = attached(line.value, (what) => report(line, "record_malformed", what));
  const entries = draft(line);
  if (found) add(entries, attachedEntry(entries, found));
  finish(entries);
}

function attachedEntry(entries: Draft, { role, kind, parts, injected }: Attached): Entry {
  const content = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const shared = { id: nextId(entries), content, ...entries.common, ...(injected && { injected }) };
  const whole = parts.length > 1 || parts[0]?.type !== "text" ? { parts } : {};
  return role === "system"
    ? { ...shared, ...whole, type: "system", subtype: kind }
    : { ...shared, ...whole, type: "user" };
}

export function systemRecord(line: Line): void {
  const { value } = line;
  const subtype = text(value.subtype);
  const content = filled(value.content) ?? errorText(value.error);
  const made = switchIn(value);
  if (made) switchRecord(line, made);
  else if (subtype === "compact_boundary" && line.hasUuid) boundaryRecord(line);
  else if (subtype === "init") initRecord(line);
  else if (content === undefined) passBy(line);
  else if (subtype === "local_command") {
    // Measured: the only notes that are sent to the model again, as words of the user.
    const entries = draft(line);
    addSaid(entries, { text: content }, true);
    finish(entries);
  } else noteRecord(line, content, subtype);
}

function switchRecord(line: Line, made: SwitchEntry["switch"]): void {
  const entries = draft(line);
  add(entries, { id: nextId(entries), type: "switch", switch: made, ...entries.common });
  finish(entries);
}

function noteRecord(line: Line, content: string, subtype: string | undefined): void {
  const entries = draft(line);
  const kind = subtype === undefined ? {} : { subtype };
  add(entries, { id: nextId(entries), type: "system", content, ...kind, note: true, ...entries.common });
  finish(entries);
}

function errorText(error: unknown): string | undefined {
  if (typeof error === "string") return filled(error);
  return isObject(error) ? (filled(error.formatted) ?? filled(error.message)) : undefined;
}

/** The first line of a saved stream-json output, and of simplified transcripts. */
function initRecord(line: Line): void {
  const { value, state } = line;
  const model = filled(value.model);
  if (model !== undefined) {
    state.model = model;
    patch(line, { model });
  }
  const version = filled(value.claude_code_version);
  if (version !== undefined) patch(line, { cliVersion: version });
  if (line.hasUuid && value.parentUuid !== undefined) passBy(line);
}
