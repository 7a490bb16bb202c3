// Universal parts as the blocks the Messages API takes.
import { imageType, isPdf } from "../../session/image.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type { Part } from "../../session/session.ts";
import type { ClaudeBlock } from "./native.ts";

/** The API refuses more, in bytes. */
const LARGEST_IMAGE = 5 * 1024 * 1024;
const LARGEST_DOCUMENT = 32 * 1024 * 1024;

/** A part as a block; undefined when nothing is left of it. Thinking is the caller's to decide on. */
export function blockOf(part: Part, entry: string, losses: Loss[]): ClaudeBlock | undefined {
  switch (part.type) {
    case "text":
      return textBlock(part.text);
    case "image":
      return imageBlock(part, entry, losses);
    case "document":
      return documentBlock(part, entry, losses);
    case "code":
      losses.push(loss("part_converted", { entry }, "code became text"));
      return textBlock(`\`\`\`${part.language ?? ""}\n${part.code}\n\`\`\``);
    case "artifact":
      losses.push(loss("part_converted", { entry }, "an artifact became text"));
      return textBlock(part.title ? `${part.title}\n${part.text}` : part.text);
    case "error":
      losses.push(loss("part_converted", { entry }, "an error became text"));
      return textBlock(part.text);
    case "thinking":
      return undefined;
    default:
      part satisfies never;
      return undefined;
  }
}

/** The API refuses text that is only white space. */
export function textBlock(text: string): ClaudeBlock | undefined {
  return text.trim() === "" ? undefined : { type: "text", text };
}

type Media = Extract<Part, { type: "image" | "document" }>;

function imageBlock(part: Media, entry: string, losses: Loss[]): ClaudeBlock {
  const inline = inlineData(part);
  const media_type = inline && imageType(inline.data);
  if (inline && media_type !== undefined && bytesIn(inline.data) <= LARGEST_IMAGE)
    return { type: "image", source: { type: "base64", media_type, data: inline.data } };
  if (!inline && part.url !== undefined && /^https:/.test(part.url))
    return { type: "image", source: { type: "url", url: part.url } };
  losses.push(loss("image_dropped", { entry }, nameOf(part)));
  return { type: "text", text: `[Image: ${nameOf(part)}]` };
}

function documentBlock(part: Media, entry: string, losses: Loss[]): ClaudeBlock {
  const inline = inlineData(part);
  const title = part.name === undefined ? {} : { title: part.name };
  const isTaken = inline !== undefined && isPdf(inline.data) && bytesIn(inline.data) <= LARGEST_DOCUMENT;
  if (isTaken && inline.mimeType === "application/pdf") {
    const source = { type: "base64", media_type: "application/pdf", data: inline.data };
    return { type: "document", source, ...title };
  }
  if (inline?.mimeType === "text/plain") {
    const data = Buffer.from(inline.data, "base64").toString("utf8");
    return { type: "document", source: { type: "text", media_type: "text/plain", data }, ...title };
  }
  losses.push(loss("document_dropped", { entry }, nameOf(part)));
  return { type: "text", text: `[Document: ${nameOf(part)}]` };
}

function inlineData(part: Media): { mimeType: string | undefined; data: string } | undefined {
  const found = part.url === undefined ? null : /^data:([^;,]+);base64,(.+)$/s.exec(part.url);
  const data = part.data ?? found?.[2];
  const mimeType = part.mimeType ?? found?.[1];
  return data === undefined || data === "" ? undefined : { mimeType, data };
}

function bytesIn(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}

function nameOf(part: Media): string {
  const reference = part.url?.startsWith("data:") ? undefined : part.url;
  return part.name ?? part.path ?? reference ?? part.mimeType ?? "without a name";
}
