// The last bytes of a file as whole lines, the newest first: what a session ended with, however long it is.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export function endingOf(path: string, length: number): string[] {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = fstatSync(file);
    const start = Math.max(0, size - length);
    const buffer = Buffer.allocUnsafe(Math.min(size, length));
    const read = readSync(file, buffer, 0, buffer.length, start);
    const lines = buffer.toString("utf8", 0, read).split("\n");
    // The first one began before what was read.
    if (start > 0) lines.shift();
    return lines.reverse();
  } finally {
    closeSync(file);
  }
}
