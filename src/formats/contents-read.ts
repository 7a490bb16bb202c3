// Reads the contents of Google's generateContent: a request (`{systemInstruction?, contents}`) or the list alone.
import { loss } from "../session/losses.ts";
import type { Part } from "../session/session.ts";
import type { Source } from "../session/source.ts";
import { isObject, type Json } from "./check.ts";
import { type Document, noRole, objectsAt, readDocument, sessionSource, wrong } from "./document.ts";
import { filled, newTimeline, type Timeline, text } from "./incoming.ts";

const LABEL = "a history of Google's generateContent";

/** What the vendor documents for calls that come without the signature of one of its models. */
export const UNSIGNED = "skip_thought_signature_validator";

export async function readContents(path: string): Promise<Source> {
  const document = await readDocument(path, LABEL);
  const { value } = document;
  const request = isObject(value) ? value : ({ contents: value } as Json);
  const { model, systemInstruction, system_instruction, contents, ...config } = request;
  const timeline = newTimeline(document.time);
  const instructions = instructionText(systemInstruction ?? system_instruction);
  if (instructions !== "") timeline.system("system", instructions);
  const open: Open = { calls: [] };
  for (const [at, content] of objectsAt(document, contents, "contents").entries())
    addContent(timeline, content, at, document, open);
  const name = filled(model)?.replace(/^models\//, "");
  return sessionSource(
    document,
    timeline.entries,
    { format: "gemini-contents", model: name, provider: "google", config },
    timeline.losses,
  );
}

/** Calls that wait for their answer: the API tells them apart by name where they have no id. */
interface Open {
  calls: { id: string; name: string }[];
}

function instructionText(value: unknown): string {
  if (typeof value === "string") return value;
  const parts = isObject(value) && Array.isArray(value.parts) ? value.parts.filter(isObject) : [];
  return parts.map((part) => text(part.text)).join("\n\n");
}

function addContent(timeline: Timeline, content: Json, at: number, document: Document, open: Open): void {
  const parts = objectsAt(document, content.parts, `contents[${at}].parts`);
  if (content.role === "model") {
    addReply(timeline, parts, at, open);
    return;
  }
  if (content.role !== undefined && content.role !== "user" && content.role !== "function")
    throw wrong(document, `contents[${at}].role`, noRole(content.role, "user or model"));
  const said: Part[] = [];
  for (const [position, part] of parts.entries()) {
    const response = part.functionResponse ?? part.function_response;
    if (isObject(response)) addResult(timeline, response, `c${at}.${position}`, open);
    else said.push(partOf(part, timeline, `c${at}`));
  }
  if (said.length > 0) timeline.user(`c${at}`, said);
}

function addReply(timeline: Timeline, parts: readonly Json[], at: number, open: Open): void {
  const turn = `c${at}`;
  let said: Part[] = [];
  let first = 0;
  open.calls = [];
  for (const [position, part] of parts.entries()) {
    // The API takes its fields in both spellings.
    const call = part.functionCall ?? part.function_call;
    if (!isObject(call)) {
      if (said.length === 0) first = position;
      said.push(partOf(part, timeline, turn));
      continue;
    }
    timeline.reply(`${turn}.${first}`, turn, said);
    said = [];
    const name = text(call.name);
    const id = filled(call.id) ?? `${turn}.${position}`;
    const signature = signatureOf(part);
    open.calls.push({ id, name });
    timeline.call(id, turn, name, call.args ?? {}, signature === undefined ? {} : { signature });
  }
  timeline.reply(`${turn}.${first}`, turn, said);
}

function signatureOf(part: Json): string | undefined {
  const signature = filled(part.thoughtSignature) ?? filled(part.thought_signature);
  return signature === UNSIGNED ? undefined : signature;
}

function addResult(timeline: Timeline, response: Json, id: string, open: Open): void {
  const name = text(response.name);
  const given = filled(response.id);
  const at = open.calls.findIndex((call) => (given === undefined ? call.name === name : call.id === given));
  const [call] = at === -1 ? [] : open.calls.splice(at, 1);
  const { output, success } = outcomeOf(response.response);
  const media = Array.isArray(response.parts) ? response.parts.filter(isObject) : [];
  const parts: Part[] = [
    ...(output === "" ? [] : [{ type: "text" as const, text: output }]),
    ...media.map((part) => partOf(part, timeline, id)),
  ];
  timeline.result(id, call?.id ?? given ?? name, parts, success);
}

/** The API asks for `output` or `error`; anything else is the answer as a whole. */
function outcomeOf(response: unknown): { output: string; success: boolean } {
  if (!isObject(response)) return { output: text(response), success: true };
  const keys = Object.keys(response);
  const only = keys.length === 1 ? response[keys[0] as string] : undefined;
  if (typeof only === "string" && ["output", "result", "content"].includes(keys[0] as string))
    return { output: only, success: true };
  if (keys[0] === "error" && keys.length === 1)
    return { output: typeof only === "string" ? only : JSON.stringify(only), success: false };
  return { output: keys.length === 0 ? "" : JSON.stringify(response), success: true };
}

function partOf(part: Json, timeline: Timeline, entry: string): Part {
  const signature = signatureOf(part);
  if (typeof part.text === "string")
    return part.thought === true
      ? { type: "thinking", text: part.text, ...(signature !== undefined && { signature }) }
      : { type: "text", text: part.text };
  const inline = part.inlineData ?? part.inline_data;
  if (isObject(inline)) return bytesPart(filled(inline.mimeType) ?? filled(inline.mime_type), inline);
  const file = part.fileData ?? part.file_data;
  if (isObject(file)) return bytesPart(filled(file.mimeType) ?? filled(file.mime_type), file);
  timeline.losses.push(loss("part_converted", { entry }, `a part with ${Object.keys(part).join(", ")}`));
  return { type: "text", text: JSON.stringify(part) };
}

function bytesPart(mimeType: string | undefined, bytes: Json): Part {
  const data = filled(bytes.data);
  const url = filled(bytes.fileUri) ?? filled(bytes.file_uri);
  const name = filled(bytes.displayName);
  return {
    type: mimeType?.startsWith("image/") || mimeType === undefined ? "image" : "document",
    ...(mimeType !== undefined && { mimeType }),
    ...(data !== undefined && { data }),
    ...(url !== undefined && { url }),
    ...(name !== undefined && { name }),
  };
}
