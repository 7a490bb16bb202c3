// Reads the items of OpenAI's Responses API: a request (`{model?, instructions?, input}`) or the list alone.
import { loss } from "../session/losses.ts";
import type { Part } from "../session/session.ts";
import type { Source } from "../session/source.ts";
import { addCall } from "./chat-read.ts";
import { isObject, type Json } from "./check.ts";
import { type Document, noRole, objectsAt, readDocument, sessionSource, wrong } from "./document.ts";
import { filled, newTimeline, type Timeline, text } from "./incoming.ts";
import { addOutput, addOwnCall, partOf } from "./responses-calls.ts";

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
    // What follows a result is another message.
    if (timeline.entries.at(-1)?.type === "tool_result") turn = undefined;
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
    default:
      if (type.endsWith("_call_output")) addOutput(timeline, item, id);
      else if (type.endsWith("_call")) addOwnCall(timeline, item, id, turn);
      else reportUnknown(timeline, id, type);
  }
}

/** What the server summed up is sealed: the model that reads on elsewhere does not know it. */
function reportUnknown(timeline: Timeline, entry: string, type: string): void {
  const severity = type === "compaction" ? "warning" : undefined;
  timeline.losses.push(loss("record_unknown", { entry }, `an item of type ${type}`, severity));
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

function partsIn(content: unknown, timeline: Timeline, at: Place, place: string): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return objectsAt(at.document, content, place).map((part) => partOf(part, timeline, at.id));
}
