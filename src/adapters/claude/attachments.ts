// Attachments: context that the CLI puts into the thread by itself. Which kinds reach the model on a resume, and
// in which form, was measured with 2.1.325 for every kind named here; the others are never sent.
import type { Part } from "../../session/session.ts";
import { imagePart, mediaPart } from "./blocks.ts";
import { blocksOf, type ClaudeRecord, filled, isObject, type Json, text } from "./native.ts";

export interface Attached {
  /** system: what the CLI says about itself; user: material for the conversation. */
  role: "system" | "user";
  kind: string;
  parts: Part[];
  /** False for a prompt that the user typed while the model was at work. */
  injected: boolean;
}

/** What an attachment tells the model; undefined when it tells nothing. */
export function attached(record: ClaudeRecord, odd: (what: string) => void): Attached | undefined {
  const { attachment } = record;
  if (!isObject(attachment)) return undefined;
  const kind = text(attachment.type) ?? "attachment";
  if (kind === "queued_command") return queued(attachment, odd);
  const texts = rendered(record);
  const parts = texts.length > 0 ? texts.map(asText) : unrendered(kind, attachment);
  if (parts.length === 0) return undefined;
  return { role: AMBIENT.has(kind) ? "system" : "user", kind, parts, injected: true };
}

/** What the agent tells its model about itself and its surroundings. */
const AMBIENT: ReadonlySet<string> = new Set([
  "agent_listing_delta",
  "auto_mode",
  "auto_mode_exit",
  "budget_usd",
  "date",
  "date_change",
  "deferred_tools_delta",
  "environment",
  "mcp_instructions_delta",
  "model",
  "output_style",
  "plan_mode",
  "plan_mode_exit",
  "plan_mode_reentry",
  "read_truncation_notice",
  "remote_session_change",
  "session_context",
  "silent_turn_reminder",
  "skill_listing",
  "task_reminder",
  "todo_reminder",
  "token_usage",
  "total_tokens_reminder",
  "ultra_effort_enter",
]);

/** Since 2.1.2xx the text as it was sent stands in the record, and a resume sends it again letter by letter. */
function rendered(record: ClaudeRecord): string[] {
  if (!Array.isArray(record.rendered) || text(record.renderedRole) === undefined) return [];
  return record.rendered.flatMap((one) => (isObject(one) ? (filled(one.content) ?? []) : [])).map(unwrapped);
}

const OPEN = "<system-reminder>\n";
const CLOSE = "\n</system-reminder>";

function unwrapped(reminder: string): string {
  return reminder.startsWith(OPEN) && reminder.endsWith(CLOSE)
    ? reminder.slice(OPEN.length, -CLOSE.length)
    : reminder;
}

function queued(attachment: Json, odd: (what: string) => void): Attached | undefined {
  const parts = blocksOf(attachment.prompt, odd).flatMap((block): Part[] => {
    const media = mediaPart(block);
    const words = filled(block.text);
    if (media) return [media];
    return words === undefined ? [] : [asText(words)];
  });
  if (parts.length === 0) return undefined;
  const { origin } = attachment;
  const byHand = !isObject(origin) || origin.kind === undefined || origin.kind === "human";
  const typed = attachment.commandMode !== "task-notification" && attachment.isMeta !== true && byHand;
  return { role: "user", kind: "queued_command", parts, injected: !typed };
}

/** Earlier versions keep only the material; the CLI words it anew on every resume. */
function unrendered(kind: string, attachment: Json): Part[] {
  if (kind === "file") return fileParts(attachment);
  const read = Object.hasOwn(MATERIAL, kind) ? MATERIAL[kind] : undefined;
  return read
    ? read(attachment).flatMap((one) => (filled(one) === undefined ? [] : asText(one as string)))
    : [];
}

const asText = (words: string): Part => ({ type: "text", text: words });

function fileParts({ filename, content }: Json): Part[] {
  const file = isObject(content) && isObject(content.file) ? content.file : {};
  const name = asText(text(filename) ?? text(file.filePath) ?? "");
  const words = text(file.content);
  if (words !== undefined) return [name, asText(numbered(words, file.startLine))];
  const image = imagePart(file.base64, file.type);
  return image && isObject(content) && content.type === "image" ? [name, image] : [name];
}

/** The CLI shows files with line numbers. */
function numbered(words: string, start: unknown): string {
  const first = typeof start === "number" ? start : 1;
  return words
    .split("\n")
    .map((line, index) => `${first + index}\t${line}`)
    .join("\n");
}

type Material = (attachment: Json) => unknown[];

const field =
  (...names: string[]): Material =>
  (attachment) =>
    names.map((name) => attachment[name]);

const each =
  (list: string, name: string): Material =>
  (attachment) => {
    const items = attachment[list];
    return Array.isArray(items) ? items.map((item) => (isObject(item) ? item[name] : item)) : [];
  };

const inside =
  (name: string, material: Material): Material =>
  (attachment) => {
    const inner = attachment[name];
    return isObject(inner) ? material(inner) : [];
  };

const MATERIAL: Readonly<Record<string, Material>> = {
  agent_listing_delta: (attachment) => [lines(attachment.addedLines)],
  agent_mention: field("agentType"),
  async_hook_response: inside("response", (response) => [
    response.systemMessage,
    ...inside("hookSpecificOutput", field("additionalContext"))(response),
  ]),
  compact_file_reference: field("filename"),
  critical_system_reminder: field("content"),
  date: field("date"),
  date_change: field("newDate"),
  deferred_tools_delta: (attachment) => [lines(attachment.addedLines)],
  diagnostics: (attachment) =>
    each("files", "diagnostics")(attachment).flatMap((found) => each("found", "message")({ found })),
  directory: field("path", "content"),
  edited_text_file: field("filename", "snippet"),
  hook_additional_context: each("content", ""),
  hook_blocking_error: inside("blockingError", field("blockingError")),
  hook_stopped_continuation: field("message"),
  hook_success: (attachment) =>
    attachment.hookEvent === "SessionStart" || attachment.hookEvent === "UserPromptSubmit"
      ? [attachment.content]
      : [],
  instructions: each("files", "content"),
  invoked_skills: each("skills", "content"),
  mcp_instructions_delta: (attachment) => [lines(attachment.addedBlocks)],
  mcp_resource: inside("content", each("contents", "text")),
  nested_memory: inside("content", field("content")),
  opened_file_in_ide: field("filename"),
  output_style: field("style"),
  pdf_reference: field("filename"),
  plan_file_reference: field("planFilePath", "planContent"),
  read_truncation_notice: field("banner"),
  relevant_memories: each("memories", "content"),
  selected_lines_in_ide: field("filename", "content"),
  session_context: inside("context", (context) => Object.values(context)),
  skill_listing: field("content"),
  task_status: field("description", "status"),
  total_tokens_reminder: field("text"),
};

function lines(value: unknown): string {
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("\n") : "";
}
