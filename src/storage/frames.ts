// Cuts what a session is made of into frames of about a megabyte that end with a line. Where one ends depends on
// nothing but the bytes from its beginning on: of a file that has grown, all frames but the last are cut as before.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { BatonError } from "../session/error.ts";

export interface OpenedFile {
  size: number;
  mtimeMs: number;
  inode: number;
  /** The bytes of a stretch, fewer where the file has been cut meanwhile. Valid until the next call. */
  read(from: number, to: number): Buffer;
  close(): void;
}

/** One for all: memory that is new has to be cleared by the system first, which takes as long as reading into it. */
let room = Buffer.alloc(0);

/** Synchronous, because most files are small and a promise for each step would cost more than the step. */
export function openToFrame(path: string): OpenedFile {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const found = fstatSync(file);
  if (!found.isFile()) {
    closeSync(file);
    throw new BatonError("damaged", `${path} is not a regular file.`, "Name the session's own file.");
  }
  return {
    size: found.size,
    mtimeMs: found.mtimeMs,
    inode: found.ino,
    read(from, to) {
      const size = Math.max(0, to - from);
      if (size > room.length) room = Buffer.allocUnsafeSlow(size);
      const buffer = room.subarray(0, size);
      let at = 0;
      while (at < buffer.length) {
        const count = readSync(file, buffer, at, buffer.length - at, from + at);
        if (count === 0) break;
        at += count;
      }
      return buffer.subarray(0, at);
    },
    close: () => closeSync(file),
  };
}

const FRAME_BYTES = 1 << 20;
const NEWLINE = 10;

/** How much of what follows is the next frame: all of it, unless there is more than one holds. */
function frameLength(bytes: Uint8Array): number {
  if (bytes.length <= FRAME_BYTES) return bytes.length;
  const end = bytes.lastIndexOf(NEWLINE, FRAME_BYTES - 1) + 1;
  // A very long line is cut where it is.
  return end > FRAME_BYTES / 2 ? end : FRAME_BYTES;
}

/** The frames of a file from the beginning of one of them on. */
export function* framesOf(file: OpenedFile, from: number): Generator<Buffer> {
  for (let at = from; at < file.size; ) {
    // One byte more tells whether there is more.
    const bytes = file.read(at, Math.min(file.size, at + FRAME_BYTES + 1));
    if (bytes.length === 0) return;
    const frame = bytes.subarray(0, frameLength(bytes));
    yield frame;
    at += frame.length;
  }
}

export interface LineFrame {
  bytes: Buffer;
  lines: number;
}

/** The frames of lines as they come. The first line is a frame of its own: it changes with every change. */
export async function* framesOfLines(lines: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<LineFrame> {
  let waiting: Buffer[] = [];
  let size = 0;
  let isFirst = true;
  const frame = (): LineFrame => ({ bytes: Buffer.concat(waiting), lines: waiting.length });
  for await (const batch of lines)
    for (const line of batch) {
      if (size > 0 && size + line.length > FRAME_BYTES) {
        yield frame();
        waiting = [];
        size = 0;
      }
      waiting.push(Buffer.from(line));
      size += line.length;
      if (!isFirst) continue;
      yield frame();
      waiting = [];
      size = 0;
      isFirst = false;
    }
  if (size > 0) yield frame();
}
