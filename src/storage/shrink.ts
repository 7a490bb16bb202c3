// Cuts long strings out of a JSON line before it is parsed. Most bytes of a session are a few long outputs;
// a pass that does not need them can skip them several times faster than it could parse them.

/** What to cut, and what to put in the place of what is cut out. */
export interface Cut {
  /** Strings of more bytes are cut. */
  longest: number;
  /** How many characters of them stay at least. */
  kept: number;
  /** In place of the bytes from `start` to `end`; undefined leaves the string whole. */
  rest(line: Buffer, start: number, end: number): string | undefined;
}

/** For passes that need no more than the structure. */
export const FOR_STRUCTURE: Cut = { longest: 4 * 1024, kept: 512, rest: () => "" };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COLON = 0x3a;
const LETTER_U = 0x75;

/**
 * The line with every long string (keys excepted) cut to its beginning, or undefined when there was nothing
 * to cut. A valid line stays valid; damage inside what is cut out goes unnoticed.
 */
export function shrink(
  line: Buffer,
  cut = FOR_STRUCTURE,
  strings = longStrings(line, cut.longest),
): string | undefined {
  let result = "";
  let copied = 0;
  for (const [start, end] of strings) {
    const stop = safeCut(line, start, end, cut.kept);
    const rest = cut.rest(line, stop, end);
    if (rest === undefined) continue;
    result += line.toString("utf8", copied, stop) + rest;
    copied = end;
  }
  return copied === 0 ? undefined : result + line.toString("utf8", copied);
}

/** Where a string begins and ends, in bytes, without its quotes. */
export type Stretch = readonly [start: number, end: number];

const NONE: readonly Stretch[] = [];

/** Strings of more than so many bytes that are not keys; none in a line that is damaged or hardly longer. */
export function longStrings(line: Buffer, longest: number): readonly Stretch[] {
  if (line.length < 2 * longest) return NONE;
  const found: Stretch[] = [];
  let start = line.indexOf(QUOTE);
  while (start !== -1) {
    const end = closingQuote(line, start + 1);
    if (end === -1) return NONE;
    if (end - start > longest && !isKey(line, end)) found.push([start + 1, end]);
    start = line.indexOf(QUOTE, end + 1);
  }
  return found;
}

/** A quote after an odd number of backslashes is text. */
function closingQuote(line: Buffer, from: number): number {
  let end = line.indexOf(QUOTE, from);
  while (end !== -1) {
    let before = end - 1;
    while (before >= from && line[before] === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
    end = line.indexOf(QUOTE, end + 1);
  }
  return -1;
}

/** Two long keys with the same beginning must not become one. */
function isKey(line: Buffer, end: number): boolean {
  let at = end + 1;
  while (at < line.length && (line[at] as number) <= SPACE) at++;
  return line[at] === COLON;
}

/** The first position past that many characters that splits neither an escape nor a UTF-8 sequence. */
function safeCut(line: Buffer, from: number, end: number, kept: number): number {
  let at = from;
  for (let count = 0; count < kept && at < end; count++) {
    if (line[at] !== BACKSLASH) at += 1;
    else at += line[at + 1] === LETTER_U ? 6 : 2;
    while (isContinued(line[at])) at++;
  }
  return Math.min(at, end);
}

/** The second or a later byte of a character in UTF-8. */
function isContinued(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
