// Universal parts as pieces of a message: text, and bytes inline, which Gemini takes in prompts, in replies and
// beside results.
import { imageType, isPdf } from "../../session/image.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type { Part } from "../../session/session.ts";
import type { Json } from "../json.ts";

export interface Pieces {
  pieces: Json[];
  thoughts: string[];
  losses: Loss[];
}

export function piecesFor(parts: readonly Part[], entry: string): Pieces {
  const made: Pieces = { pieces: [], thoughts: [], losses: [] };
  for (const part of parts) add(part, entry, made);
  return made;
}

function add(part: Part, entry: string, { pieces, thoughts, losses }: Pieces): void {
  switch (part.type) {
    case "text":
      if (part.text !== "") pieces.push({ text: part.text });
      return;
    case "thinking":
      if (part.text !== "") thoughts.push(part.text);
      else losses.push(loss("thinking_dropped", { entry }, "its text was withheld"));
      return;
    case "code":
      pieces.push({ text: `\`\`\`${part.language ?? ""}\n${part.code}\n\`\`\`` });
      losses.push(loss("part_converted", { entry }, "code"));
      return;
    case "artifact":
      pieces.push({ text: part.title === undefined ? part.text : `${part.title}\n\n${part.text}` });
      losses.push(loss("part_converted", { entry }, "an artifact"));
      return;
    case "error":
      pieces.push({ text: part.text });
      losses.push(loss("part_converted", { entry }, "an error"));
      return;
    case "image":
    case "document":
      addBytes(part, entry, pieces, losses);
      return;
    default:
      part satisfies never;
  }
}

type Media = Extract<Part, { type: "image" | "document" }>;

function addBytes(part: Media, entry: string, pieces: Json[], losses: Loss[]): void {
  const inline = inlineOf(part);
  if (inline) {
    pieces.push({ inlineData: inline });
    if (part.type === "document" && part.name !== undefined)
      losses.push(loss("name_dropped", { entry }, part.name));
    return;
  }
  const link = part.url?.startsWith("data:") ? undefined : part.url;
  const where = link ?? part.path ?? part.name ?? "unknown";
  pieces.push({ text: `[${part.type === "image" ? "Image" : "Document"}: ${where}]` });
  const kind = part.type === "image" ? "image_dropped" : "document_dropped";
  losses.push(loss(kind, { entry }, `${where} is not at hand; a note stands in for it`));
}

/** The type is what the bytes are, whatever they are said to be: the vendor looks at them. */
function inlineOf(part: Media): Json | undefined {
  const url = /^data:([^;,]*);base64,(.*)$/s.exec(part.url ?? "");
  const data = part.data ?? url?.[2];
  if (data === undefined || data === "") return undefined;
  const said = part.mimeType ?? url?.[1];
  const mimeType = part.type === "image" ? imageType(data) : said || "application/octet-stream";
  if (mimeType === undefined || (mimeType === "application/pdf" && !isPdf(data))) return undefined;
  // With a name beside them the CLI sends nothing at all: its vendor's API takes none (0.61.0).
  return { mimeType, data };
}
