// Reads a JSONL file as native records with their byte ranges, whatever state the file is in. Every byte of
// the file belongs to exactly one record, so the records put together are the file again.
import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { BatonError } from "../session/error.ts";
import { type Loss, loss } from "../session/losses.ts";
import {
  FAILED,
  maybeGlued,
  oddBytes,
  type Piece,
  parse,
  parseDamaged,
  parseRest,
  splitGlued,
} from "./damaged.ts";
import { shrink } from "./shrink.ts";

export interface NativeRecord {
  /** Counts every record of the file, blank and broken ones too. */
  index: number;
  /** 1-based line number; two records can share one. */
  line: number;
  offset: number;
  length: number;
  /** The parsed JSON; undefined for a blank or unreadable line. */
  value: unknown;
  /** False when long strings in `value` were cut (see shrink.ts): structure can be trusted, long text cannot. */
  whole: boolean;
  /** False for a last line without its newline, which a running agent may still be writing. */
  terminated: boolean;
  losses: readonly Loss[];
  /** The bytes, newline included. A view into a buffer that is reused: copy what outlives the batch. */
  bytes: Buffer;
  /** Which file of the bundle it stands in; absent = the main file. */
  file?: string;
}

export interface Position {
  offset: number;
  index: number;
  line: number;
}

export const START: Position = { offset: 0, index: 0, line: 1 };

export interface ReadOptions {
  /** The position of any record that an earlier read reported. */
  from?: Position;
  /** Cut long strings before parsing: for passes that need structure only. */
  shrink?: boolean;
  /** Do not parse at all: for passes that need bytes only. The records are the same. */
  raw?: boolean;
  /** Stop at this byte, which must be the start of a line. */
  end?: number;
  /** For a file that is being written: its size once that is more than was read already, or final. */
  grown?(read: number): Promise<number>;
  /** Longer lines are handed out in pieces of this many bytes, without a value. */
  longestLine?: number;
}

const CHUNK = 1 << 20;
/** Bounds memory on a file that is one endless line; twice the largest document an agent takes still fits. */
const LONGEST_LINE = 96 << 20;
const NEWLINE = 10;
const NONE: readonly Loss[] = [];

/** Batches, because one promise per record would cost more than parsing it. */
export async function* readRecords(path: string, options: ReadOptions = {}): AsyncGenerator<NativeRecord[]> {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile()) {
      throw new BatonError("damaged", `${path} is not a regular file.`, "Name the session's own file.");
    }
    yield* batches(file, options);
  } finally {
    await file.close();
  }
}

async function* batches(file: FileHandle, options: ReadOptions): AsyncGenerator<NativeRecord[]> {
  const longest = options.longestLine ?? LONGEST_LINE;
  const end = options.end ?? Number.POSITIVE_INFINITY;
  const position = { ...(options.from ?? START) };
  const split = splitter(position, await isInLine(file, position.offset), longest, options);
  let buffer: Buffer = Buffer.allocUnsafe(CHUNK);
  let held = 0;
  let readAt = position.offset;
  for (;;) {
    // An unfinished line is kept at the front and the buffer grows with it, so it is copied a few times only.
    if (held * 2 > buffer.length) buffer = grown(buffer, held, longest);
    const size = options.grown ? await options.grown(readAt) : end;
    const wanted = Math.min(buffer.length - held, size - readAt);
    const { bytesRead } = await file.read(buffer, held, wanted, readAt);
    readAt += bytesRead;
    const filled = buffer.subarray(0, held + bytesRead);
    const records = split(filled, bytesRead === 0);
    if (records.length > 0) yield records;
    if (bytesRead === 0) return;
    held = readAt - position.offset;
    if (held === 0 && buffer.length > CHUNK) buffer = Buffer.allocUnsafe(CHUNK);
    else filled.copyWithin(0, filled.length - held);
  }
}

function grown(buffer: Buffer, held: number, longest: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(buffer.length * 4, Math.max(longest, held) + CHUNK));
  buffer.copy(larger, 0, 0, held);
  return larger;
}

/** A position can lie behind the first of several objects on a line, or inside a line that is too long. */
async function isInLine(file: FileHandle, offset: number): Promise<boolean> {
  if (offset === 0) return false;
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, offset - 1);
  return bytesRead === 1 && buffer[0] !== NEWLINE;
}

/** Takes whole records off the front of the bytes and moves the position past them. */
function splitter(position: Position, startsInLine: boolean, longest: number, options: ReadOptions) {
  let inLine = startsInLine;
  return (bytes: Buffer, finished: boolean): NativeRecord[] => {
    const records: NativeRecord[] = [];
    // Looked for once a chunk, because it costs per call.
    const isPlain = options.raw ? !maybeGlued(bytes) : isUtf8(bytes);
    let start = 0;
    while (start < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, start);
      const lineEnd = newline === -1 ? bytes.length : newline + 1;
      const isTooLong = lineEnd - start > longest;
      if (newline === -1 && !isTooLong && !finished) break;
      const stop = isTooLong ? start + longest : lineEnd;
      const line = bytes.subarray(start, stop);
      const terminated = newline !== -1 || isTooLong;
      if (isTooLong)
        add(records, position, line, undefined, true, terminated, tooLong(position, inLine, longest));
      else if (options.raw) addRaw(records, position, line, terminated, isPlain, inLine);
      else if (inLine) addPieces(records, position, parseRest(line, placeOf(position)), terminated);
      else addLine(records, position, line, terminated, isPlain, options.shrink);
      inLine = isTooLong;
      if (newline !== -1 && !isTooLong) position.line++;
      start = stop;
    }
    return records;
  };
}

function addLine(
  records: NativeRecord[],
  position: Position,
  line: Buffer,
  terminated: boolean,
  isPlain: boolean,
  shrinks = false,
): void {
  const small = shrinks ? shrink(line) : undefined;
  const value = parse(small ?? line.toString("utf8"));
  if (value !== FAILED) {
    const losses = isPlain ? NONE : oddBytes(line, placeOf(position));
    add(records, position, line, value, small === undefined, terminated, losses);
    return;
  }
  // Damage inside a long text costs that text only, and both kinds of pass agree on the record.
  const cut = shrinks ? undefined : shrink(line);
  const rest = cut === undefined ? FAILED : parse(cut);
  if (rest !== FAILED) {
    const damage = loss("record_unreadable", placeOf(position), "a long text in it is damaged and was cut");
    add(records, position, line, rest, false, terminated, [damage]);
  } else addPieces(records, position, parseDamaged(line, placeOf(position), terminated), terminated);
}

function addRaw(
  records: NativeRecord[],
  position: Position,
  line: Buffer,
  terminated: boolean,
  isPlain: boolean,
  inLine: boolean,
): void {
  const pieces = isPlain ? [line] : splitGlued(line, placeOf(position), inLine);
  for (const bytes of pieces)
    add(records, position, bytes, undefined, true, terminated || bytes !== pieces.at(-1), NONE);
}

function addPieces(records: NativeRecord[], position: Position, pieces: Piece[], terminated: boolean): void {
  for (const piece of pieces) {
    add(
      records,
      position,
      piece.bytes,
      piece.value,
      true,
      terminated || piece !== pieces.at(-1),
      piece.losses,
    );
  }
}

function add(
  records: NativeRecord[],
  position: Position,
  bytes: Buffer,
  value: unknown,
  whole: boolean,
  terminated: boolean,
  losses: readonly Loss[],
): void {
  const { index, line, offset } = position;
  records.push({ index, line, offset, length: bytes.length, value, whole, terminated, losses, bytes });
  position.index = index + 1;
  position.offset = offset + bytes.length;
}

function placeOf(position: Position): { record: number; line: number } {
  return { record: position.index, line: position.line };
}

function tooLong(position: Position, inLine: boolean, longest: number): readonly Loss[] {
  if (inLine) return NONE;
  const limit = `${Math.round(longest / 1e6)} MB`;
  return [loss("record_unreadable", placeOf(position), `a line of more than ${limit} was not parsed`)];
}
