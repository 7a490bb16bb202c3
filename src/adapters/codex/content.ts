// Message content and tool output, in every shape Codex has used, as text and parts.
import type { Part } from "../../session/session.ts";
import { isLabel } from "./context.ts";
import { isObject, type JsonObject, text } from "./native.ts";

export interface Content {
  text: string;
  /** Only where there is more than one plain text. */
  parts?: Part[];
}

/** The content of a message. Labels around images stay in the parts but are not the user's words. */
export function contentOf(content: unknown): Content {
  if (typeof content === "string") return { text: content };
  if (!Array.isArray(content) || content.length === 0) return { text: "" };
  if (content.length === 1) {
    const only = plain(content[0]);
    if (only !== undefined) return { text: only };
  }
  const parts: Part[] = [];
  for (const item of content) if (isObject(item)) parts.push(...partsOf(item));
  const words = parts.flatMap((part) => (part.type === "text" && !isLabel(part.text) ? [part.text] : []));
  return { text: words.join("\n"), parts };
}

/** A tool's output: text, a list of parts, an object around either, or JSON that holds the text. */
export function outputOf(output: unknown): Content {
  if (typeof output === "string") return { text: output };
  if (Array.isArray(output)) return listOf(output);
  if (!isObject(output)) return { text: output === undefined || output === null ? "" : String(output) };
  const inner = output.content ?? output.output ?? output.content_items;
  if (typeof inner === "string" || Array.isArray(inner)) return outputOf(inner);
  return { text: JSON.stringify(output) };
}

function listOf(output: readonly unknown[]): Content {
  const parts = output.flatMap((item) => (isObject(item) ? partsOf(item) : []));
  const joined = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return parts.length === 1 && parts[0]?.type === "text" ? { text: joined } : { text: joined, parts };
}

function plain(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const { type } = item;
  return type === "input_text" || type === "output_text" || type === "text" ? text(item.text) : undefined;
}

function partsOf(item: JsonObject): Part[] {
  const words = plain(item);
  if (words !== undefined) return [{ type: "text", text: words }];
  switch (item.type) {
    case "input_image":
    case "image":
      return imageOf(item);
    case "input_file":
      return [documentOf(item)];
    case "refusal":
      return [{ type: "error", text: text(item.refusal) ?? "" }];
    default:
      return [];
  }
}

function imageOf(item: JsonObject): Part[] {
  // The TypeScript CLI put an object here.
  const url = isObject(item.image_url) ? text(item.image_url.url) : (text(item.image_url) ?? text(item.url));
  return url === undefined ? [] : [{ type: "image", ...bytesOf(url) }];
}

function documentOf(item: JsonObject): Part {
  const name = text(item.filename);
  return { type: "document", ...bytesOf(text(item.file_data) ?? ""), ...(name !== undefined && { name }) };
}

/** A data URL taken apart; anything else is a reference. */
function bytesOf(url: string): { mimeType?: string; data?: string; url?: string } {
  if (!url.startsWith("data:")) return { url };
  const comma = url.indexOf(",");
  const kind = url.slice(5, comma === -1 ? 5 : Math.min(comma, 200));
  if (comma === -1 || !kind.endsWith(";base64")) return { url };
  const mimeType = kind.slice(0, kind.indexOf(";"));
  return { ...(mimeType !== "" && { mimeType }), data: url.slice(comma + 1) };
}
