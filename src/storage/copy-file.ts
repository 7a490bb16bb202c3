// Files in a private place, such as the home in which a CLI is tried: for nobody else's eyes, and without a journal,
// because the whole place goes away again.
import { constants } from "node:fs";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** A copy shares its blocks with the original where the file system can do that. */
export async function copyPrivately(from: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await copyFile(from, path, constants.COPYFILE_FICLONE);
  await chmod(path, 0o600);
}

export async function writePrivately(path: string, bytes: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, bytes, { mode: 0o600 });
}
