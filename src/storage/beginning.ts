// The first bytes of a file as text, which is enough to tell what it is. Synchronous, because a store has many files
// and the awaited kind costs several times as much.
import { closeSync, constants, openSync, readSync } from "node:fs";

export function beginningOf(path: string, length: number): string {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const buffer = Buffer.allocUnsafe(length);
    return buffer.toString("utf8", 0, readSync(file, buffer, 0, length, 0)).replace(/^\uFEFF/, "");
  } finally {
    closeSync(file);
  }
}
