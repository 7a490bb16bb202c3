// Summaries that a model made for a switch which did not come to its end: they took time and money, so another try
// finds them. Each is gone once its switch has succeeded, or after a week.
import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, diskError, namesIn, ownTemporary, unlinkIfAny, writeAtomically } from "./disk.ts";

const LONGEST = 7 * 24 * 60 * 60 * 1000;

function folderOf(batonHome: string): string {
  return join(batonHome, "summaries");
}

export async function keepSummary(batonHome: string, key: string, summary: string): Promise<void> {
  const folder = folderOf(batonHome);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw diskError(error, folder);
  }
  const path = join(folder, `${key}.md`);
  await writeAtomically(path, summary, ownTemporary(path));
  await removeOld(folder);
}

export async function keptSummary(batonHome: string, key: string): Promise<string | undefined> {
  try {
    return await readFile(join(folderOf(batonHome), `${key}.md`), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw diskError(error);
  }
}

/** One that cannot be removed goes in a week. */
export async function forgetSummary(batonHome: string, key: string): Promise<void> {
  await unlinkIfAny(join(folderOf(batonHome), `${key}.md`)).catch(() => undefined);
}

/** Also what was on its way when somebody was killed; another Baton may be at it as well. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const written = await stat(path).catch(() => undefined);
    if (written?.isFile() && Date.now() - written.mtimeMs > LONGEST)
      await unlinkIfAny(path).catch(() => undefined);
  }
}
