// A lock that its holder cannot leave behind: the kernel lets go of it when the process ends, however it ends.
// That is why it says for certain whether somebody still works on an operation, which a process id cannot (ids
// are used again, and mean nothing in another container). SQLite is the way to such locks from Node.
import { statSync, unlinkSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { BatonError } from "../session/error.ts";
import { codeOf } from "./disk.ts";

export interface Lock {
  /** Lets go and removes the lock's file. */
  release(): void;
  /** Lets go and leaves the file, as a process that was killed does. */
  leave(): void;
}

const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CANTOPEN = 14;

/** The lock, or undefined when another still holds it after `patience` milliseconds. */
export async function acquire(path: string, patience = 0): Promise<Lock | undefined> {
  const until = Date.now() + patience;
  let trouble = 0;
  for (;;) {
    const lock = tryLock(path);
    if (lock instanceof BatonError) {
      if (++trouble > Math.min(MOST_TROUBLE, Math.max(LEAST_TROUBLE, patience / RETRY))) throw lock;
    } else {
      trouble = 0;
      if (lock || Date.now() >= until) return lock;
    }
    // Not by SQLite's own waiting, which would stop a holder in this same process from ever letting go.
    await setTimeout(RETRY);
  }
}

const RETRY = 20;
/** SQLite finds the file removed by its holder under its hands now and then, but not so often one after the other. */
const LEAST_TROUBLE = 10;
const MOST_TROUBLE = 50;

/** An error is what a holder that lets go may be the reason of. */
function tryLock(path: string): Lock | BatonError | undefined {
  for (;;) {
    // Never opened by hand: closing any other handle of the file would drop this process's lock on it.
    const inode = inodeOf(path);
    const database = begun(path);
    if (!database || database instanceof BatonError) return database;
    // A holder before us may have removed the file while we opened it: then nobody else would see our lock.
    if (inode !== undefined && inodeOf(path) === inode) return lockOf(path, database);
    database.close();
  }
}

function begun(path: string): DatabaseSync | BatonError | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec("BEGIN IMMEDIATE");
    return database;
  } catch (error) {
    database?.close();
    // Its last byte; the others say more about it.
    const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
    if (code === SQLITE_BUSY) return undefined;
    const failure = new BatonError(
      "not_writable",
      `${path} cannot be locked: ${error instanceof Error ? error.message : String(error)}.`,
      "Check that its folder is writable, has free space, and is on a disk that supports locks.",
      error,
    );
    if (code === SQLITE_IOERR || code === SQLITE_CANTOPEN) return failure;
    throw failure;
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
