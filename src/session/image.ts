// Parts that are more than text, and what kind of image or document some bytes are, whatever they are said to be:
// vendors look at the bytes, and refuse the whole request when the two differ.

import type { Part } from "./session.ts";

const KINDS: readonly (readonly [opening: RegExp, mimeType: string])[] = [
  [/^\x89PNG/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
];

/** Whether a part is more than text: an image or a document. */
export function isMedia({ type }: Part): boolean {
  return type === "image" || type === "document";
}

/** The type of an image in base64; undefined when it is none that every vendor takes. */
export function imageType(data: string): string | undefined {
  const start = Buffer.from(data.slice(0, 24), "base64").toString("latin1");
  return KINDS.find(([opening]) => opening.test(start))?.[1];
}

const PDF_OPENING = Buffer.from("%PDF-").toString("base64").slice(0, 6);

/** Whether a document in base64 is what vendors take for a PDF. */
export function isPdf(data: string): boolean {
  return data.startsWith(PDF_OPENING);
}
