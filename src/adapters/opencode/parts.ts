// Parts of an entry as OpenCode's own: texts, and files as data URLs. What no model would take becomes a note.
import { imageType } from "../../session/image.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type { Part } from "../../session/session.ts";
import type { JsonObject } from "./native.ts";

export interface NativeParts {
  texts: JsonObject[];
  files: JsonObject[];
  /** Both, in their order. */
  all: JsonObject[];
  losses: Loss[];
}

export function nativeParts(parts: readonly Part[], entry: string): NativeParts {
  const made: NativeParts = { texts: [], files: [], all: [], losses: [] };
  for (const part of parts) {
    const found = nativePart(part, entry, made.losses);
    // No API takes a text without words.
    if (!found || (found.type === "text" && String(found.text).trim() === "")) continue;
    made.all.push(found);
    (found.type === "text" ? made.texts : made.files).push(found);
  }
  return made;
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
  const mime = part.data === undefined ? undefined : imageType(part.data);
  if (mime !== undefined) return filePart(part, mime);
  const where = part.path ?? part.name ?? part.url ?? "unknown";
  const why = part.data === undefined ? "its bytes are not recorded" : "its bytes are no image";
  losses.push(loss("image_dropped", { entry }, `${why}: ${where}`));
  return { type: "text", text: `[Image: ${where}]` };
}

const PDF = "application/pdf";

function documentPart(part: Media, entry: string, losses: Loss[]): JsonObject {
  const kind = part.mimeType ?? "application/octet-stream";
  if (part.data !== undefined && kind === PDF) return filePart(part, PDF);
  if (part.data !== undefined && kind.startsWith("text/")) {
    losses.push(loss("part_converted", { entry }, `document of type ${kind}`));
    return { type: "text", text: Buffer.from(part.data, "base64").toString("utf8") };
  }
  const name = part.name ?? part.path?.split(/[\\/]/).at(-1) ?? "document";
  const where = part.path ?? part.url ?? "not recorded";
  losses.push(loss("document_dropped", { entry }, `${name} (${kind}): ${where}`));
  return { type: "text", text: `[Document ${name} (${kind}): ${where}]` };
}

function filePart({ data, name }: Media, mime: string): JsonObject {
  const filename = name ?? `file.${mime.split("/")[1]}`;
  return { type: "file", mime, filename, url: `data:${mime};base64,${data}` };
}
