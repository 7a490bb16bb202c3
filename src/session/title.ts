// Titles and summaries, made the same way for every agent, and any other text that has to be one harmless line.
import { withoutSequences } from "./escapes.ts";

export const UNTITLED = "Untitled conversation";
const LONGEST_TITLE = 200;
const LONGEST_SUMMARY = 100;

export function cleanTitle(text: string): string {
  return oneLine(text, LONGEST_TITLE);
}

export function cleanSummary(text: string): string {
  return oneLine(text, LONGEST_SUMMARY);
}

/** No terminal sequences, no control or direction characters, white space folded, cut by code points so that none is split. */
export function oneLine(text: string, longest: number): string {
  const start = text.slice(0, longest * 8);
  // Most prompts are plain, and looking for what is odd takes longest.
  const isPlain = PLAIN.test(start);
  const line = (isPlain ? start : harmless(start)).replace(/[\s\u0085]+/gu, " ").trim();
  if (line.length <= longest) return line;
  if (isPlain) return `${line.slice(0, longest - 1)}…`;
  const points = Array.from(line);
  return points.length <= longest ? line : `${points.slice(0, longest - 1).join("")}…`;
}

const PLAIN = /^[\t\n\r -~]*$/;

function harmless(text: string): string {
  return withoutSequences(text).replace(/(?![\s\u0085])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, "");
}
