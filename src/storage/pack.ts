// Packs: files that only ever grow and hold compressed frames, each behind a few bytes that say what it is, and
// notes that say what the frames are parts of. All of it is valid zstd (`zstd -d` prints the frames one behind the
// other), and a pack tells everything about itself, so that an index of it can be made anew.
import { hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, zstdCompressSync, zstdDecompress } from "node:zlib";
import { BatonError } from "../session/error.ts";
import { codeOf } from "./disk.ts";

/** Where the compressed bytes of a frame stand in a pack. */
export interface Place {
  offset: number;
  length: number;
}

export interface PackWriter {
  /** Bytes of the pack, with those that are still on their way to the disk. */
  size(): number;
  frame(hash: Uint8Array, size: number, compressed: Uint8Array): Place;
  note(text: string): void;
  /** Bytes as they are. */
  raw(bytes: Uint8Array): void;
  /** Everything so far is on the disk when this is done. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** zstd's frames for anything else, which its programs skip. */
const FRAME = 0x184d2a50;
const NOTE = 0x184d2a51;
const VERSION = 1;
const PREFIX = 8;
const HASH = 32;
/** Version, hash of the bytes before compression, their number, the number of compressed bytes behind. */
const FRAME_HEAD = 1 + HASH + 4 + 4;
/** Version, hash of the text. */
const NOTE_HEAD = 1 + HASH;
/** What a frame needs besides its compressed bytes. */
export const FRAME_COST = PREFIX + FRAME_HEAD;

/** Beyond it the file is cut: whatever stands there belongs to nobody. */
export async function openPack(path: string, end: number): Promise<PackWriter> {
  const file = await opened(path);
  try {
    await file.truncate(end);
  } catch (error) {
    await file.close();
    throw error;
  }
  let size = end;
  let written = end;
  let waiting: Uint8Array[] = [];
  const add = (bytes: Uint8Array) => {
    waiting.push(bytes);
    size += bytes.length;
  };
  return {
    size: () => size,
    frame(digest, length, compressed) {
      const head = headOf(FRAME, FRAME_HEAD);
      head.set(digest, PREFIX + 1);
      head.writeUInt32LE(length, PREFIX + 1 + HASH);
      head.writeUInt32LE(compressed.length, PREFIX + 1 + HASH + 4);
      add(head);
      const offset = size;
      add(compressed);
      return { offset, length: compressed.length };
    },
    note(text) {
      const bytes = Buffer.from(text);
      const head = headOf(NOTE, NOTE_HEAD + bytes.length);
      add(Buffer.concat([head.subarray(0, PREFIX + 1), digestOf(bytes), bytes]));
    },
    raw: add,
    async sync() {
      const bytes = Buffer.concat(waiting);
      waiting = [];
      const at = written;
      written += bytes.length;
      await writeAt(file, bytes, at);
      await file.datasync();
    },
    close: () => file.close(),
  };
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r+");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return open(path, "wx+", 0o600);
  }
}

function headOf(magic: number, length: number): Buffer {
  const head = Buffer.alloc(PREFIX + (magic === FRAME ? FRAME_HEAD : NOTE_HEAD));
  head.writeUInt32LE(magic, 0);
  head.writeUInt32LE(length, 4);
  head[PREFIX] = VERSION;
  return head;
}

async function writeAt(file: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, from + at)).bytesWritten;
}

export function digestOf(bytes: Uint8Array): Buffer {
  return hash("sha256", bytes, "buffer");
}

const decompressing = promisify(zstdDecompress);

/** Higher levels take twice the time for a twelfth less. */
const LEVEL = 1;

/**
 * At once and here: to hand a megabyte to another thread and to hear of it takes about as long as to compress it. In
 * one step for most frames: the library goes back and forth for every piece of its output.
 */
export function compressed(bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
    pledgedSrcSize: bytes.length,
    chunkSize: (bytes.length >> 2) + 1024,
  });
}

/** The bytes of a frame, which are what they were or an error. */
export async function readFrame(
  path: string,
  place: Place,
  wanted: { hash: Uint8Array; size: number },
): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const bytes = await readAt(file, place.offset, place.length);
    const found = await decompressed(bytes, wanted);
    if (found) return found;
  } finally {
    await file.close();
  }
  throw new BatonError(
    "damaged",
    `${path} is damaged: the frame at byte ${place.offset} is not what was written.`,
    "Check the disk. Other sessions are not affected.",
  );
}

async function decompressed(
  bytes: Uint8Array,
  wanted: { hash: Uint8Array; size: number },
): Promise<Buffer | undefined> {
  try {
    const found = await decompressing(bytes, {
      maxOutputLength: Math.max(1, wanted.size),
      chunkSize: Math.max(64, wanted.size),
    });
    return digestOf(found).equals(wanted.hash) ? found : undefined;
  } catch {
    // Not zstd any more, or more than it should be.
    return undefined;
  }
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await file.read(buffer, at, length - at, offset + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return buffer.subarray(0, at);
}

export type Packed =
  | { type: "frame"; hash: Buffer; size: number; place: Place; end: number }
  | { type: "note"; text: string; end: number }
  | Damaged;

/** Not what was written. `isNote`: it was a note, of which the text is told as it is. */
interface Damaged {
  type: "damaged";
  isNote: boolean;
  bytes: Buffer;
  end: number;
}

/** What is in a pack, in order, from a byte on. The end of something that is not there yet is damaged as well. */
export async function* scanPack(path: string, from = 0): AsyncGenerator<Packed> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    for (let at = from; at + PREFIX <= size; ) {
      const found = (await packedAt(file, at, size)) ?? (await damagedAt(file, at, size));
      yield found;
      at = found.end;
    }
  } finally {
    await file.close();
  }
}

async function packedAt(
  file: FileHandle,
  at: number,
  size: number,
): Promise<Exclude<Packed, Damaged> | undefined> {
  const head = await readAt(file, at, Math.min(PREFIX + FRAME_HEAD, size - at));
  const magic = head.readUInt32LE(0);
  const length = head.readUInt32LE(4);
  if (head[PREFIX] !== VERSION || at + PREFIX + length > size) return undefined;
  if (magic === NOTE && length >= NOTE_HEAD) {
    const bytes = await readAt(file, at + PREFIX + NOTE_HEAD, length - NOTE_HEAD);
    const isWhole = digestOf(bytes).equals(head.subarray(PREFIX + 1, PREFIX + 1 + HASH));
    return isWhole ? { type: "note", text: bytes.toString("utf8"), end: at + PREFIX + length } : undefined;
  }
  if (magic !== FRAME || length !== FRAME_HEAD || head.length < FRAME_COST) return undefined;
  const digest = head.subarray(PREFIX + 1, PREFIX + 1 + HASH);
  const raw = head.readUInt32LE(PREFIX + 1 + HASH);
  const place = { offset: at + FRAME_COST, length: head.readUInt32LE(PREFIX + 1 + HASH + 4) };
  const end = place.offset + place.length;
  if (end > size) return undefined;
  const found = await decompressed(await readAt(file, place.offset, place.length), {
    hash: digest,
    size: raw,
  });
  return found && { type: "frame", hash: digest, size: raw, place, end };
}

/** More than any note has, and little enough to hold. */
const MOST_DAMAGED = 16 << 20;

/** All up to where something of ours may begin again. */
async function damagedAt(file: FileHandle, at: number, size: number): Promise<Damaged> {
  const next = await nextMagic(file, at + 1, size);
  const end = next ?? size;
  const bytes = await readAt(file, at, Math.min(MOST_DAMAGED, end - at));
  const isThere = next !== undefined || at + PREFIX + bytes.readUInt32LE(4) <= size;
  return { type: "damaged", isNote: bytes.readUInt32LE(0) === NOTE && isThere, bytes, end };
}

const STEP = 1 << 20;

/** Where something of ours may begin again. */
async function nextMagic(file: FileHandle, from: number, size: number): Promise<number | undefined> {
  for (let at = from; at + PREFIX <= size; at += STEP) {
    const bytes = await readAt(file, at, Math.min(STEP + 3, size - at));
    const found = [FRAME, NOTE].flatMap((magic) => {
      const place = bytes.indexOf(magicBytes(magic));
      return place === -1 ? [] : [at + place];
    });
    if (found.length > 0) return Math.min(...found);
  }
  return undefined;
}

function magicBytes(magic: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(magic);
  return bytes;
}
