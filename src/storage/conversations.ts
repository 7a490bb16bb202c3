// The files that show a conversation across providers, under $BATON_HOME/conversations: one that is current, a few
// facts beside it, and a dated one for every time that it crossed. All of them are made from the stores and the journal.
import { copyFile, link, mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, lstatIfAny, unlinkIfAny, writeAtomically } from "./disk.ts";
import { NO_LINKS } from "./publish.ts";

export interface ConversationFiles {
  folder: string;
  current: string;
  meta: string;
}

export function conversationFiles(batonHome: string, id: string): ConversationFiles {
  const folder = join(batonHome, "conversations");
  return { folder, current: join(folder, `${id}.json`), meta: join(folder, `${id}.meta.json`) };
}

/** The dated file of this moment. */
export function backupOf(batonHome: string, id: string, now: Date): string {
  const time = now.toISOString().replaceAll(":", "-");
  return join(batonHome, "conversations", "backups", `${id}.${time}.json`);
}

/** Makes a dated file the current one, or takes the current one away where none is left; nothing where it is so. */
export async function placeConversation(
  files: ConversationFiles,
  backup: string | undefined,
  facts: unknown,
): Promise<void> {
  const { folder, current, meta } = files;
  const temporary = `${current}.tmp`;
  if (facts === undefined) {
    // Also what was on its way when somebody was killed.
    for (const path of [current, temporary, meta, `${meta}.tmp`]) await unlinkIfAny(path);
    return;
  }
  const text = `${JSON.stringify(facts, null, 2)}\n`;
  const isThere = backup !== undefined && (await lstatIfAny(backup)) !== undefined;
  if (!(await holds(meta, text))) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeAtomically(meta, text);
  }
  if (!isThere) return unlinkIfAny(current);
  if (await isSame(backup, current)) return;
  await unlinkIfAny(temporary);
  await sameFile(backup, temporary);
  await rename(temporary, current);
}

async function holds(path: string, text: string): Promise<boolean> {
  return (await lstatIfAny(path)) !== undefined && (await readFile(path, "utf8")) === text;
}

/** A copy, where there are no links, is as long and no older. */
async function isSame(backup: string, current: string): Promise<boolean> {
  const [one, other] = [await lstatIfAny(backup), await lstatIfAny(current)];
  if (!one || !other) return false;
  return one.ino === other.ino || (one.size === other.size && one.mtimeMs <= other.mtimeMs);
}

/** The bytes are there once; a disk without hard links gets a copy. */
async function sameFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error;
    await copyFile(from, to);
  }
}
