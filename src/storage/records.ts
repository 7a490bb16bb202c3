// Reads a JSONL file as native records with their byte ranges, whatever state the file is in. Every byte of
// the file belongs to exactly one record, so the records put together are the file again.
import { isUtf8 } from "node:buffer";
import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
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
import { type Position, START } from "./position.ts";
import { REFERENCED_FROM, referencer } from "./reference.ts";
import { type Cut, FOR_STRUCTURE, longStrings, type Stretch, shrink } from "./shrink.ts";

export interface NativeRecord {
  /** Counts every record of the file, blank and broken ones too. */
  index: number;
  /** 1-based line number; two records can share one. */
  line: number;
  offset: number;
  length: number;
  /** The parsed JSON; undefined for a blank or unreadable line. */
  value: unknown;
  /** False where structure is all that counts: long strings in `value` may be cut (see shrink.ts). */
  whole: boolean;
  /** False for a last line without its newline, which a running agent may still be writing. */
  terminated: boolean;
  losses: readonly Loss[];
  /** The bytes, newline included. A view into a buffer that is reused: copy what outlives the batch. */
  bytes: Buffer;
  /** Which file of the bundle it stands in; absent = the main file. */
  file?: string;
}

export interface ReadOptions {
  /** The position of any record that an earlier read reported. */
  from?: Position;
  /** Cut long strings before parsing: for passes that need structure only. */
  shrink?: boolean;
  /** Leave long texts in the file (see reference.ts) of those records whose value, read like that, passes. */
  passes?: ((value: unknown) => boolean) | undefined;
  /** Where the longest strings of each record stand: a pass that cuts notes it, later ones need not look again. */
  strings?: Map<number, readonly Stretch[]> | undefined;
  /** Do not parse at all: for passes that need bytes only. The records are the same. */
  raw?: boolean;
  /** Records that are made of something else need not have bytes, nor say exactly where they would stand. */
  valuesOnly?: boolean;
  /** Only the first record is wanted: no more need be read or parsed for a batch. */
  single?: boolean;
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
/** What is parsed at once: objects that are done with soon cost nothing to forget. */
const BATCH = 64;
const NEWLINE = 10;
const NONE: readonly Loss[] = [];

/** Batches, because one promise per record would cost more than parsing it. */
export async function* readRecords(path: string, options: ReadOptions = {}): AsyncGenerator<NativeRecord[]> {
  const found = statSync(path);
  if (!found.isFile())
    throw new BatonError("damaged", `${path} is not a regular file.`, "Name the session's own file.");
  const referencing = referencer(path, found.ino);
  if (!options.grown && found.size - (options.from?.offset ?? 0) <= CHUNK) {
    yield* smallFile(path, found.size, referencing, options);
    return;
  }
  const file = openSync(path, FOR_READING);
  try {
    yield* batches(file, referencing, options);
  } finally {
    closeSync(file);
  }
}

/** Without O_NONBLOCK, opening a named pipe would wait for a writer. */
export const FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Read at once and synchronously: of a thousand small files, waiting for each would take longer than all else. */
function* smallFile(
  path: string,
  size: number,
  referencing: Referencing,
  options: ReadOptions,
): Generator<NativeRecord[]> {
  const position = { ...(options.from ?? START) };
  const buffers = idle.pop() ?? newBuffers();
  // One byte more than is asked for: whether the position is inside a line.
  const before = Math.min(1, position.offset);
  const wanted = Math.max(0, Math.min(size, options.end ?? size) - position.offset + before);
  const bytes = buffers[0].subarray(0, readAt(path, buffers[0], wanted, position.offset - before));
  const isInside = before === 1 && bytes.length > 0 && bytes[0] !== NEWLINE;
  const longest = options.longestLine ?? LONGEST_LINE;
  const split = splitter(referencing, position, isInside, longest, options);
  yield* split(bytes.subarray(before), true);
  if (idle.length < MOST_IDLE) idle.push(buffers);
}

function readAt(path: string, into: Buffer, length: number, offset: number): number {
  const file = openSync(path, FOR_READING);
  try {
    let read = 0;
    for (let count = -1; count !== 0 && read < length; read += count)
      count = readSync(file, into, read, length - read, offset + read);
    return read;
  } finally {
    closeSync(file);
  }
}

async function* batches(
  file: number,
  referencing: Referencing,
  options: ReadOptions,
): AsyncGenerator<NativeRecord[]> {
  const longest = options.longestLine ?? LONGEST_LINE;
  const position = { ...(options.from ?? START) };
  const split = splitter(referencing, position, isInLine(file, position.offset), longest, options);
  const chunks = chunksOf(file, position.offset, options);
  for (let unfinished: Buffer = NOTHING; ; ) {
    const bytes = await chunks.next(unfinished);
    const isEnd = bytes.length === unfinished.length;
    yield* split(bytes, isEnd);
    if (isEnd) {
      chunks.free();
      return;
    }
    unfinished = bytes.subarray(bytes.length - (chunks.offset() - position.offset));
    // Somebody may want to end it.
    await setImmediate();
  }
}

const NOTHING = Buffer.alloc(0);

/** Buffers of files that were read to their end: making new ones for each of a thousand small files is what took longest. */
const idle: [Buffer, Buffer][] = [];
const MOST_IDLE = 2;

function newBuffers(): [Buffer, Buffer] {
  return [Buffer.allocUnsafeSlow(2 * CHUNK), Buffer.allocUnsafeSlow(2 * CHUNK)];
}

/**
 * Reading does not wait for other threads: from the system's cache, which reads ahead by itself, a chunk comes faster
 * than word of it would.
 */
function chunksOf(file: number, start: number, { end = Number.POSITIVE_INFINITY, grown }: ReadOptions) {
  let offset = start;
  // Before each chunk there is room for the line that the last one has begun.
  let [current, spare] = idle.pop() ?? newBuffers();
  const read = (size: number) => readSync(file, spare, CHUNK, Math.min(CHUNK, size - offset), offset);
  let long: Buffer | undefined;
  return {
    /** Nothing of the file is needed any more. */
    free() {
      if (idle.length < MOST_IDLE) idle.push([current, spare]);
    },
    /** How far the file has been read. */
    offset: () => offset,
    /** The next chunk after the line that the last one has begun; only that at the end. Valid until the next call. */
    async next(unfinished: Buffer): Promise<Buffer> {
      const length = read(grown ? await grown(offset) : end);
      offset += length;
      const chunk = spare.subarray(CHUNK, CHUNK + length);
      long = unfinished.length > CHUNK ? joined(long, unfinished, chunk) : undefined;
      if (!long) unfinished.copy(spare, CHUNK - unfinished.length);
      // Both are copied by now, so their buffers can be filled again.
      [current, spare] = [spare, current];
      if (long) return long.subarray(0, unfinished.length + length);
      return current.subarray(CHUNK - unfinished.length, CHUNK + length);
    },
  };
}

/** A buffer that begins with both, the one that was used last if they fit: a long line is copied a few times only. */
function joined(last: Buffer | undefined, unfinished: Buffer, chunk: Buffer): Buffer {
  const size = unfinished.length + chunk.length;
  const wanted = Math.max(size, Math.min(4 * size, LONGEST_LINE + 2 * CHUNK));
  const buffer = last && last.length >= size ? last : Buffer.allocUnsafeSlow(wanted);
  if (unfinished.buffer !== buffer.buffer || unfinished.byteOffset !== buffer.byteOffset)
    unfinished.copy(buffer);
  chunk.copy(buffer, unfinished.length);
  return buffer;
}

/** A position can lie behind the first of several objects on a line, or inside a line that is too long. */
function isInLine(file: number, offset: number): boolean {
  if (offset === 0) return false;
  const before = Buffer.alloc(1);
  return readSync(file, before, 0, 1, offset - 1) === 1 && before[0] !== NEWLINE;
}

type Referencing = ReturnType<typeof referencer>;

/** Takes whole records off the front of the bytes and moves the position past them. */
function splitter(
  referencing: Referencing,
  position: Position,
  startsInLine: boolean,
  longest: number,
  options: ReadOptions,
) {
  let inLine = startsInLine;
  return function* (bytes: Buffer, finished: boolean): Generator<NativeRecord[]> {
    let records: NativeRecord[] = [];
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
      else {
        const isLong = line.length >= 2 * REFERENCED_FROM;
        const value =
          isPlain && isLong ? passing(line, referencing(position), position.index, options) : FAILED;
        if (value !== FAILED) add(records, position, line, value, true, terminated, NONE);
        else addLine(records, position, line, terminated, isPlain, options);
      }
      inLine = isTooLong;
      if (newline !== -1 && !isTooLong) position.line++;
      start = stop;
      if (records.length >= BATCH || options.single) {
        yield records;
        records = [];
      }
    }
    if (records.length > 0) yield records;
  };
}

function addLine(
  records: NativeRecord[],
  position: Position,
  line: Buffer,
  terminated: boolean,
  isPlain: boolean,
  { shrink: shrinks = false, strings }: ReadOptions,
): void {
  const small = shrinks ? structure(line, position.index, strings) : undefined;
  const value = parse(small ?? line.toString("utf8"));
  if (value !== FAILED) {
    const losses = isPlain ? NONE : oddBytes(line, placeOf(position));
    add(records, position, line, value, !shrinks, terminated, losses);
    return;
  }
  // Damage inside a long text costs that text only, and both kinds of pass agree on the record.
  const cut = shrinks ? undefined : shrink(line);
  const rest = cut === undefined ? FAILED : parse(cut);
  if (rest !== FAILED) {
    const damage = loss(
      "record_unreadable",
      placeOf(position),
      "a long text in it is damaged and was cut",
      "error",
    );
    add(records, position, line, rest, false, terminated, [damage]);
  } else addPieces(records, position, parseDamaged(line, placeOf(position), terminated), terminated);
}

function structure(line: Buffer, index: number, noted: ReadOptions["strings"]): string | undefined {
  const strings = longStrings(line, FOR_STRUCTURE.longest);
  if (noted && line.length >= 2 * REFERENCED_FROM)
    noted.set(
      index,
      strings.filter(([start, end]) => end - start > REFERENCED_FROM),
    );
  return shrink(line, FOR_STRUCTURE, strings);
}

/** The value with references in it; FAILED when the record has to be read whole. */
function passing(line: Buffer, cut: Cut, index: number, { passes, strings }: ReadOptions): unknown {
  if (!passes) return FAILED;
  const small = shrink(line, cut, strings?.get(index));
  const value = small === undefined ? FAILED : parse(small);
  return value !== FAILED && passes(value) ? value : FAILED;
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
