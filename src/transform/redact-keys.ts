// Private keys in PEM, as PuTTY keeps them, and as they look inside a JSON string, a diff or a numbered listing.
import type { Found } from "./redact-patterns.ts";

const BEGIN = /-----BEGIN[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-Lines: \d+/g;
/** Where it ends, or where another one begins. */
const END = /-----(?:BEGIN|END[ A-Z0-9]{0,40}PRIVATE KEY(?: BLOCK)?-----)/g;
/** Longer than any key; a mark at the end of a text may lie further away and belong to something else. */
export const LONGEST_KEY = 40_000;
/** The end of a line, also where it is spelled out; many backslashes are looked at once, from the first. */
const LINE_END = /\r?\n|(?<!\\)(?:\\+r)?\\+n/g;
const CODED = /[A-Za-z0-9+/]{16,}/;
/** A line of a key: a number or a sign of a diff may stand before it, quotes and commas around it. */
const CODED_LINE = /^([\s\d|>+→"',:-]{0,16}[A-Za-z0-9+/]{8,}={0,2})["',\\+\s]{0,6}$/;
const HEADING = /^[\s\d|>+→"',-]{0,16}(?:[A-Z][A-Za-z-]{1,20}: .{0,80})?$/;
/** Of a text that still grows, the beginning of one, or of the mark that ends the key. */
const BEGUN_LINE = /^[\s\d|>+→"',:-]{0,16}(?:[A-Za-z0-9+/]{0,7}=?|-----END[ A-Z0-9]{0,60}-{0,4})$/;

export function* privateKeys(text: string): Generator<Found> {
  if (!text.includes("PRIVATE KEY") && !text.includes("Private-Lines: ")) return;
  let done = 0;
  for (const match of text.matchAll(BEGIN)) {
    const from = match.index;
    if (from < done) continue;
    const behind = from + match[0].length;
    const to = endOf(text, behind, match[0].startsWith("-"));
    if (to === undefined) continue;
    done = to;
    yield { kind: "private-key", from: match[0].startsWith("-") ? from : behind, to };
  }
}

/** Where a key begins that may go on behind the text; undefined = each that it holds has its end. */
export function openKey(text: string): number | undefined {
  for (const { index, 0: mark } of text.matchAll(BEGIN)) {
    const piece = text.slice(index + mark.length, index + mark.length + LONGEST_KEY);
    // The mark that ends it is none of its lines.
    if (piece.length < LONGEST_KEY && codedLines(piece).isOpen) return index;
  }
  return undefined;
}

/** Behind the mark that ends it, or behind the last line of a key that was cut off; undefined where there is none. */
function endOf(text: string, behind: number, isMarked: boolean): number | undefined {
  const piece = text.slice(behind, behind + LONGEST_KEY);
  END.lastIndex = 0;
  const end = isMarked ? END.exec(piece) : null;
  if (end && end[0] !== "-----BEGIN")
    return CODED.test(piece.slice(0, end.index)) ? behind + end.index + end[0].length : undefined;
  const { length } = codedLines(piece);
  return CODED.test(piece.slice(0, length)) ? behind + length : undefined;
}

/** How far the lines of a key reach, and whether nothing that is none of them has come yet. */
function codedLines(piece: string): { length: number; isOpen: boolean } {
  let from = 0;
  let length = 0;
  while (from < piece.length) {
    LINE_END.lastIndex = from;
    const found = LINE_END.exec(piece);
    const line = piece.slice(from, found?.index ?? piece.length);
    const coded = CODED_LINE.exec(line)?.[1];
    if (coded !== undefined) length = from + coded.length;
    else if (!HEADING.test(line)) return { length, isOpen: !found && BEGUN_LINE.test(line) };
    from = found ? found.index + found[0].length : piece.length;
  }
  return { length, isOpen: true };
}
