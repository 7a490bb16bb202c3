// The files that show a conversation across providers, under $BATON_HOME/conversations: one that is current, a few
// facts beside it, and a dated one for every time that it crossed. All of them are made from the stores and the journal.
import { randomBytes } from "node:crypto";
import { constants, copyFile, mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { BatonError } from "../session/error.ts";
import { codeOf, hashFile, lstatIfAny, namesIn, ownTemporary, unlinkIfAny, writeAtomically } from "./disk.ts";
import { acquire } from "./lock.ts";

export interface ConversationFiles {
  folder: string;
  current: string;
  meta: string;
}

export function conversationsFolder(batonHome: string): string {
  return join(batonHome, "conversations");
}

export async function hasConversations(batonHome: string): Promise<boolean> {
  return (await lstatIfAny(conversationsFolder(batonHome))) !== undefined;
}

export function conversationFiles(batonHome: string, id: string): ConversationFiles {
  const folder = conversationsFolder(batonHome);
  return { folder, current: join(folder, `${id}.json`), meta: join(folder, `${id}.meta.json`) };
}

/** The dated file of this moment; no other switch has its name, also not one of the same moment. */
export function backupOf(batonHome: string, id: string, now: Date): string {
  const time = now.toISOString().replaceAll(":", "-");
  const own = randomBytes(3).toString("hex");
  return join(conversationsFolder(batonHome), "backups", `${id}.${time}-${own}.json`);
}

/** Until when operations were settled; not a conversation's. */
export const SETTLED = ".settled";
const LOCK = ".lock";
const PATIENCE = 10_000;

/**
 * One process at a time works on these files. Whatever it reads of the journal it has to read meanwhile: then nobody who
 * has seen less comes after it.
 */
export async function whileSettling<T>(batonHome: string, work: () => Promise<T>): Promise<T> {
  const folder = conversationsFolder(batonHome);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await acquire(join(folder, LOCK), PATIENCE);
  if (!lock)
    throw new BatonError(
      "busy",
      `another Baton works on ${folder}.`,
      "Wait until it has ended, then try again.",
    );
  try {
    await removeLeftovers(folder);
    return await work();
  } finally {
    lock.release();
  }
}

/** What was on its way when somebody was killed: nobody else is at it now. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await namesIn(folder))
    if (/^(?:[0-9a-z]{12}(?:\.meta)?\.json|\.settled)\..*\.?tmp$/.test(name))
      await unlinkIfAny(join(folder, name));
}

/** The time of the newest operation of the last settling that was complete. */
export async function settledUntil(batonHome: string): Promise<string> {
  try {
    return (await readFile(join(conversationsFolder(batonHome), SETTLED), "utf8")).trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}

export async function noteSettled(batonHome: string, until: string): Promise<void> {
  const path = join(conversationsFolder(batonHome), SETTLED);
  if ((await settledUntil(batonHome)) !== until)
    await writeAtomically(path, `${until}\n`, ownTemporary(path));
}

/** Makes a dated file the current one, or takes the current one away where none is left; nothing where it is so. */
export async function placeConversation(
  { current, meta }: ConversationFiles,
  backup: string | undefined,
  facts: unknown,
): Promise<void> {
  if (facts === undefined) {
    for (const path of [current, meta]) await unlinkIfAny(path);
    return;
  }
  const text = `${JSON.stringify(facts, null, 2)}\n`;
  if (!(await holds(meta, text))) await writeAtomically(meta, text, ownTemporary(meta));
  if (backup === undefined || !(await lstatIfAny(backup))) return unlinkIfAny(current);
  if (await isSame(backup, current)) return;
  const temporary = ownTemporary(current);
  // Never a second name of the dated one: whoever edits this must not edit that.
  await copyFile(backup, temporary, constants.COPYFILE_FICLONE);
  await rename(temporary, current);
}

async function holds(path: string, text: string): Promise<boolean> {
  return (await lstatIfAny(path)) !== undefined && (await readFile(path, "utf8")) === text;
}

async function isSame(backup: string, current: string): Promise<boolean> {
  const [one, other] = [await lstatIfAny(backup), await lstatIfAny(current)];
  if (!one || !other || one.ino === other.ino || one.size !== other.size) return false;
  return (await hashFile(backup)) === (await hashFile(current));
}
