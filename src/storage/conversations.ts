// The files that show a conversation across providers, under $BATON_HOME/conversations: one that is current, a few
// facts beside it, and a dated one for every time that it crossed. All of them are made from the stores and the journal.
import { copyFile, link, mkdir, rename } from "node:fs/promises";
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

/** Makes a dated file the current one, or takes the current one away where none is left. */
export async function placeConversation(
  { folder, current, meta }: ConversationFiles,
  backup: string | undefined,
  facts: unknown,
): Promise<void> {
  if (facts === undefined) {
    await unlinkIfAny(current);
    return unlinkIfAny(meta);
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeAtomically(meta, `${JSON.stringify(facts, null, 2)}\n`);
  if (backup === undefined || !(await lstatIfAny(backup))) return unlinkIfAny(current);
  const temporary = `${current}.tmp`;
  await unlinkIfAny(temporary);
  await sameFile(backup, temporary);
  await rename(temporary, current);
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
