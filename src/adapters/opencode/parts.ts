// Parts of an entry as OpenCode's own: texts, and files as data URLs. What no model would take becomes a note.
import { imageType, isPdf } from "../../session/image.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type { Part } from "../../session/session.ts";
import { type SwitchEntry, switchMark, switchWords } from "../switched.ts";
import type { JsonObject } from "./native.ts";

export interface NativeParts {
  texts: JsonObject[];
  files: JsonObject[];
  /** Both, in their order. */
  all: JsonObject[];
  losses: Loss[];
}

type Thinking = Extract<Part, { type: "thinking" }>;

/** What becomes of thinking; undefined = it is left out. */
export type Thoughts = (part: Thinking) => JsonObject | undefined;

/** `texts` holds the thinking too, if there are `thoughts`. */
export function nativeParts(parts: readonly Part[], entry: string, thoughts?: Thoughts): NativeParts {
  const made: NativeParts = { texts: [], files: [], all: [], losses: [] };
  for (const part of parts) {
    const kept = part.type === "thinking" ? thoughts?.(part) : undefined;
    const found = kept ?? nativePart(part, entry, made.losses);
    // No API takes a text without words.
    if (!found || (found.type === "text" && String(found.text).trim() === "")) continue;
    made.all.push(found);
    (found.type === "file" ? made.files : made.texts).push(found);
  }
  return made;
}

/** As an ignored text, which the CLI shows and never sends. Its metadata are nobody's but the writer's. */
export function switchTold(entry: SwitchEntry): JsonObject {
  return { type: "text", text: switchWords(entry), ignored: true, metadata: switchMark(entry) };
}

function nativePart(part: Part, entry: string, losses: Loss[]): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "code":
      losses.push(loss("part_converted", { entry }, "code"));
      return { type: "text", text: `\`\`\`${part.language ?? ""}\n${part.code}\n\`\`\`` };
    case "artifact":
      losses.push(loss("part_converted", { entry }, "artifact"));
      return { type: "text", text: part.title === undefined ? part.text : `${part.title}\n\n${part.text}` };
    case "error":
      losses.push(loss("part_converted", { entry }, "error"));
      return { type: "text", text: part.text };
    case "thinking":
      // Of another model it would be sent as plain text (1.18.33).
      losses.push(loss("thinking_dropped", { entry }, "1 block(s)"));
      return undefined;
    case "image":
      return imagePart(part, entry, losses);
    case "document":
      return documentPart(part, entry, losses);
  }
}

type Media = Extract<Part, { type: "image" | "document" }>;

/** By what the bytes are: vendors refuse a request whose image is said to be something else. */
function imagePart(part: Media, entry: string, losses: Loss[]): JsonObject {
  const data = bytesOf(part);
  const mime = data === undefined ? undefined : imageType(data);
  if (data !== undefined && mime !== undefined) return filePart(part, mime, data);
  const where = placeOf(part) ?? part.name ?? "unknown";
  const why = data === undefined ? "its bytes are not recorded" : "its bytes are no image";
  losses.push(loss("image_dropped", { entry }, `${why}: ${where}`));
  return { type: "text", text: `[Image: ${where}]` };
}

const PDF = "application/pdf";

/** The same for documents: only a PDF goes as it is. */
function documentPart(part: Media, entry: string, losses: Loss[]): JsonObject {
  const data = bytesOf(part);
  const kind = part.mimeType ?? /^data:([^;,]+)/.exec(part.url ?? "")?.[1] ?? "application/octet-stream";
  if (data !== undefined && kind === PDF && isPdf(data)) return filePart(part, PDF, data);
  if (data !== undefined && kind.startsWith("text/")) {
    losses.push(loss("part_converted", { entry }, `document of type ${kind}`));
    return { type: "text", text: Buffer.from(data, "base64").toString("utf8") };
  }
  const name = part.name ?? part.path?.split(/[\\/]/).at(-1) ?? "document";
  const where =
    kind === PDF && data !== undefined ? "its bytes are no PDF" : (placeOf(part) ?? "not recorded");
  losses.push(loss("document_dropped", { entry }, `${name} (${kind}): ${where}`));
  return { type: "text", text: `[Document ${name} (${kind}): ${where}]` };
}

/** In base64, wherever they stand. */
function bytesOf({ data, url }: Media): string | undefined {
  return data ?? /^data:[^,]*;base64,(.*)$/s.exec(url ?? "")?.[1];
}

function placeOf({ path, url }: Media): string | undefined {
  return path ?? (url?.startsWith("data:") ? undefined : url);
}

function filePart({ name }: Media, mime: string, data: string): JsonObject {
  const filename = name ?? `file.${mime.split("/")[1]}`;
  return { type: "file", mime, filename, url: `data:${mime};base64,${data}` };
}
