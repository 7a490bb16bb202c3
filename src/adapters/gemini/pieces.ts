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
  const data = dataOf(part);
  const mimeType = typeOf(part, data);
  if (data !== undefined && TAKEN.test(mimeType)) {
    // With a name beside them the CLI sends nothing at all: its vendor's API takes none (0.61.0).
    pieces.push({ inlineData: { mimeType, data } });
    if (part.type === "document" && part.name !== undefined)
      losses.push(loss("name_dropped", { entry }, part.name));
    return;
  }
  const link = part.url?.startsWith("data:") ? undefined : part.url;
  const where = link ?? part.path ?? part.name ?? "unknown";
  const why = data === undefined ? "is not at hand" : `is ${mimeType}, which Gemini does not take`;
  pieces.push({ text: `[${part.type === "image" ? "Image" : "Document"}: ${where}]` });
  const kind = part.type === "image" ? "image_dropped" : "document_dropped";
  losses.push(loss(kind, { entry }, `${where} ${why}; a note stands in for it`));
}

/** What the vendor takes inline; one part of another type makes it refuse the whole request. */
const TAKEN = /^(?:image\/(?:png|jpeg|webp|heic|heif)|application\/pdf|(?:text|audio|video)\/.+)$/;

const DATA_URL = /^data:([^;,]*);base64,(.*)$/s;

function dataOf({ data, url }: Media): string | undefined {
  return (data ?? DATA_URL.exec(url ?? "")?.[2]) || undefined;
}

/** The type is what the bytes are, whatever they are said to be: the vendor looks at them. */
function typeOf(part: Media, data = ""): string {
  if (part.type === "image") return imageType(data) ?? heifType(data) ?? "no image";
  const said = (part.mimeType ?? DATA_URL.exec(part.url ?? "")?.[1]) || "application/octet-stream";
  return said === "application/pdf" && !isPdf(data) ? "no PDF" : said;
}

/** Photographs of telephones. */
function heifType(data: string): string | undefined {
  const brand = /^.{4}ftyp(.{4})/s.exec(Buffer.from(data.slice(0, 16), "base64").toString("latin1"))?.[1];
  if (brand === undefined) return undefined;
  if (/^he[iv][cxms]$/.test(brand)) return "image/heic";
  return /^m[is]f1$/.test(brand) ? "image/heif" : undefined;
}
