// Lines that are not one JSON value: blank, a comment, stray bytes around JSON, several objects glued together,
// damage. Nothing here throws or takes more than linear time, whatever the bytes are.
import { isUtf8 } from "node:buffer";
import { type Loss, loss } from "../session/losses.ts";

/** A part of a line that is a record of its own. */
export interface Piece {
  bytes: Buffer;
  value: unknown;
  losses: readonly Loss[];
}

/** The record and line number of the first piece. */
export interface Place {
  record: number;
  line: number;
}

/** More objects than this on one line are damage, not records. */
const MOST_GLUED = 1000;
const NONE: readonly Loss[] = [];
/** What `parse` gives for a text that is not JSON. */
export const FAILED = Symbol("not JSON");

export function parseDamaged(line: Buffer, at: Place, terminated: boolean): Piece[] {
  const { text, losses } = clean(line, at);
  if (text === "") return [{ bytes: line, value: undefined, losses }];
  if (text.startsWith("//") || text.startsWith("#")) {
    const comment = loss("record_comment", at, text.slice(0, 80));
    return [{ bytes: line, value: undefined, losses: [...losses, comment] }];
  }
  const value = parse(text);
  if (value !== FAILED) return [{ bytes: line, value, losses }];
  return (maybeGlued(line) && parseGlued(line, at, 0)) || [unreadable(line, at, terminated, losses)];
}

function unreadable(line: Buffer, at: Place, terminated: boolean, losses: readonly Loss[]): Piece {
  const damage = terminated
    ? loss("record_unreadable", at, `${line.length} bytes that are not JSON`)
    : loss("record_truncated", at, `the file ends after ${line.length} bytes of it`);
  return { bytes: line, value: undefined, losses: [...losses, damage] };
}

/** What follows in a line whose beginning was a record already: more objects, or the rest of an endless line. */
export function parseRest(line: Buffer, at: Place): Piece[] {
  return parseGlued(line, at, 1) ?? [{ bytes: line, value: undefined, losses: NONE }];
}

/** The same pieces, without the cost of parsing lines that cannot have several. */
export function splitGlued(line: Buffer, at: Place, inLine: boolean): Buffer[] {
  if (!maybeGlued(line) || parse(line.toString("utf8")) !== FAILED) return [line];
  return parseGlued(line, at, inLine ? 1 : 0)?.map((piece) => piece.bytes) ?? [line];
}

/** False when no line of these bytes can hold several objects. */
export function maybeGlued(bytes: Buffer): boolean {
  return bytes.includes("}{") || bytes.includes("\0{");
}

/** Two or more whole objects on a line, counting those `before`, with byte ranges that touch. */
function parseGlued(line: Buffer, at: Place, before: number): Piece[] | undefined {
  const ends = objectEnds(line);
  if (ends.length + before < 2) return undefined;
  const pieces: Piece[] = [];
  let start = 0;
  for (const [number, end] of ends.entries()) {
    const bytes = line.subarray(start, number === ends.length - 1 ? line.length : end);
    const place = { record: at.record + number, line: at.line };
    const { text, losses } = clean(bytes, place);
    const value = parse(text);
    if (value === FAILED) return undefined;
    const glued =
      number + before > 0 ? [loss("record_glued", place, "an object follows another on its line")] : NONE;
    pieces.push({ bytes, value, losses: [...losses, ...glued] });
    start = end;
  }
  return pieces;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Byte positions just after each object; none when something other than NUL bytes stands between two. */
function objectEnds(line: Buffer): number[] {
  const ends: number[] = [];
  let depth = 0;
  let inString = false;
  let isGap = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at]!;
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) ends.push(at + 1);
    else if (depth === 0 && byte !== 0) isGap = ends.length > 0;
    if (depth < 0 || (depth > 0 && isGap) || ends.length > MOST_GLUED) return [];
  }
  return ends;
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The value says so, and whoever asked goes on with what is left of the record.
    return FAILED;
  }
}

/** Without the white space, BOM and NUL bytes (a crashed writer leaves them) at both ends. */
function clean(bytes: Buffer, at: Place): { text: string; losses: readonly Loss[] } {
  const text = bytes.toString("utf8");
  let start = 0;
  let end = text.length;
  // Loops, because a pattern anchored at the end takes quadratic time on long runs of white space.
  while (start < end && isPadding(text.charCodeAt(start))) start++;
  while (end > start && isPadding(text.charCodeAt(end - 1))) end--;
  const losses: Loss[] = [];
  if (/[\uFEFF\0]/.test(text.slice(0, start) + text.slice(end)))
    losses.push(loss("record_bytes_odd", at, "a BOM or NUL bytes were skipped"));
  return { text: text.slice(start, end), losses: losses.concat(oddBytes(bytes, at)) };
}

function isPadding(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0 || code === 0xfeff;
}

/** The loss of bytes that are no text. */
export function oddBytes(bytes: Buffer, at: Place): readonly Loss[] {
  return isUtf8(bytes) ? NONE : [loss("record_bytes_odd", at, "bytes that are not UTF-8 were replaced")];
}
