// Reads a JSONL file as native records with their byte ranges, whatever state the file is in. Every byte of
// the file belongs to exactly one record, so the records put together are the file again.
import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { type Loss, loss } from "../session/losses.ts";
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
}

export interface Position {
  offset: number;
  index: number;
  line: number;
}

export const START: Position = { offset: 0, index: 0, line: 1 };

export interface ReadOptions {
  from?: Position;
  /** Cut long strings before parsing: for passes that need structure only. */
  shrink?: boolean;
  /** Do not parse at all: for passes that need bytes only. */
  raw?: boolean;
  /** Stop at this byte, which must be the start of a record. */
  end?: number;
}

const CHUNK = 1 << 20;
/** Longer lines cannot be one JavaScript string together with what they parse to. */
const LONGEST_LINE = 1 << 28;
const NEWLINE = 10;

/** Batches, because one promise per record would cost more than parsing it. */
export async function* readRecords(path: string, options: ReadOptions = {}): AsyncGenerator<NativeRecord[]> {
  const file = await open(path, "r");
  try {
    yield* batches(file, options);
  } finally {
    await file.close();
  }
}

async function* batches(file: FileHandle, options: ReadOptions): AsyncGenerator<NativeRecord[]> {
  const position = { ...(options.from ?? START) };
  const end = options.end ?? Number.POSITIVE_INFINITY;
  let held = Buffer.alloc(0);
  let buffer = Buffer.allocUnsafe(CHUNK);
  let readAt = position.offset;
  for (;;) {
    // A held line is kept at the front and the buffer grows with it, so long lines are copied a few times only.
    if (held.length * 2 > buffer.length) buffer = Buffer.allocUnsafe(buffer.length * 4);
    held.copy(buffer, 0);
    const wanted = Math.min(buffer.length - held.length, end - readAt);
    const { bytesRead } = await file.read(buffer, held.length, wanted, readAt);
    readAt += bytesRead;
    const filled = buffer.subarray(0, held.length + bytesRead);
    const last = bytesRead === 0;
    const cut = last ? filled.length : filled.lastIndexOf(NEWLINE) + 1;
    if (cut > 0) yield splitLines(filled.subarray(0, cut), position, options);
    if (last) return;
    held = Buffer.from(filled.subarray(cut));
    if (held.length === 0 && buffer.length > CHUNK) buffer = Buffer.allocUnsafe(CHUNK);
  }
}

function splitLines(bytes: Buffer, position: Position, options: ReadOptions): NativeRecord[] {
  const records: NativeRecord[] = [];
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const stop = newline === -1 ? bytes.length : newline + 1;
    const line = bytes.subarray(start, stop);
    const first = records.length;
    records.push(...parseLine(line, position, newline !== -1, options));
    for (let at = first; at < records.length; at++) position.offset += records[at]!.length;
    position.index += records.length - first;
    position.line += newline === -1 ? 0 : 1;
    start = stop;
  }
  return records;
}

function parseLine(
  bytes: Buffer,
  position: Position,
  terminated: boolean,
  options: ReadOptions,
): NativeRecord[] {
  const record = (value: unknown, whole: boolean, losses: readonly Loss[] = []): NativeRecord => ({
    index: position.index,
    line: position.line,
    offset: position.offset,
    length: bytes.length,
    value,
    whole,
    terminated,
    losses,
    bytes,
  });
  if (options.raw) return [record(undefined, true)];
  const at = { record: position.index, line: position.line };
  if (bytes.length > LONGEST_LINE) {
    const size = Math.round(bytes.length / 1e6);
    return [
      record(undefined, true, [loss("record_unreadable", at, `a line of ${size} MB is too long to parse`)]),
    ];
  }
  const small = options.shrink ? shrink(bytes) : undefined;
  const text = small ?? bytes.toString("utf8");
  try {
    return [record(JSON.parse(text), small === undefined, oddBytes(bytes, at))];
  } catch {
    return parseDamaged(bytes, position, terminated, record);
  }
}

function oddBytes(bytes: Buffer, at: Loss["at"]): readonly Loss[] {
  if (isUtf8(bytes)) return NONE;
  return [loss("record_bytes_odd", at, "bytes that are not UTF-8 were replaced")];
}

const NONE: readonly Loss[] = [];

/** A line that is not one JSON value: blank, a comment, stray bytes around JSON, glued objects, or damage. */
function parseDamaged(
  bytes: Buffer,
  position: Position,
  terminated: boolean,
  record: (value: unknown, whole: boolean, losses?: readonly Loss[]) => NativeRecord,
): NativeRecord[] {
  const at = { record: position.index, line: position.line };
  const text = bytes.toString("utf8");
  // NUL is what a crashed writer leaves behind.
  const clean = text.replace(/^[\uFEFF\u0000\s]+|[\u0000\s]+$/g, "");
  const stray = /[\uFEFF\u0000]/.test(text)
    ? [loss("record_bytes_odd", at, "a BOM or NUL bytes were skipped")]
    : [];
  if (clean === "") return [record(undefined, true, stray)];
  if (clean.startsWith("//") || clean.startsWith("#")) {
    return [record(undefined, true, [...stray, loss("record_comment", at, clean.slice(0, 80))])];
  }
  try {
    return [record(JSON.parse(clean), true, stray)];
  } catch (error) {
    const glued = parseGlued(bytes, position, terminated);
    if (glued) return glued;
    const kind = terminated ? "record_unreadable" : "record_truncated";
    const reason = error instanceof Error ? error.message : String(error);
    return [
      record(undefined, true, [...stray, loss(kind, at, `${bytes.length} bytes: ${reason.slice(0, 120)}`)]),
    ];
  }
}

/** Two or more whole objects on one line become a record each, with byte ranges that touch. */
function parseGlued(bytes: Buffer, position: Position, terminated: boolean): NativeRecord[] | undefined {
  const ends = objectEnds(bytes);
  if (ends.length < 2) return undefined;
  const records: NativeRecord[] = [];
  let start = 0;
  for (const [number, stop] of ends.entries()) {
    const isLast = number === ends.length - 1;
    const piece = bytes.subarray(start, isLast ? bytes.length : stop);
    const at = { record: position.index + number, line: position.line };
    let value: unknown;
    try {
      value = JSON.parse(piece.toString("utf8"));
    } catch {
      return undefined;
    }
    const losses = number === 0 ? NONE : [loss("record_glued", at, `object ${number + 1} on this line`)];
    records.push({
      index: position.index + number,
      line: position.line,
      offset: position.offset + start,
      length: piece.length,
      value,
      whole: true,
      terminated: isLast ? terminated : true,
      losses,
      bytes: piece,
    });
    start = stop;
  }
  return records;
}

/** Byte positions just after each top-level object. */
function objectEnds(bytes: Buffer): number[] {
  const ends: number[] = [];
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      depth--;
      if (depth === 0) ends.push(at + 1);
      if (depth < 0) return [];
    }
  }
  return depth === 0 ? ends : [];
}
