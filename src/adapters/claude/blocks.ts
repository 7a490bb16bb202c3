// Content blocks of messages and results as universal parts.
import type { Part } from "../../session/session.ts";
import { type ClaudeBlock, filled, isObject, text } from "./native.ts";

type Media = Extract<Part, { type: "image" | "document" }>;

/** An image or a document; undefined for other blocks. */
export function mediaPart(block: ClaudeBlock): Media | undefined {
  if (block.type !== "image" && block.type !== "document") return undefined;
  const source = isObject(block.source) ? block.source : {};
  const mimeType = filled(source.media_type);
  const name = filled(block.title);
  return {
    type: block.type,
    ...(mimeType !== undefined && { mimeType }),
    ...dataOf(source.type, source),
    ...(name !== undefined && { name }),
  };
}

function dataOf(kind: unknown, source: Record<string, unknown>): Partial<Media> {
  if (kind === "url") return { url: text(source.url) ?? "" };
  if (kind === "text") return { data: Buffer.from(text(source.data) ?? "").toString("base64") };
  const data = text(source.data);
  return data === undefined ? {} : { data };
}

export function imagePart(data: unknown, mimeType: unknown): Media | undefined {
  const bytes = filled(data);
  if (bytes === undefined) return undefined;
  return { type: "image", mimeType: filled(mimeType) ?? "image/png", data: bytes };
}

/** Blocks the API may add at any time are kept as their JSON, because the model sees them. */
export function otherText(block: ClaudeBlock): string {
  if (block.type === "tool_reference") return text(block.tool_name) ?? "";
  return text(block.text) ?? JSON.stringify(block);
}

export interface Content {
  text: string;
  /** Only where there is more than one piece of text. */
  parts?: Part[];
}

/** What a list of blocks says: its text, and all of it in parts when there is more to it. */
export function contentOf(blocks: readonly ClaudeBlock[]): Content {
  if (blocks.length === 1 && blocks[0]?.type === "text") return { text: text(blocks[0].text) ?? "" };
  const parts = blocks.map(
    (block): Part => mediaPart(block) ?? { type: "text", text: text(block.text) ?? otherText(block) },
  );
  const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return parts.length === 0 ? { text: words } : { text: words, parts };
}
