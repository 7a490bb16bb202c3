// The steps of an undo: keep everything in the trash, then remove it from the store. An undo that fails on the
// way is taken back, one that was cut off is finished by recovery.
import { constants, copyFile, link, mkdir, readFile, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BatonError } from "../session/error.ts";
import { append, appendedBytes, cutWhole } from "./append.ts";
import { conversationsFolder } from "./conversations.ts";
import {
  codeOf,
  hashFile,
  lstatIfAny,
  realTarget,
  removeFolders,
  sync,
  syncFolders,
  unlinkIfAny,
  writeAtomically,
} from "./disk.ts";
import { insertRows, removeRows, statusOfRows } from "./insert.ts";
import { type Journal, mainLast, type Operation } from "./journal.ts";
import { isUntouched, NO_LINKS } from "./publish.ts";
import type { OnStep } from "./stage.ts";

type File = Operation["files"][number];

/** gone: nothing of ours is there any more; changed: there is more than ours. */
type Status = "untouched" | "changed" | "gone";

export interface Remains {
  file: File;
  status: Status;
}

/** The main file first, because without it nobody sees the others. */
export async function remainsOf(operation: Operation): Promise<Remains[]> {
  const remains: Remains[] = [];
  for (const [, file] of mainLast(operation).toReversed())
    remains.push({ file, status: await statusOf(file) });
  return remains;
}

async function statusOf(file: File): Promise<Status> {
  if (file.type === "rows") return statusOfRows(file);
  const stat = await lstatIfAny(file.path);
  if (!stat) return "gone";
  if (file.type === "create") return (await isUntouched(file)) ? "untouched" : "changed";
  if (stat.ino === file.inode && stat.size === file.previousSize) return "gone";
  const end = file.previousSize + (file.written?.size ?? 0);
  if (stat.ino !== file.inode || stat.size !== end) return "changed";
  return (await hashFile(file.path, file.previousSize, end)) === file.written?.sha256
    ? "untouched"
    : "changed";
}

/** Removes what is untouched. The caller has made sure that nothing else stands in the way. */
export async function remove(journal: Journal, remains: readonly Remains[], step: OnStep): Promise<void> {
  const { operation } = journal;
  const before = operation.state;
  const files = remains.filter(({ status }) => status === "untouched").map(({ file }) => file);
  const trash = join(journal.batonHome, "trash", operation.id);
  for (const file of files) {
    const name = `${operation.files.indexOf(file)}-${basename(file.path)}`;
    file.trash = join(trash, `${name}${ENDINGS[file.type]}`);
  }
  await step("journal undoing");
  await journal.save("undoing");
  const removed: File[] = [];
  try {
    await keep(files, trash, step);
    for (const file of files) {
      await step(`remove ${operation.files.indexOf(file)}`);
      await removeKept(file);
      removed.push(file);
    }
  } catch (error) {
    for (const file of removed.toReversed()) await restore(file);
    await emptyTrash(files);
    await journal.save(before);
    throw error;
  }
  await step("remove folders");
  await removeFolders(operation.folders);
  await syncFolders(files.flatMap(({ type, path }) => (type === "rows" ? [] : [path])));
  await step("journal undone");
  await journal.save("undone");
  // The trash has them.
  for (const file of operation.files) if (file.type === "rows") await unlinkIfAny(file.staged);
}

const ENDINGS = { create: "", append: ".appended", rows: ".rows" } as const;

export function stays({ file }: Remains): string {
  return `${file.path} stays, because it was changed since Baton wrote it.`;
}

/** Which files are pictures of a conversation: nobody goes on with those, so they are never in an undo's way. */
export async function generatedIn(batonHome: string): Promise<(file: File) => boolean> {
  const { path: folder } = await realTarget(join(conversationsFolder(batonHome), "backups", "any"));
  return ({ type, main, path }) => type === "create" && !main && dirname(path) === dirname(folder);
}

/** Finishes an undo that was cut off; or drops it, where an agent went on before anything was removed. */
export async function finishUndo(journal: Journal, step: OnStep): Promise<void> {
  const { operation } = journal;
  const remains = await remainsOf(operation);
  const changed = remains.filter(({ status }) => status === "changed");
  const generated = await generatedIn(journal.batonHome);
  const isStopped = changed.some(({ file }) => !generated(file));
  if (isStopped && remains.every(({ status }) => status !== "gone")) {
    await emptyTrash(operation.files);
    return journal.save("done");
  }
  operation.problems = changed.map(stays);
  await emptyTrash(changed.map(({ file }) => file));
  await remove(journal, remains, step);
}

async function keep(files: readonly File[], trash: string, step: OnStep): Promise<void> {
  await step("trash folder");
  await mkdir(trash, { recursive: true, mode: 0o700 });
  for (const file of files) {
    await step(`keep ${basename(file.trash!)}`);
    if (file.type === "append") await writeAtomically(file.trash!, appendedBytes(file));
    else await keepFile(file.type === "rows" ? file.staged : file.path, file.trash!);
  }
  await sync(trash);
}

/** A second name costs no space and follows what a program may still write; on another disk it is a copy. */
async function keepFile(path: string, trash: string): Promise<void> {
  await unlinkIfAny(trash);
  await linkOrCopy(path, trash);
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (codeOf(error) !== "EXDEV" && !NO_LINKS.has(codeOf(error))) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await sync(to);
  }
}

async function removeKept(file: File): Promise<void> {
  if (file.type === "rows") return removeRows(file);
  if (file.type === "append") return cutWhole(file, await readFile(file.trash!));
  if ((await lstatIfAny(file.path))?.size !== file.written?.size) throw goneOn(file.path);
  await unlink(file.path);
}

async function restore(file: File): Promise<void> {
  if (file.type === "rows") return insertRows([file]);
  if (file.type === "append") append(file, await readFile(file.trash!));
  else await linkOrCopy(file.trash!, file.path);
}

/** Only for files that are in the store. */
async function emptyTrash(files: readonly File[]): Promise<void> {
  for (const file of files) {
    if (file.trash === undefined) continue;
    await unlinkIfAny(file.trash);
    await removeFolders([dirname(file.trash)]);
    delete file.trash;
  }
}

export function goneOn(path: string): BatonError {
  return new BatonError(
    "refused",
    `${path} was changed since Baton wrote it: its agent has gone on with the session.`,
    "Undoing would destroy what came later. Use `baton fork` to branch off at an earlier message instead.",
  );
}
