// The content of entries as parts, and of parts as text: what every format needs on its way out and back.
import { imageType } from "../session/image.ts";
import type { AssistantEntry, Entry, Part } from "../session/session.ts";

export type Media = Extract<Part, { type: "image" | "document" }>;

/** All of an entry's content; thinking that stands apart comes first. */
export function partsOf(entry: Exclude<Entry, { type: "tool_call" | "switch" | "compaction" }>): Part[] {
  const text = entry.type === "tool_result" ? entry.output || (entry.error ?? "") : entry.content;
  const parts = entry.parts ?? (text === "" ? [] : [{ type: "text" as const, text }]);
  if (entry.type !== "assistant" || entry.thinking === undefined) return [...parts];
  if (parts.some((part) => part.type === "thinking")) return [...parts];
  return [{ type: "thinking", text: entry.thinking }, ...parts];
}

/** The fields of an entry that hold this content: parts only where there is more than one plain text. */
export function contentOf(parts: readonly Part[]): { content: string; parts?: Part[] } {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const isPlain = parts.length === texts.length && parts.length <= 1 && !parts.some(hasMore);
  return { content: texts.join("\n"), ...(!isPlain && { parts: [...parts] }) };
}

/** The same for a reply, which also tells its thinking apart. */
export function replyOf(parts: readonly Part[]): Pick<AssistantEntry, "content" | "parts" | "thinking"> {
  const thoughts = parts.flatMap((part) => (part.type === "thinking" && part.text !== "" ? [part.text] : []));
  return { ...contentOf(parts), ...(thoughts.length > 0 && { thinking: thoughts.join("\n") }) };
}

function hasMore(part: Part): boolean {
  return Object.keys(part).length > 2;
}

/** A part as text, where there is no other way to say it; undefined for bytes and thinking. */
export function textOf(part: Part): string | undefined {
  switch (part.type) {
    case "text":
    case "error":
      return part.text;
    case "code":
      return `\`\`\`${part.language ?? ""}\n${part.code}\n\`\`\``;
    case "artifact":
      return part.title ? `${part.title}\n${part.text}` : part.text;
    default:
      return undefined;
  }
}

export interface Inline {
  mimeType: string;
  data: string;
}

/** The bytes that a part brings along, with the type that they really have. */
export function inlineOf(part: Media): Inline | undefined {
  const url = dataUrl(part.url);
  const data = part.data ?? url?.data;
  if (data === undefined || !isBase64(data)) return undefined;
  const said = part.mimeType ?? url?.mimeType ?? "application/octet-stream";
  return { mimeType: part.type === "image" ? (imageType(data) ?? said) : said, data };
}

export function dataUrl(url: string | undefined): Inline | undefined {
  const found = url === undefined ? null : /^data:([^;,]*);base64,(.*)$/s.exec(url);
  return found ? { mimeType: found[1] ?? "", data: found[2] ?? "" } : undefined;
}

/** A reference that somebody else can follow. */
export function linkOf(part: Media): string | undefined {
  return part.url !== undefined && /^https?:/.test(part.url) ? part.url : undefined;
}

/** What a part that cannot be carried is called. */
export function nameOf(part: Media): string {
  return part.name ?? part.path ?? linkOf(part) ?? part.mimeType ?? "without a name";
}

/** What stands in the place of bytes that cannot be carried. */
export function mention(part: Media): string {
  return `[${part.type === "image" ? "Image" : "Document"}: ${nameOf(part)}]`;
}

/** An image every vendor takes. */
export function isCommonImage({ mimeType, data }: Inline): boolean {
  return imageType(data) === mimeType;
}

function isBase64(data: string): boolean {
  return data !== "" && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}
