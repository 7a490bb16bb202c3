// Reads the items of OpenAI's Responses API: a request (`{model?, instructions?, input}`) or the list alone.
import { loss } from "../session/losses.ts";
import type { Part } from "../session/session.ts";
import type { Source } from "../session/source.ts";
import { addCall, fileOf, imageOf } from "./chat-read.ts";
import { isObject, type Json } from "./check.ts";
import { type Document, noRole, objectsAt, readDocument, sessionSource, wrong } from "./document.ts";
import { filled, newTimeline, type Timeline, text } from "./incoming.ts";

const LABEL = "an OpenAI Responses history";

export async function readResponses(path: string): Promise<Source> {
  const document = await readDocument(path, LABEL);
  const { value } = document;
  const { model, instructions, input, ...config } = isObject(value) ? value : ({ input: value } as Json);
  const timeline = newTimeline(document.time);
  if (filled(instructions) !== undefined) timeline.system("instructions", text(instructions));
  if (typeof input === "string") timeline.user("i0", [{ type: "text", text: input }]);
  else addItems(timeline, objectsAt(document, input, "input"), document);
  return sessionSource(
    document,
    timeline.entries,
    { format: "openai-responses", model: filled(model), provider: "openai", config },
    timeline.losses,
  );
}

/** What the model did between two things that it was told is one message. */
function addItems(timeline: Timeline, items: readonly Json[], document: Document): void {
  let turn: string | undefined;
  for (const [at, item] of items.entries()) {
    const type = filled(item.type) ?? "message";
    const isModel = type === "message" ? item.role === "assistant" : !type.endsWith("_output");
    turn = isModel ? (turn ?? `i${at}`) : undefined;
    addItem(timeline, item, { type, id: `i${at}`, turn: turn ?? `i${at}`, document, place: `input[${at}]` });
  }
}

interface Place {
  type: string;
  id: string;
  turn: string;
  document: Document;
  place: string;
}

function addItem(timeline: Timeline, item: Json, at: Place): void {
  const { type, id, turn } = at;
  switch (type) {
    case "message":
      addMessage(timeline, item, at);
      return;
    case "reasoning":
      timeline.reply(id, turn, [reasoningOf(item)]);
      return;
    case "function_call":
      addCall(timeline, text(item.call_id), turn, item);
      return;
    case "custom_tool_call":
      timeline.call(text(item.call_id), turn, text(item.name), text(item.input));
      return;
    case "local_shell_call":
      timeline.call(text(item.call_id), turn, "local_shell", item.action ?? {});
      return;
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      timeline.result(id, text(item.call_id), outputOf(item.output, timeline, at), true);
      return;
    default:
      // The API's own tools have no result of their own.
      if (type.endsWith("_call")) {
        const { type: _, id: own, ...input } = item;
        timeline.call(filled(own) ?? id, turn, type.slice(0, -"_call".length), input, {
          hosted: true,
        });
        return;
      }
      timeline.losses.push(loss("record_unknown", { entry: id }, `an item of type ${type}`));
  }
}

function addMessage(timeline: Timeline, item: Json, at: Place): void {
  const parts = partsIn(item.content, timeline, at, `${at.place}.content`);
  switch (item.role) {
    case "user":
      timeline.user(at.id, parts);
      return;
    case "assistant":
      timeline.reply(at.id, at.turn, parts);
      return;
    case "system":
    case "developer":
      timeline.system(at.id, parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
      return;
    default:
      throw wrong(at.document, `${at.place}.role`, noRole(item.role, "system, user or assistant"));
  }
}

/** The summary is what there is to read; the rest is sealed. */
function reasoningOf(item: Json): Part {
  const texts = [item.content, item.summary]
    .flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []))
    .map((part) => text(part.text))
    .filter(Boolean);
  const signature = filled(item.encrypted_content);
  return {
    type: "thinking",
    text: texts.join("\n\n"),
    ...(signature !== undefined && { signature }),
    ...(texts.length === 0 && { hidden: true }),
  };
}

function outputOf(output: unknown, timeline: Timeline, at: Place): Part[] {
  if (typeof output === "string") return output === "" ? [] : [{ type: "text", text: output }];
  return partsIn(output, timeline, at, `${at.place}.output`);
}

function partsIn(content: unknown, timeline: Timeline, at: Place, place: string): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return objectsAt(at.document, content, place).map((part) => partOf(part, timeline, at.id));
}

function partOf(part: Json, timeline: Timeline, entry: string): Part {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: text(part.text) };
    case "refusal":
      return { type: "text", text: text(part.refusal) };
    case "input_image":
      return imageOf(part.image_url);
    case "input_file":
      return fileOf(part);
    default:
      timeline.losses.push(loss("part_converted", { entry }, `a part of type ${String(part.type)}`));
      return { type: "text", text: filled(part.text) ?? JSON.stringify(part) };
  }
}
