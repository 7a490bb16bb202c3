// Reads a history of OpenAI's Chat Completions API: a request (`{model?, messages}`) or the list alone.
import { loss } from "../session/losses.ts";
import type { Part } from "../session/session.ts";
import type { Source } from "../session/source.ts";
import { isObject, type Json } from "./check.ts";
import { type Document, noRole, objectsAt, readDocument, sessionSource, wrong } from "./document.ts";
import { asWritten, filled, newTimeline, parsedArguments, type Timeline, text } from "./incoming.ts";
import { dataUrl } from "./parts.ts";

const LABEL = "an OpenAI Chat Completions history";

export async function readChat(path: string): Promise<Source> {
  const document = await readDocument(path, LABEL);
  const { value } = document;
  const { model, messages, ...config } = isObject(value) ? value : ({ messages: value } as Json);
  const timeline = newTimeline(document.time);
  for (const [at, message] of objectsAt(document, messages, "messages").entries())
    addMessage(timeline, message, at, document);
  return sessionSource(
    document,
    timeline.entries,
    { format: "openai-chat", model: filled(model), provider: "openai", config },
    timeline.losses,
  );
}

function addMessage(timeline: Timeline, message: Json, at: number, document: Document): void {
  const id = `m${at}`;
  const parts = partsIn(message.content, document, `messages[${at}].content`, timeline, id);
  switch (message.role) {
    case "system":
    case "developer":
      timeline.system(id, parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
      return;
    case "user":
      timeline.user(id, parts);
      return;
    case "assistant":
      addReply(timeline, message, parts, id);
      return;
    case "tool":
    case "function":
      timeline.result(id, filled(message.tool_call_id) ?? text(message.name), parts, true);
      return;
    default:
      throw wrong(document, `messages[${at}].role`, noRole(message.role, "system, user, assistant or tool"));
  }
}

function addReply(timeline: Timeline, message: Json, parts: Part[], id: string): void {
  const reasoning = filled(message.reasoning_content) ?? filled(message.reasoning);
  const refusal = filled(message.refusal);
  timeline.reply(id, id, [
    ...(reasoning === undefined ? [] : [{ type: "thinking" as const, text: reasoning }]),
    ...parts,
    ...(refusal === undefined ? [] : [{ type: "text" as const, text: refusal }]),
  ]);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
  for (const call of calls) {
    const own = isObject(call.custom) ? call.custom : isObject(call.function) ? call.function : {};
    if (isObject(call.custom)) timeline.call(text(call.id), id, text(own.name), own.input);
    else addCall(timeline, text(call.id), id, own);
  }
  if (isObject(message.function_call)) {
    addCall(timeline, text(message.function_call.name), id, message.function_call);
  }
}

/** Both of OpenAI's APIs give a function's arguments as text. */
export function addCall(
  timeline: Timeline,
  id: string,
  turn: string,
  { name, arguments: given }: Json,
): void {
  timeline.call(id, turn, text(name), parsedArguments(given), asWritten(given));
}

function partsIn(
  content: unknown,
  document: Document,
  place: string,
  timeline: Timeline,
  entry: string,
): Part[] {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return objectsAt(document, content, place).map((part) => partOf(part, timeline, entry));
}

function partOf(part: Json, timeline: Timeline, entry: string): Part {
  switch (part.type) {
    case "text":
      return { type: "text", text: text(part.text) };
    case "refusal":
      return { type: "text", text: text(part.refusal) };
    case "image_url":
      return imageOf(isObject(part.image_url) ? part.image_url.url : part.image_url);
    case "file":
      return fileOf(isObject(part.file) ? part.file : {});
    default:
      timeline.losses.push(loss("part_converted", { entry }, `a part of type ${String(part.type)}`));
      return { type: "text", text: filled(part.text) ?? JSON.stringify(part) };
  }
}

/** Both of OpenAI's APIs give images as URLs, with the bytes inside or not. */
export function imageOf(url: unknown): Part {
  const inline = dataUrl(filled(url));
  return inline ? { type: "image", ...inline } : { type: "image", url: text(url) };
}

export function fileOf(file: Json): Part {
  const name = filled(file.filename);
  const inline = dataUrl(filled(file.file_data));
  const url = filled(file.file_url);
  return {
    type: "document",
    ...(inline ?? (filled(file.file_data) !== undefined && { data: text(file.file_data) })),
    ...(url !== undefined && { url }),
    ...(name !== undefined && { name }),
  };
}
