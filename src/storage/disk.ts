// Small steps on the disk that several parts of writing share, and what a failing one means for the user.
import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, readdir, realpath, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { BatonError, type ErrorCode } from "../session/error.ts";

/** Where a file will really be, behind all symbolic links, and which of its folders are missing (parents first). */
export async function realTarget(path: string): Promise<{ path: string; missing: string[] }> {
  const names: string[] = [];
  let folder = dirname(resolve(path));
  let real = await realFolder(folder);
  while (real === undefined) {
    names.unshift(basename(folder));
    folder = dirname(folder);
    real = await realFolder(folder);
  }
  const missing = names.map((_, at) => join(real, ...names.slice(0, at + 1)));
  return { path: join(real, ...names, basename(path)), missing };
}

async function realFolder(folder: string): Promise<string | undefined> {
  const real = await realpath(folder).catch(absent);
  const found = real === undefined ? await lstatIfAny(folder) : undefined;
  // Made by somebody else in between.
  if (found && !found.isSymbolicLink()) return realFolder(folder);
  if (found) {
    throw new BatonError(
      "not_writable",
      `${folder} is a link to a place that is not there.`,
      "Connect the disk it points to, or correct the link, then try again.",
    );
  }
  if (real !== undefined && !(await lstat(real)).isDirectory()) throw notAFolder(folder);
  return real;
}

/** For `catch`: nothing there is an answer, everything else is an error. */
function absent(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

export async function lstatIfAny(path: string) {
  return lstat(path).catch(absent);
}

export async function unlinkIfAny(path: string): Promise<void> {
  await unlink(path).catch((error) => ifGone(path, error));
}

/** A read-only disk refuses to remove even what was never there. */
async function ifGone(path: string, error: unknown): Promise<void> {
  if (codeOf(error) === "ENOENT") return;
  if (codeOf(error) === "EROFS" && (await lstatIfAny(path)) === undefined) return;
  throw error;
}

/** Removes folders that nobody else has put anything into, children first. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) {
    await rmdir(folder).catch((error) => {
      if (!["ENOTEMPTY", "EEXIST"].includes(codeOf(error))) return ifGone(folder, error);
    });
  }
}

/** Makes what was written to a file, or names that changed in a folder, survive a power failure. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The folders of these files, as far as they are there. */
export async function syncFolders(paths: readonly string[]): Promise<void> {
  for (const folder of new Set(paths.map((path) => dirname(path)))) await sync(folder).catch(absent);
}

/** None when the folder is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder).catch(absent)) ?? [];
  } catch (error) {
    throw diskError(error);
  }
}

/** A temporary name that no other process uses, for a file that several may write at once. */
export function ownTemporary(path: string): string {
  return `${path}.${process.pid}-${randomBytes(4).toString("hex")}.tmp`;
}

/** The file is there with all its bytes, or as it was before. */
export async function writeAtomically(
  path: string,
  bytes: string | Uint8Array,
  temporary = `${path}.tmp`,
): Promise<void> {
  try {
    const handle = await open(temporary, "w", 0o600);
    try {
      await writeFully(handle, typeof bytes === "string" ? Buffer.from(bytes) : bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    await sync(dirname(path));
  } catch (error) {
    throw diskError(error, path);
  }
}

export async function writeFully(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
  }
}

/** The SHA-256 of a file, or of its bytes from one position up to another. */
export async function hashFile(path: string, from = 0, to = Number.POSITIVE_INFINITY): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(1 << 20);
  const handle = await open(path, "r");
  try {
    for (let at = from; at < to; ) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - at), at);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
  return hash.digest("hex");
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** An error that the system reported, as opposed to one of a program. */
export function isDiskError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** What the system's error means; errors of ours pass as they are. */
export function diskError(error: unknown, path?: string): BatonError {
  if (error instanceof BatonError) return error;
  const where = path ?? pathOf(error);
  const [code, sentence, hint] = MEANINGS[codeOf(error)] ?? [
    "failed",
    `could not be written: ${error instanceof Error ? error.message : String(error)}`,
    `${UNCHANGED}Look at the message, then try again.`,
  ];
  return new BatonError(code, `${where} ${sentence}.`, hint, error);
}

function pathOf(error: unknown): string {
  const { dest, path } = error as { dest?: unknown; path?: unknown };
  return typeof dest === "string" ? dest : typeof path === "string" ? path : "A file";
}

/** Stands before a hint where everything could be put back. */
export const UNCHANGED = "The store is as it was. ";

const FREE_SPACE = `${UNCHANGED}Free some space there, then try again.`;
const PERMISSIONS = `${UNCHANGED}Check who owns the folder and its permissions, then try again.`;

const MEANINGS: Record<string, [ErrorCode, string, string]> = {
  ENOSPC: ["not_writable", "could not be written because the disk is full", FREE_SPACE],
  EDQUOT: ["not_writable", "could not be written because your disk quota is used up", FREE_SPACE],
  EFBIG: ["not_writable", "would be larger than the system allows", FREE_SPACE],
  EACCES: ["not_writable", "could not be written because permission is denied", PERMISSIONS],
  EPERM: ["not_writable", "could not be written because the system does not permit it", PERMISSIONS],
  EROFS: [
    "not_writable",
    "could not be written because the disk is read-only",
    `${UNCHANGED}Make the disk writable, then try again.`,
  ],
  EEXIST: [
    "refused",
    "exists already, and Baton never replaces a file",
    "Run the command again: it takes a new id each time.",
  ],
  ENOTDIR: [
    "not_writable",
    "could not be written because a file stands where a folder should be",
    `${UNCHANGED}Move that file away, then try again.`,
  ],
  ENOENT: ["not_found", "is not there any more", `${UNCHANGED}List the sessions again, then try again.`],
  EXDEV: [
    "not_writable",
    "could not be written because its folder spans two disks",
    `${UNCHANGED}Move the store to one disk, then try again.`,
  ],
  ENAMETOOLONG: ["not_writable", "has a name that is too long for this disk", "Use a shorter folder name."],
  EMFILE: ["busy", "could not be opened because too many files are open", "Try again in a moment."],
  EBUSY: ["busy", "is in use", "Try again in a moment."],
  EIO: [
    "failed",
    "could not be written because the disk reported an error",
    "Check the disk, then try again.",
  ],
};

function notAFolder(folder: string): BatonError {
  return diskError(Object.assign(new Error(`not a folder: ${folder}`), { code: "ENOTDIR" }), folder);
}
