// Looks into a store's folders. Nothing there is an answer; whatever else keeps Baton from looking is told to
// whoever asked, because sessions behind it would silently be missing.
import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { beginningOf } from "../storage/beginning.ts";
import type { FileRef, Known, Looking } from "./adapter.ts";

/** Told about a folder or file of a store that is there and cannot be looked at. */
export type OnProblem = (path: string, error: Error) => void;

export function entriesOf(folder: string, looking: Looking = {}): Dirent[] {
  try {
    return listed(folder, looking);
  } catch (error) {
    looking.onFolder?.(folder, undefined);
    tell(folder, error, looking.onProblem);
    return [];
  }
}

/** The same for the folder that a store consists of: a file or a link to nowhere in its place is a problem too. */
export function storeEntries(folder: string, looking: Looking = {}): Dirent[] {
  try {
    return listed(folder, looking);
  } catch (error) {
    looking.onFolder?.(folder, undefined);
    if (!isMissing(folder)) looking.onProblem?.(folder, error as Error);
    return [];
  }
}

function listed(folder: string, { onFolder }: Looking): Dirent[] {
  // Each before the next: whatever changes in between shows in what it is then.
  const at = Date.now();
  const found = onFolder && statSync(folder);
  const entries = readdirSync(folder, { withFileTypes: true });
  onFolder?.(folder, found && { at, found, entries });
  return entries;
}

const QUIETLY = { throwIfNoEntry: false } as const;

/** Undefined also for a file that went away since its folder was listed, and for a link to nowhere. */
export function statIfAny(path: string, looking: Looking = {}): Stats | undefined {
  try {
    const at = Date.now();
    const found = statSync(path, QUIETLY);
    looking.onFile?.(path, found, at);
    return found;
  } catch (error) {
    tell(path, error, looking.onProblem);
    return undefined;
  }
}

/** A file of a session, if it is there. */
export function fileRef(path: string, role: FileRef["role"], looking?: Looking): FileRef | undefined {
  const found = statIfAny(path, looking);
  if (!found?.isFile()) return undefined;
  return { path, role, size: found.size, mtimeMs: found.mtimeMs, inode: found.ino };
}

/** What is known of a file, unless its first `looked` bytes can have changed since: sessions grow at their end. */
export function knownOf(file: FileRef, looked: number, looking?: Looking): Known | undefined {
  const known = looking?.known?.(file);
  if (!known || known.size === 0) return undefined;
  return known.size === file.size || (known.size >= looked && file.size > known.size) ? known : undefined;
}

/** The first bytes of a file as text; empty when it cannot be read, which opening the session will tell. */
export function headOf(path: string, length: number): string {
  try {
    return beginningOf(path, length);
  } catch {
    return "";
  }
}

/** A small file as text; empty when it is not there or cannot be read. */
export function textOf(path: string, looking?: Looking): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // Whoever asks goes on without what it would have said.
    if (!isNothing(error)) looking?.onUnsure?.();
    return "";
  }
}

function tell(path: string, error: unknown, onProblem: OnProblem | undefined): void {
  if (!isNothing(error)) onProblem?.(path, error as Error);
}

function isMissing(path: string): boolean {
  try {
    return lstatSync(path, QUIETLY) === undefined;
  } catch (error) {
    return isNothing(error);
  }
}

function isNothing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
