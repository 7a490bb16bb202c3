// Lines of a screen as cells at fixed columns. A terminal may think otherwise about how wide a character is; a cell
// that begins at its column by itself keeps the others straight.
import type { Colors } from "../output.ts";
import { cut, harmless, widthOf } from "../text.ts";
import { wrapped } from "../wrap.ts";
import { marksIn } from "./filter.ts";

export interface Cell {
  /** The column it begins at, from 0. */
  at: number;
  /** With colours. */
  text: string;
}

export type Line = readonly Cell[];

/** What the screen is to show. */
export interface Frame {
  lines: readonly Line[];
  /** Where the cursor stands, if it is to be seen. */
  cursor?: { row: number; column: number };
}

export interface Look {
  colors: Colors;
  home: string;
  /** An agent's id in its colour. */
  badge(agent: string, text: string): string;
  now: number;
}

/** The line as it is written. */
export function lineText(line: Line): string {
  return line.map(({ at, text }) => `\u001b[${at + 1}G${text}`).join("");
}

/** The text with what was typed made visible in it. */
export function marked(
  text: string,
  words: readonly string[],
  style: (text: string) => string,
  colors: Colors,
): string {
  let result = "";
  let at = 0;
  const plain = (piece: string) => (piece === "" ? "" : style(piece));
  for (const [from, to] of marksIn(text, words)) {
    result += plain(text.slice(at, from)) + colors.bold(colors.yellow(text.slice(from, to)));
    at = to;
  }
  return result + plain(text.slice(at));
}

/** The end of a text, which says most about a path. */
export function cutStart(text: string, width: number): string {
  const line = harmless(text).replace(/\s+/g, " ").trim();
  if (widthOf(line) <= width) return line;
  const characters = [...line];
  let used = 1;
  let from = characters.length;
  while (from > 0 && used + widthOf(characters[from - 1] as string) <= width)
    used += widthOf(characters[--from] as string);
  return width < 1 ? "" : `…${characters.slice(from).join("")}`;
}

export function right(text: string, width: number): string {
  const short = cut(text, width);
  return " ".repeat(Math.max(0, width - widthOf(short))) + short;
}

/** Lines of at most this width, and no more of them than asked for. */
export function linesOf(text: string, width: number, most: number): string[] {
  const lines: string[] = [];
  for (const paragraph of harmless(text).trim().replaceAll("\t", "  ").split("\n")) {
    if (lines.length >= most) break;
    for (const line of wrapped(paragraph, width)) lines.push(line);
  }
  if (lines.length <= most) return lines;
  const kept = lines.slice(0, most);
  const last = kept.pop();
  return last === undefined ? [] : [...kept, cut(`${last}…`, width)];
}
