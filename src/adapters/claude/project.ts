// Finds the project of a session whose records do not name it, from the name of the folder it lies in. The name
// is ambiguous (`my-app` and `my/app` look alike), so a path that exists is preferred.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { encodeProject } from "./paths.ts";

const MOST_FOLDERS = 500;

export async function guessProject(folder: string): Promise<string> {
  if (/^[A-Za-z]--/.test(folder)) return `${folder[0]}:\\${folder.slice(3).replaceAll("-", "\\")}`;
  if (!folder.startsWith("-")) return folder;
  return (await existing("/", folder.slice(1), { left: MOST_FOLDERS })) ?? folder.replaceAll("-", "/");
}

/** A folder below `dir` whose encoded path is `rest`. */
async function existing(dir: string, rest: string, budget: { left: number }): Promise<string | undefined> {
  if (budget.left-- <= 0) return undefined;
  for (const name of await folders(dir)) {
    const encoded = encodeProject(name);
    if (encoded === rest) return join(dir, name);
    if (!rest.startsWith(`${encoded}-`)) continue;
    const found = await existing(join(dir, name), rest.slice(encoded.length + 1), budget);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Long names first: `my-app` before `my`. */
async function folders(dir: string): Promise<string[]> {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  } catch {
    return [];
  }
}
