// Files in a private place, such as the home in which a CLI is tried: for nobody else's eyes, and without a journal,
// because the whole place goes away again.
import { constants, mkdtempSync, rmSync } from "node:fs";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

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

/** The same for bytes that come piece by piece. */
export async function writePieces(
  path: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, pieces, { mode: 0o600 });
}

/** A folder that is there while `use` works with it, however that ends. */
export async function withPrivateFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const { folder, remove } = privateFolder();
  try {
    return await use(folder);
  } finally {
    remove();
  }
}

/** One that is there until it is removed, or the process ends. */
export function privateFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "baton-"));
  const remove = () => {
    process.off("exit", remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", remove);
  return { folder, remove };
}
