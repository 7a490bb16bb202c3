// Long texts with their middle left out. What is left says how much is missing and where all of it is, and a patch
// stays a patch.

/**
 * The beginning (two thirds of `keep`, in characters) and the end of a text, with a note on a line of its own between
 * them. A text that would hardly get shorter stays as it is, so that nothing is clipped twice.
 */
export function clipText(text: string, keep: number, where: string): string {
  return clipped(text, { keep, where });
}

/** The same for a patch: every line is one that a patch may have, so whoever parses it finds its files. */
export function clipPatch(patch: string, keep: number, where: string): string {
  return patch
    .split(FILE)
    .map((piece) => {
      const prefix = piece.startsWith(ADDED) ? "+" : " ";
      const { from, to } = bodyOf(piece);
      return `${piece.slice(0, from)}${clipped(piece.slice(from, to), { keep, where, prefix })}${piece.slice(to)}`;
    })
    .join("");
}

/** The same for the hunks of one file. */
export function clipHunks(diff: string, keep: number, where: string): string {
  return clipped(diff, { keep, where, prefix: " " });
}

export function isPatch(text: string): boolean {
  return text.trimStart().startsWith("*** Begin Patch");
}

const FILE = /^(?=\*\*\* (?:Add|Delete|Update) File: )/m;
const ADDED = "*** Add File: ";
const MOVED = "*** Move to: ";
const END = "\n*** End Patch";

/** Between the lines that name the file and the one that ends the patch. */
function bodyOf(piece: string): { from: number; to: number } {
  const end = piece.lastIndexOf(END);
  const to = end === -1 ? piece.length : end + 1;
  const first = piece.indexOf("\n") + 1;
  const from = piece.startsWith(MOVED, first) ? piece.indexOf("\n", first) + 1 : first;
  return from === 0 || from > to ? { from: to, to } : { from, to };
}

interface Clipping {
  keep: number;
  where: string;
  /** What every line begins with: whole lines are left out then, and the note is one like them. */
  prefix?: string;
}

function clipped(text: string, { keep, where, prefix }: Clipping): string {
  const room = Math.max(0, Math.floor(keep) || 0);
  const note = (count: number) => `${prefix ?? ""}${noteOf(count, where)}`;
  // The longest note there can be: what was clipped once is then short enough for good.
  if (text.length <= room + note(Number.MAX_SAFE_INTEGER).length + 2) return text;
  const head = Math.ceil((room * 2) / 3);
  const from = headEnd(text, head, prefix !== undefined);
  const to = tailStart(text, text.length - (room - head), prefix !== undefined);
  const before = text.slice(0, from);
  const after = text.slice(to);
  const newline = from === 0 || before.endsWith("\n") ? "" : "\n";
  return `${before}${newline}${note(to - from)}${after === "" ? "" : "\n"}${after}`;
}

function noteOf(count: number, where: string): string {
  const source = where.replace(/\s+/g, " ").trim();
  return `[… ${count.toLocaleString("en-US")} characters left out; the full text: ${source} …]`;
}

/** A line end is worth up to a quarter of what could be kept. */
const NEAR = 4;

function headEnd(text: string, at: number, isWhole: boolean): number {
  const end = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  return isWhole || end >= at - Math.floor(at / NEAR) ? end : unsplit(text, at, -1);
}

function tailStart(text: string, at: number, isWhole: boolean): number {
  if (text[at - 1] === "\n") return at;
  const newline = text.indexOf("\n", at);
  const start = newline === -1 ? text.length : newline + 1;
  const isNear = newline !== -1 && start <= at + Math.floor((text.length - at) / NEAR);
  return isWhole || isNear ? start : unsplit(text, at, 1);
}

/** Not between the halves of a surrogate pair. */
function unsplit(text: string, at: number, step: 1 | -1): number {
  const isSplit = isBetween(text.charCodeAt(at - 1), 0xd800) && isBetween(text.charCodeAt(at), 0xdc00);
  return isSplit ? at + step : at;
}

function isBetween(unit: number, from: number): boolean {
  return unit >= from && unit < from + 0x400;
}
