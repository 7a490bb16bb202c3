// A lock that its holder cannot leave behind: the kernel lets go of it when the process ends, however it ends.
// That is why it says for certain whether somebody still works on an operation, which a process id cannot (ids
// are used again, and mean nothing in another container). SQLite is the way to such locks from Node.
import { statSync, unlinkSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { codeOf } from "./disk.ts";

export interface Lock {
  /** Lets go and removes the lock's file. */
  release(): void;
  /** Lets go and leaves the file, as a process that was killed does. */
  leave(): void;
}

const SQLITE_BUSY = 5;

/** The lock, or undefined when another holds it even after `patience` milliseconds. */
export function tryLock(path: string, patience = 0): Lock | undefined {
  for (;;) {
    // Never opened by hand: closing any other handle of the file would drop this process's lock on it.
    const inode = inodeOf(path);
    const database = new DatabaseSync(path, { timeout: patience });
    if (!begin(database)) return undefined;
    // A holder before us may have removed the file while we opened it: then nobody else would see our lock.
    if (inode !== undefined && inodeOf(path) === inode) return lockOf(path, database);
    database.close();
  }
}

function begin(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

function lockOf(path: string, database: DatabaseSync): Lock {
  return {
    release() {
      try {
        unlinkSync(path);
      } finally {
        database.close();
      }
    },
    leave: () => database.close(),
  };
}

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path).ino;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
