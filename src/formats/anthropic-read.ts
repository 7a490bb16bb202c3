// Reads a history of Anthropic's Messages API: a request (`{model?, system?, messages}`) or the list alone.
import { loss } from "../session/losses.ts";
import type { Part } from "../session/session.ts";
import type { Source } from "../session/source.ts";
import { isObject, type Json } from "./check.ts";
import { type Document, noRole, objectsAt, readDocument, sessionSource, wrong } from "./document.ts";
import { filled, newTimeline, type Timeline, text } from "./incoming.ts";

const LABEL = "an Anthropic Messages history";

export async function readAnthropic(path: string): Promise<Source> {
  const document = await readDocument(path, LABEL);
  const { value } = document;
  const { model, system, messages, ...config } = isObject(value) ? value : ({ messages: value } as Json);
  const timeline = newTimeline(document.time);
  const instructions = system === undefined ? "" : joined(system, document, "system");
  if (instructions !== "") timeline.system("system", instructions);
  for (const [at, message] of objectsAt(document, messages, "messages").entries())
    addMessage(timeline, message, at, document);
  return sessionSource(
    document,
    timeline.entries,
    { format: "anthropic", model: filled(model), provider: "anthropic", config },
    timeline.losses,
  );
}

function addMessage(timeline: Timeline, message: Json, at: number, document: Document): void {
  const place = `messages[${at}]`;
  const blocks = blocksOf(message.content, document, `${place}.content`);
  switch (message.role) {
    case "user":
      addUser(timeline, blocks, at);
      return;
    case "assistant":
      addReply(timeline, blocks, at);
      return;
    case "system":
      timeline.system(`m${at}`, joined(message.content, document, `${place}.content`));
      return;
    default:
      throw wrong(document, `${place}.role`, noRole(message.role, "user or assistant"));
  }
}

function blocksOf(content: unknown, document: Document, place: string): Json[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return objectsAt(document, content, place);
}

function joined(content: unknown, document: Document, place: string): string {
  return blocksOf(content, document, place)
    .map((block) => text(block.text))
    .filter(Boolean)
    .join("\n\n");
}

/** Results stand before what the user says. */
function addUser(timeline: Timeline, blocks: readonly Json[], at: number): void {
  const said: Part[] = [];
  for (const [position, block] of blocks.entries()) {
    if (block.type === "tool_result") addResult(timeline, block, `m${at}.${position}`);
    else said.push(partOf(block, timeline, `m${at}`));
  }
  if (said.length > 0) timeline.user(`m${at}`, said);
}

function addResult(timeline: Timeline, block: Json, id: string): void {
  const { content } = block;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const list = Array.isArray(blocks) ? blocks : [blocks];
  const found = list.filter(isObject);
  const isFailed = block.is_error === true || found.some(({ type }) => text(type).endsWith("_error"));
  const parts = found.map((one) => partOf(one, timeline, id));
  timeline.result(id, text(block.tool_use_id), parts, !isFailed);
}

/** What ran at the API stands in the reply together with its result, and what follows is another message. */
function addReply(timeline: Timeline, blocks: readonly Json[], at: number): void {
  let turn = `m${at}`;
  let said: Part[] = [];
  let first = 0;
  for (const [position, block] of blocks.entries()) {
    const isCall = CALLS.test(text(block.type));
    const isResult = RESULTS.test(text(block.type));
    if (!isCall && !isResult) {
      if (said.length === 0) first = position;
      said.push(partOf(block, timeline, turn));
      continue;
    }
    timeline.reply(`m${at}.${first}`, turn, said);
    said = [];
    if (isCall) addCall(timeline, block, turn, blocks);
    else {
      addResult(timeline, block, `m${at}.${position}`);
      turn = `m${at}.${position + 1}`;
    }
  }
  timeline.reply(`m${at}.${first}`, turn, said);
}

const CALLS = /^(?:tool_use|server_tool_use|mcp_tool_use)$/;
const RESULTS = /_tool_result$/;

function addCall(timeline: Timeline, block: Json, turn: string, blocks: readonly Json[]): void {
  const isAnswered = blocks.some(({ tool_use_id }) => tool_use_id === block.id);
  const hosted = block.type === "tool_use" || isAnswered ? {} : { hosted: true };
  const server = block.type === "mcp_tool_use" ? filled(block.server_name) : undefined;
  const name = server === undefined ? text(block.name) : `mcp__${server}__${text(block.name)}`;
  timeline.call(text(block.id), turn, name, block.input ?? {}, hosted);
}

function partOf(block: Json, timeline: Timeline, entry: string): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: text(block.text) };
    case "thinking": {
      const signature = filled(block.signature);
      return { type: "thinking", text: text(block.thinking), ...(signature !== undefined && { signature }) };
    }
    case "redacted_thinking":
      return { type: "thinking", text: "", signature: text(block.data), hidden: true };
    case "image":
    case "document":
      reportReference(block, block.type, timeline, entry);
      return mediaOf(block, block.type);
    default:
      timeline.losses.push(loss("part_converted", { entry }, `a block of type ${String(block.type)}`));
      return { type: "text", text: filled(block.text) ?? JSON.stringify(block) };
  }
}

/** A file that lies at the API is nobody else's. */
function reportReference(
  { source }: Json,
  type: "image" | "document",
  timeline: Timeline,
  entry: string,
): void {
  const file = isObject(source) ? filled(source.file_id) : undefined;
  if (file === undefined) return;
  const kind = type === "image" ? "image_dropped" : "document_dropped";
  timeline.losses.push(loss(kind, { entry }, `only a reference is there: ${file}`));
}

/** The text of a document that is given as blocks; what is no text in it stands there as JSON. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return text(content);
  return content
    .filter(isObject)
    .map((block) => filled(block.text) ?? JSON.stringify(block))
    .join("\n");
}

function mediaOf(block: Json, type: "image" | "document"): Part {
  const source = isObject(block.source) ? block.source : {};
  const said = source.type === "content" ? textIn(source.content) : text(source.data);
  const isText = source.type === "content" || source.type === "text";
  const mimeType = filled(source.media_type) ?? (isText ? "text/plain" : undefined);
  const name = filled(block.title) ?? filled(source.file_id);
  const data = isText ? Buffer.from(said).toString("base64") : filled(source.data);
  const url = filled(source.url);
  return {
    type,
    ...(mimeType !== undefined && { mimeType }),
    ...(data !== undefined && { data }),
    ...(url !== undefined && { url }),
    ...(name !== undefined && { name }),
  };
}
