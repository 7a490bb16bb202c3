// Message content and tool output, in every shape Codex has used, as text and parts.
import type { Part } from "../../session/session.ts";
import { isLabel } from "./context.ts";
import { isObject, type JsonObject, text } from "./native.ts";

export interface Content {
  text: string;
  /** Only where there is more than one plain text. */
  parts?: Part[];
}

/** Told about what cannot be kept: of an unknown type, or without the field it needs. */
export type Odd = (kind: "unknown" | "malformed", what: string) => void;

const quiet: Odd = () => undefined;

/** The content of a message. Labels around images stay in the parts but are not the user's words. */
export function contentOf(content: unknown, odd: Odd = quiet): Content {
  if (typeof content === "string") return { text: content };
  const alone = onlyText(content);
  if (alone !== undefined) return { text: alone };
  if (!Array.isArray(content)) {
    if (content !== undefined && content !== null) odd("malformed", "content that is no list");
    return { text: "" };
  }
  const parts = content.flatMap((item) => partsOf(item, odd));
  const words = parts.flatMap((part) => (part.type === "text" && !isLabel(part.text) ? [part.text] : []));
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text") return { text: only.text };
  return parts.length === 0 ? { text: "" } : { text: words.join("\n"), parts };
}

/** The text of content that is nothing else, as nearly all of it is. */
function onlyText(content: unknown): string | undefined {
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const [item] = content;
  return isObject(item) && TEXTS.has(item.type) ? text(item.text) : undefined;
}

const TEXTS: ReadonlySet<unknown> = new Set(["input_text", "output_text"]);

/** A tool's output: text, a list of parts, an object around either, or JSON that holds the text. */
export function outputOf(output: unknown, odd: Odd = quiet): Content {
  if (typeof output === "string") return { text: output };
  if (Array.isArray(output)) return listOf(output, odd);
  if (!isObject(output)) return { text: output === undefined || output === null ? "" : String(output) };
  const inner = [output.content, output.output, output.content_items].filter(
    (one) => typeof one === "string" || Array.isArray(one),
  );
  if (inner.length === 1) return outputOf(inner[0], odd);
  return { text: JSON.stringify(output) };
}

function listOf(output: readonly unknown[], odd: Odd): Content {
  const parts = output.flatMap((item) => partsOf(item, odd));
  const joined = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const isPlain = parts.length === 0 || (parts.length === 1 && parts[0]?.type === "text");
  return isPlain ? { text: joined } : { text: joined, parts };
}

/** The texts of a list whose items are nothing but text. */
export function textsOf(list: unknown, odd: Odd = quiet): string[] {
  if (!Array.isArray(list)) return [];
  return list
    .flatMap((item) => partsOf(item, odd))
    .flatMap((part) => (part.type === "text" ? [part.text] : []));
}

function partsOf(item: unknown, odd: Odd): Part[] {
  if (typeof item === "string") return [{ type: "text", text: item }];
  if (!isObject(item)) {
    odd("malformed", "a piece of content that is no object");
    return [];
  }
  const found = partOf(item);
  if (found) return [found];
  const type = text(item.type)?.slice(0, 80);
  odd(type === undefined || KNOWN.has(type) ? "malformed" : "unknown", `content/${type}`);
  return [];
}

const KNOWN: ReadonlySet<string> = new Set(["input_text", "output_text", "text", "input_image", "image"]);

function partOf(item: JsonObject): Part | undefined {
  switch (item.type) {
    case "input_image":
    case "image":
      return imageOf(item);
    case "input_file":
      return documentOf(item);
    case "input_audio":
      return audioOf(item);
    case "refusal":
      return { type: "error", text: text(item.refusal) ?? "" };
    default: {
      // Whatever it is called, text is text.
      const words = text(item.text);
      return words === undefined ? undefined : { type: "text", text: words };
    }
  }
}

function imageOf(item: JsonObject): Part | undefined {
  // The TypeScript CLI put an object here.
  const url = isObject(item.image_url) ? text(item.image_url.url) : (text(item.image_url) ?? text(item.url));
  if (url !== undefined) return { type: "image", ...bytesOf(url) };
  const name = text(item.file_id);
  return name === undefined ? undefined : { type: "image", name };
}

function documentOf(item: JsonObject): Part {
  const name = text(item.filename) ?? text(item.file_id);
  const where = text(item.file_data) ?? text(item.file_url);
  return {
    type: "document",
    ...(where !== undefined && bytesOf(where)),
    ...(name !== undefined && { name }),
  };
}

function audioOf(item: JsonObject): Part | undefined {
  const audio = isObject(item.input_audio) ? item.input_audio : item;
  const url = text(audio.audio_url);
  if (url !== undefined) return { type: "document", ...bytesOf(url) };
  const data = text(audio.data);
  const mimeType = `audio/${text(audio.format) ?? "wav"}`;
  return data === undefined ? undefined : { type: "document", mimeType, data };
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
