// What a file of OpenCode's is shows at its beginning, whatever it is called.
import { closeSync, openSync, readSync } from "node:fs";

export const SQLITE = "SQLite format 3\0";

/** Rows as lines, as an operation keeps them. */
export const ROWS = /^\s*\{"table":"sessions?",/;

const LENGTH = 4096;

export function headOf(path: string): string {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(LENGTH);
    return buffer.toString("latin1", 0, readSync(file, buffer, 0, LENGTH, 0));
  } finally {
    closeSync(file);
  }
}
