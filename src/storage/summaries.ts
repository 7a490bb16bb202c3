// Summaries that a model made for a switch which did not come to its end: they took time and money, so another try
// finds them. Gone once a switch has succeeded.
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, diskError, writeAtomically } from "./disk.ts";

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
  await writeAtomically(join(folder, `${key}.md`), summary);
}

export async function keptSummary(batonHome: string, key: string): Promise<string | undefined> {
  try {
    return await readFile(join(folderOf(batonHome), `${key}.md`), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw diskError(error);
  }
}

export async function forgetSummaries(batonHome: string): Promise<void> {
  await rm(folderOf(batonHome), { recursive: true, force: true });
}
