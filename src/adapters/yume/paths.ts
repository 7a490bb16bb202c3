// Where sessions lie: a folder for each provider, a file for each session.
import { open, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Home, SessionRef } from "../adapter.ts";
import { entriesOf, fileRef, type OnProblem } from "../folder.ts";
import { isObject, PROVIDERS } from "./native.ts";

const LARGEST = 1 << 28;

export function stores(home: Home): readonly string[] {
  return [join(home.dir, ".yume", "sessions")];
}

export async function* discover(home: Home, onProblem?: OnProblem): AsyncGenerator<SessionRef> {
  for (const store of stores(home))
    for (const provider of Object.keys(PROVIDERS))
      for (const { name } of await entriesOf(join(store, provider), onProblem)) {
        const ref = name.endsWith(".json") ? await refOf(join(store, provider, name), onProblem) : undefined;
        if (ref) yield ref;
      }
}

/** The provider that the folder stands for; none outside a store. */
export function folderProvider(path: string): string | undefined {
  const folder = dirname(path);
  const isStore = dirname(folder).endsWith(join(".yume", "sessions"));
  return isStore && basename(folder) in PROVIDERS ? basename(folder) : undefined;
}

export async function recognise(path: string): Promise<SessionRef | undefined> {
  try {
    if ((await stat(path)).size > LARGEST) return undefined;
    const text = (await readFile(path, "utf8")).trimStart();
    const value: unknown = text.startsWith("{") ? JSON.parse(text) : undefined;
    const isSession = isObject(value) && Array.isArray(value.history) && String(value.provider) in PROVIDERS;
    return isSession ? await refOf(path) : undefined;
  } catch {
    // No file, or no JSON: nobody's session that we know.
    return undefined;
  }
}

async function refOf(path: string, onProblem?: OnProblem): Promise<SessionRef | undefined> {
  const main = await fileRef(path, "main", onProblem);
  const originalId = (await idIn(path)) ?? basename(path, ".json");
  return main && { agent: "yume", originalId, path, files: [main] };
}

const BEGINNING = 4096;

/** The id that the file opens with: two providers' files may have one name. */
async function idIn(path: string): Promise<string | undefined> {
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return undefined;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    return /^\s*\{\s*"id"\s*:\s*"([^"\\]{1,200})"/.exec(buffer.toString("utf8", 0, bytesRead))?.[1];
  } finally {
    await file.close();
  }
}
