// Reads a JSONL file that is as it should be: every line whole, valid, and ended. It does not wait, and hands out values
// only. Whoever finds a file that is not plain reads it with records.ts, which says what is wrong.
import { isUtf8 } from "node:buffer";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { FOR_READING } from "./records.ts";
import { shrink } from "./shrink.ts";

const NEWLINE = 10;

export interface PlainOptions {
  /** Larger files are not read. */
  largest: number;
  /** Whether strings stay whole; otherwise long ones may be cut (see shrink.ts). */
  isWhole: boolean;
}

/**
 * Hands each value to `take`, with the number of its line from 0 on and where it stands, until that says no. False when
 * it did, or when the file is not plain.
 */
export function readPlain(
  path: string,
  take: (value: unknown, line: number, offset: number, length: number) => boolean,
  { largest, isWhole }: PlainOptions,
): boolean {
  const file = openSync(path, FOR_READING);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > largest) return false;
    let line = 0;
    let offset = 0;
    let left = 0;
    for (;;) {
      const room = roomFor(left);
      const length = readSync(file, room, left, room.length - left, offset);
      if (length === 0) return left === 0;
      const bytes = room.subarray(0, left + length);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      const whole = bytes.subarray(0, end);
      if (!isUtf8(whole)) return false;
      const begin = offset - left;
      for (let start = 0; start < end; line++) {
        const stop = whole.indexOf(NEWLINE, start);
        const value = parsed(whole, start, stop, isWhole);
        if (!take(value, line, begin + start, stop + 1 - start)) return false;
        start = stop + 1;
      }
      offset += length;
      left = bytes.length - end;
      if (left > 0) bytes.copy(room, 0, end);
    }
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  } finally {
    closeSync(file);
    if (buffer.length > LARGEST_KEPT) buffer = NOTHING;
  }
}

const CHUNK = 1 << 20;
const NOTHING = Buffer.alloc(0);
/** One for all files, because making one for each would take longer than reading them. */
let buffer = NOTHING;
const LARGEST_KEPT = 4 << 20;

/** A buffer with the first `left` bytes as they are and room behind them. */
function roomFor(left: number): Buffer {
  if (left < buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.max(CHUNK, 2 * buffer.length));
  buffer.copy(larger, 0, 0, left);
  buffer = larger;
  return buffer;
}

/** Cutting what is long in a line takes less than parsing it. */
const LONG = 8 << 10;

function parsed(bytes: Buffer, start: number, stop: number, isWhole: boolean): unknown {
  const cut = !isWhole && stop - start >= LONG ? shrink(bytes.subarray(start, stop)) : undefined;
  return JSON.parse(cut ?? bytes.toString("utf8", start, stop));
}
