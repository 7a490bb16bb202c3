// A long text that only passes through stays in its file. What is handed around is its beginning and a mark
// that says where the rest stands there, spelled as JSON spells it; whoever writes JSON puts the rest in its
// place. Whatever looks at a text's beginning, joins texts or leaves one out need not know.
import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { BatonError } from "../session/error.ts";
import type { Cut } from "./shrink.ts";

/** So many characters of a referenced text can be relied on; code that looks at more must not get references. */
export const REFERENCE_KEPT = 4096;

/** Texts of more bytes are referenced. */
export const REFERENCED_FROM = 16 * 1024;

/** Nobody can guess it, so no text holds one by chance; plain ASCII, so JSON leaves it as it is. */
const OPENING = `[[${randomUUID()}:`;
const CLOSING = "]]";
const PIECE = 256 * 1024;

/** Cuts the long strings of a line of the file to references; `at` is where the line begins. */
export function referencer(path: string, inode: number): (at: { offset: number }) => Cut {
  const file = `${Buffer.from(path).toString("base64url")}:${inode}`;
  return ({ offset }) => ({
    longest: REFERENCED_FROM,
    kept: REFERENCE_KEPT,
    rest: (line, start, end) =>
      isBlank(line, start) || hasSurrogates(line, start, end)
        ? undefined
        : `${OPENING}${file}:${offset + start}:${end - start}${CLOSING}`,
  });
}

/** Whether a text is white space decides what becomes of it, so the beginning has to tell. */
function isBlank(line: Buffer, end: number): boolean {
  return /^(?:\s|\\[nrtf])*$/.test(line.toString("latin1", Math.max(0, end - REFERENCE_KEPT), end));
}

/** Half a character that is spelled out may have to be replaced. */
function hasSurrogates(line: Buffer, start: number, end: number): boolean {
  const text = line.subarray(start, end);
  for (let at = text.indexOf("\\u"); at !== -1; at = text.indexOf("\\u", at + 2))
    if (text[at + 2] === 0x64 || text[at + 2] === 0x44) return true;
  return false;
}

export function isReferenced(text: string): boolean {
  return text.length > REFERENCE_KEPT && text.includes(OPENING);
}

/** Not less than the characters of the text with all that it refers to. */
export function lengthOf(text: string): number {
  let length = text.length;
  if (isReferenced(text)) for (const { length: more } of references(text)) length += more;
  return length;
}

interface Reference {
  /** Where its mark begins and ends in the text. */
  from: number;
  to: number;
  path: string;
  inode: number;
  offset: number;
  length: number;
}

function* references(text: string): Generator<Reference> {
  for (let from = text.indexOf(OPENING); from !== -1; from = text.indexOf(OPENING, from + 1)) {
    const end = text.indexOf(CLOSING, from);
    const [path = "", inode, offset, length] = text.slice(from + OPENING.length, end).split(":");
    yield {
      from,
      to: end + CLOSING.length,
      path: Buffer.from(path, "base64url").toString(),
      inode: Number(inode),
      offset: Number(offset),
      length: Number(length),
    };
  }
}

export interface Resolver {
  /** The JSON with what its references stand for. A piece of bytes is valid until the next one is asked for. */
  pieces(json: string | Uint8Array): Iterable<string | Uint8Array>;
  close(): void;
}

export function newResolver(): Resolver {
  const buffer = Buffer.allocUnsafe(PIECE);
  /** The file that was read last. */
  let opened: { path: string; file: number } | undefined;
  const close = () => {
    if (opened) closeSync(opened.file);
    opened = undefined;
  };

  function* bytesAt({ path, inode, offset, length }: Reference): Generator<Uint8Array> {
    if (opened?.path !== path) {
      close();
      opened = { path, file: openSync(path, "r") };
      if (fstatSync(opened.file).ino !== inode)
        throw new BatonError("failed", `${path} was replaced while it was read.`, "Try again.");
    }
    for (let read = 0; read < length; ) {
      const count = readSync(opened.file, buffer, 0, Math.min(PIECE, length - read), offset + read);
      if (count === 0)
        throw new BatonError("failed", `${path} became shorter while it was read.`, "Try again.");
      yield buffer.subarray(0, count);
      read += count;
    }
  }

  function* pieces(json: string): Generator<string | Uint8Array> {
    let done = 0;
    for (const reference of references(json)) {
      yield json.slice(done, reference.from);
      yield* bytesAt(reference);
      done = reference.to;
    }
    yield json.slice(done);
  }

  return {
    pieces: (json) => (typeof json === "string" && isReferenced(json) ? pieces(json) : [json]),
    close,
  };
}
