// Pieces of messages and of tool results as universal parts.
import type { Part } from "../../session/session.ts";
import { isObject, type Json, text } from "../json.ts";

export interface Content {
  text: string;
  /** Only where there is more than one plain text. */
  parts?: Part[];
}

/** Pieces that are no call and no result. */
export function contentOf(pieces: readonly Json[], thoughts: readonly Part[] = []): Content {
  const parts = [...thoughts, ...pieces.flatMap(partsIn)];
  const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const isPlain = parts.length === 0 || (parts.length === 1 && parts[0]?.type === "text");
  return isPlain ? { text: words } : { text: words, parts };
}

function partsIn(piece: Json): Part[] {
  const part = partOf(piece);
  return part ? [part] : [];
}

function partOf(piece: Json): Part | undefined {
  const words = text(piece.text);
  if (words !== undefined) return words === "" ? undefined : { type: "text", text: words };
  if (isObject(piece.inlineData)) return bytesOf(piece.inlineData);
  if (isObject(piece.fileData)) return fileOf(piece.fileData);
  if (isObject(piece.executableCode)) {
    const language = text(piece.executableCode.language)?.toLowerCase();
    return { type: "code", code: text(piece.executableCode.code) ?? "", ...(language && { language }) };
  }
  if (isObject(piece.codeExecutionResult))
    return { type: "text", text: text(piece.codeExecutionResult.output) ?? "" };
  return undefined;
}

const UNDERSTOOD: ReadonlySet<string> = new Set([
  "text",
  "thought",
  "thoughtSignature",
  "inlineData",
  "fileData",
  "executableCode",
  "codeExecutionResult",
  "functionCall",
  "functionResponse",
]);

/** Fields of pieces that no entry tells of. */
export function strangeIn(content: unknown): string[] {
  const pieces = Array.isArray(content) ? content : [content];
  const strange = pieces.flatMap((piece: unknown) => {
    if (isObject(piece)) return Object.keys(piece).filter((field) => !UNDERSTOOD.has(field));
    return typeof piece === "string" || piece === undefined ? [] : [`a piece of type ${typeof piece}`];
  });
  return [...new Set(strange)];
}

function bytesOf(inline: Json): Part {
  const mimeType = text(inline.mimeType) ?? "";
  const name = text(inline.displayName);
  const bytes = {
    ...(mimeType !== "" && { mimeType }),
    data: text(inline.data) ?? "",
    ...(name !== undefined && { name }),
  };
  return mimeType.startsWith("image/") ? { type: "image", ...bytes } : { type: "document", ...bytes };
}

function fileOf(file: Json): Part {
  const mimeType = text(file.mimeType) ?? "";
  const where = { url: text(file.fileUri) ?? "", ...(mimeType !== "" && { mimeType }) };
  return mimeType.startsWith("image/") ? { type: "image", ...where } : { type: "document", ...where };
}

/** What the model was thinking, as the CLI shows it. */
export function thoughtOf({ subject, description }: Json): Part {
  const said = text(description) ?? "";
  const about = text(subject) ?? "";
  return { type: "thinking", text: about === "" ? said : `**${about}** ${said}` };
}

export interface Answer extends Content {
  /** The CLI says so in the answer itself. */
  failed: boolean;
}

/** A result: `pieces` are the response and whatever stands beside it, up to the next response. */
export function answerOf(response: Json, beside: readonly Json[]): Answer {
  const { output, error, ...others } = isObject(response.response) ? response.response : {};
  const failed = error !== undefined && output === undefined;
  const told = [output, error].filter((one) => one !== undefined && one !== null);
  const words = [...told.map((one) => text(one) ?? JSON.stringify(one)), otherwise(others)]
    .filter((one) => one !== "")
    .join("\n");
  const inner = Array.isArray(response.parts) ? response.parts.filter(isObject) : [];
  const more = [...inner, ...beside].flatMap(partsIn);
  if (more.length === 0) return { text: words, failed };
  const said: Part[] = words === "" ? [] : [{ type: "text", text: words }];
  const parts = [...said, ...more];
  const joined = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { text: joined, parts, failed };
}

/** Some tools answer in a shape of their own. */
function otherwise(response: Json): string {
  return Object.keys(response).length === 0 ? "" : JSON.stringify(response);
}
