// Writes files that the user asked for by name, outside any store. They appear whole or not at all, and one
// that is there already is left alone unless the user said otherwise.
import { mkdtempSync, rmSync } from "node:fs";
import { type FileHandle, mkdir, open, rename, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BatonError } from "../session/error.ts";

export interface ExportPiece {
  path: string;
  bytes: string | Uint8Array;
}

export interface ExportOptions {
  /** Replace files that are there. */
  force?: boolean;
  /** The file that was named; folders are made for the others only. */
  main: string;
}

/** The paths of all files, in the order in which they first occur. */
export async function exportFiles(
  pieces: AsyncIterable<ExportPiece>,
  options: ExportOptions,
): Promise<string[]> {
  /** By the path they will have: where they are until then. */
  const partials = new Map<string, string>();
  let current: { path: string; file: FileHandle } | undefined;
  const removePartials = () => {
    for (const [path, partial] of partials) if (partial !== path) rmSync(partial, { force: true });
  };
  // Ctrl-C ends the process at any point.
  process.once("exit", removePartials);
  try {
    for await (const { path, bytes } of pieces) {
      if (current?.path !== path) {
        await current?.file.close();
        current = undefined;
        const known = partials.get(path);
        const partial = known ?? (await prepared(path, options));
        partials.set(path, partial);
        current = { path, file: await open(partial, known || partial === path ? "a" : "wx", 0o600) };
      }
      await current.file.writeFile(bytes);
    }
    await current?.file.close();
    current = undefined;
    await publish(partials, options);
    return [...partials.keys()];
  } catch (error) {
    await current?.file.close();
    removePartials();
    throw error;
  } finally {
    process.off("exit", removePartials);
  }
}

export async function exportFile(
  path: string,
  content: string,
  options: { force?: boolean } = {},
): Promise<void> {
  await exportFiles(once({ path, bytes: content }), { ...options, main: path });
}

async function* once(piece: ExportPiece): AsyncGenerator<ExportPiece> {
  yield piece;
}

/** Where to write until the file is whole: a pipe or a terminal is written to as it is. */
async function prepared(path: string, options: ExportOptions): Promise<string> {
  const there = await stat(path).catch(none);
  if (there?.isDirectory()) throw new BatonError("usage", `${path} is a folder.`, "Name a file inside it.");
  if (there && !there.isFile()) return path;
  if (there && !options.force) throw exists(path);
  const folder = dirname(path);
  if (path !== options.main) await mkdir(folder, { recursive: true, mode: 0o700 });
  else if (!(await stat(folder).catch(none))?.isDirectory())
    throw new BatonError("not_found", `There is no folder ${folder}.`, "Make it first.");
  return `${path}.${process.pid}.partial`;
}

async function publish(partials: ReadonlyMap<string, string>, options: ExportOptions): Promise<void> {
  for (const [path, partial] of partials) {
    if (partial === path) continue;
    if (!options.force && (await stat(path).catch(none))) throw exists(path);
    await rename(partial, path);
  }
}

export function exists(path: string): BatonError {
  return new BatonError(
    "refused",
    `${path} is there already.`,
    "Name another file, or replace it with --force.",
  );
}

function none(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  return undefined;
}

/** Keeps what comes in over a stream in a private file while `use` works with it. */
export async function withSpooled<T>(
  input: AsyncIterable<Uint8Array>,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "baton-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeFolder);
  try {
    const path = join(folder, "input.jsonl");
    const file = await open(path, "wx", 0o600);
    try {
      for await (const chunk of input) await file.writeFile(chunk);
    } finally {
      await file.close();
    }
    return await use(path);
  } finally {
    removeFolder();
    process.off("exit", removeFolder);
  }
}
