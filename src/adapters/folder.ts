// Looks into a store's folders. Nothing there is an answer; whatever else keeps Baton from looking is told to
// whoever asked, because sessions behind it would silently be missing.
import type { Dirent, Stats } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import type { FileRef } from "./adapter.ts";

/** Told about a folder or file of a store that is there and cannot be looked at. */
export type OnProblem = (path: string, error: Error) => void;

export async function entriesOf(folder: string, onProblem?: OnProblem): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    tell(folder, error, onProblem);
    return [];
  }
}

/** The same for the folder that a store consists of: a file or a link to nowhere in its place is a problem too. */
export async function storeEntries(folder: string, onProblem?: OnProblem): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (!(await isMissing(folder))) onProblem?.(folder, error as Error);
    return [];
  }
}

/** Undefined also for a file that went away since its folder was listed, and for a link to nowhere. */
async function statIfAny(path: string, onProblem?: OnProblem): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    tell(path, error, onProblem);
    return undefined;
  }
}

/** A file of a session, if it is there. */
export async function fileRef(
  path: string,
  role: FileRef["role"],
  onProblem?: OnProblem,
): Promise<FileRef | undefined> {
  const found = await statIfAny(path, onProblem);
  if (!found?.isFile()) return undefined;
  return { path, role, size: found.size, mtimeMs: found.mtimeMs, inode: found.ino };
}

function tell(path: string, error: unknown, onProblem: OnProblem | undefined): void {
  if (!isNothing(error)) onProblem?.(path, error as Error);
}

async function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(() => false, isNothing);
}

function isNothing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
