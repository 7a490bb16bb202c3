// Extends an existing file by one write at its end, and takes such a write back while it is still the end. The
// agent may write to the same file at any moment, so check and change follow each other without a pause: these
// are synchronous calls, and what is not exactly as expected is left alone.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { BatonError } from "../session/error.ts";
import { codeOf, hashFile, lstatIfAny, UNCHANGED } from "./disk.ts";
import type { AppendedFile } from "./journal.ts";

const NEWLINE = 10;

/** Throws unless the file is as long as it was when the append was planned, and ends where a line can begin. */
export function checkAppend(file: AppendedFile, bytes: Uint8Array): void {
  withFile(file.path, constants.O_RDONLY, (descriptor) => check(descriptor, file, bytes));
}

/** The one write. Afterwards `file.begun` tells whether there was one. */
export function append(file: AppendedFile, bytes: Uint8Array): void {
  file.begun = false;
  withFile(file.path, constants.O_RDWR | constants.O_APPEND, (descriptor) => {
    check(descriptor, file, bytes);
    file.begun = true;
    const written = writeSync(descriptor, bytes);
    if (written < bytes.length) throw cutShort(file, written);
    fsyncSync(descriptor);
    if (fstatSync(descriptor).size !== file.previousSize + bytes.length) throw movedOn(file);
  });
}

function check(descriptor: number, file: AppendedFile, bytes: Uint8Array): void {
  const stat = fstatSync(descriptor);
  if (!stat.isFile() || stat.ino !== file.inode || stat.size !== file.previousSize) throw movedOn(file);
  if (stat.size === 0 || bytes[0] === NEWLINE) return;
  if (readAt(descriptor, stat.size - 1, 1)[0] === NEWLINE) return;
  throw new BatonError(
    "refused",
    `${file.path} ends in the middle of a line.`,
    "Its agent may still be writing. End it and try again, or use `baton fork` to go on in a new session.",
  );
}

/** Cuts off what is left of an unfinished append. Returns a sentence when something of ours has to stay. */
export async function cutAppend(file: AppendedFile): Promise<string | undefined> {
  if (!file.begun) return undefined;
  const ours = await readFile(file.bytes);
  try {
    return withFile(file.path, constants.O_RDWR, (descriptor) => cut(descriptor, file, ours));
  } catch (error) {
    // Somebody removed the file, and our bytes with it.
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** More than this behind our append is not searched. */
const SEARCHED = 1 << 26;

function cut(descriptor: number, file: AppendedFile, ours: Buffer): string | undefined {
  const stat = fstatSync(descriptor);
  const length = stat.size - file.previousSize;
  if (stat.ino !== file.inode || length <= 0) return undefined;
  const tail = readAt(descriptor, file.previousSize, Math.min(length, SEARCHED));
  if (length <= ours.length && tail.equals(ours.subarray(0, length))) {
    ftruncateSync(descriptor, file.previousSize);
    fsyncSync(descriptor);
    return undefined;
  }
  const found = tail.indexOf(ours);
  if (found === -1) return undefined;
  return `${ours.length} bytes that were appended to ${file.path} at ${file.previousSize + found} stay there, because another program has written to it since.`;
}

/** Cuts off an append that was finished, while nothing follows it. */
export function cutWhole(file: AppendedFile, ours: Uint8Array): void {
  withFile(file.path, constants.O_RDWR, (descriptor) => {
    const stat = fstatSync(descriptor);
    if (stat.ino !== file.inode || stat.size !== file.previousSize + ours.length) throw movedOn(file);
    if (!readAt(descriptor, file.previousSize, ours.length).equals(ours)) throw movedOn(file);
    ftruncateSync(descriptor, file.previousSize);
    fsyncSync(descriptor);
  });
}

/** The bytes behind those that were there before. */
export function appendedBytes(file: AppendedFile): Buffer {
  const length = file.written?.size ?? 0;
  return withFile(file.path, constants.O_RDONLY, (descriptor) =>
    readAt(descriptor, file.previousSize, length),
  );
}

/** Whether the append is in the file, whatever followed it. */
export async function isAppended(file: AppendedFile): Promise<boolean> {
  const stat = await lstatIfAny(file.path);
  if (!stat || !file.written || stat.ino !== file.inode) return false;
  const end = file.previousSize + file.written.size;
  return stat.size >= end && (await hashFile(file.path, file.previousSize, end)) === file.written.sha256;
}

function readAt(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

function withFile<T>(path: string, flags: number, work: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags);
  try {
    return work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function movedOn(file: AppendedFile): BatonError {
  return new BatonError(
    "busy",
    `${file.path} was changed by another program in the meantime.`,
    "Its agent seems to be running. End it and try again, or use `baton fork` to go on in a new session.",
  );
}

function cutShort(file: AppendedFile, written: number): BatonError {
  return new BatonError(
    "not_writable",
    `Only ${written} bytes could be appended to ${file.path}; the disk is probably full.`,
    `${UNCHANGED}Free some space there, then try again.`,
  );
}
