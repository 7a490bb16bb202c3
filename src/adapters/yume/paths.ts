// Where sessions lie: a folder for each provider, a file for each session.
import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Home, Looking, SessionRef, StoreFolder } from "../adapter.ts";
import { entriesOf, fileRef, headOf, knownOf } from "../folder.ts";
import { isObject, PROVIDERS } from "./native.ts";

const LARGEST = 1 << 28;

export function stores(home: Home): readonly string[] {
  return [join(home.dir, ".yume", "sessions")];
}

export function watched(home: Home): StoreFolder[] {
  return stores(home).map((path) => ({ path, below: [/./], files: /\.json$/ }));
}

export function* discover(home: Home, looking?: Looking): Generator<SessionRef> {
  for (const store of stores(home))
    for (const provider of Object.keys(PROVIDERS))
      for (const { name } of entriesOf(join(store, provider), looking)) {
        const ref = name.endsWith(".json") ? refOf(join(store, provider, name), looking) : undefined;
        if (ref) yield ref;
      }
}

/** The provider that the folder stands for; none outside a store. */
export function folderProvider(path: string): string | undefined {
  const folder = dirname(path);
  const isStore = dirname(folder).endsWith(join(".yume", "sessions"));
  return isStore && Object.hasOwn(PROVIDERS, basename(folder)) ? basename(folder) : undefined;
}

export async function recognise(path: string): Promise<SessionRef | undefined> {
  try {
    if ((await stat(path)).size > LARGEST) return undefined;
    const text = (await readFile(path, "utf8")).trimStart();
    const value: unknown = text.startsWith("{") ? JSON.parse(text) : undefined;
    const isSession =
      isObject(value) && Array.isArray(value.history) && Object.hasOwn(PROVIDERS, String(value.provider));
    return isSession ? refOf(path) : undefined;
  } catch {
    // No file, or no JSON: nobody's session that we know.
    return undefined;
  }
}

function refOf(path: string, looking?: Looking): SessionRef | undefined {
  const main = fileRef(path, "main", looking);
  if (!main) return undefined;
  const originalId = knownOf(main, main.size, looking)?.originalId ?? idIn(path) ?? basename(path, ".json");
  return { agent: "yume", originalId, path, files: [main] };
}

const BEGINNING = 4096;

/** The id that the file opens with: two providers' files may have one name. */
function idIn(path: string): string | undefined {
  return /^\s*\{\s*"id"\s*:\s*"([^"\\]{1,200})"/.exec(headOf(path, BEGINNING))?.[1];
}
