// Makes staged files visible under their own names, and takes them back. A file that exists is never replaced.
import { link, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { append, cutAppend, isAppended } from "./append.ts";
import { codeOf, diskError, hashFile, lstatIfAny, removeFolders, syncFolders, unlinkIfAny } from "./disk.ts";
import { expectRows, insertRows, removeImported, removeRows, statusOfRows } from "./insert.ts";
import { type CreatedFile, type Journal, mainLast, type Operation, type RowsFile } from "./journal.ts";
import type { OnStep } from "./stage.ts";

/** The main file comes last, because it shows the session. */
export async function publish(journal: Journal, step: OnStep): Promise<void> {
  const { files } = journal.operation;
  const rows = files.filter((file) => file.type === "rows");
  for (const [number, file] of mainLast(journal.operation)) {
    try {
      if (file.type === "create") await publishFile(journal, file, number, step);
      else if (file.type === "rows") {
        // All at once, when the last of them is due.
        if (mainLast(journal.operation).findLast(([, one]) => one.type === "rows")?.[1] !== file) continue;
        await expectRows(rows);
        await step(`journal insert ${number}`);
        await journal.save();
        await step(`insert ${number}`);
        await insertRows(rows);
        await step(`inserted ${number}`);
      } else {
        const bytes = await readFile(file.bytes);
        file.begun = true;
        await step(`journal append ${number}`);
        await journal.save();
        await step(`append ${number}`);
        append(file, bytes);
      }
    } catch (error) {
      throw diskError(error, file.path);
    }
  }
  await step("sync folders");
  await syncFolders(files.flatMap(({ type, path }) => (type === "rows" ? [] : [path])));
}

async function publishFile(journal: Journal, file: CreatedFile, number: number, step: OnStep): Promise<void> {
  await step(`link ${number}`);
  try {
    // Unlike rename, a link never replaces what is there.
    await link(file.staged, file.path);
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error;
    return publishWithoutLinks(journal, file, number, step);
  }
  await step(`unlink ${number}`);
  await unlink(file.staged);
}

/** What `link` says on a disk that has no hard links. */
export const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Takes the name with an empty file of ours, which is then the only thing that can be replaced. */
async function publishWithoutLinks(
  journal: Journal,
  file: CreatedFile,
  number: number,
  step: OnStep,
): Promise<void> {
  file.reserved = true;
  await step(`journal reservation ${number}`);
  await journal.save();
  await step(`reserve ${number}`);
  await (await open(file.path, "wx", 0o600)).close();
  await step(`rename ${number}`);
  if ((await stat(file.path)).size > 0) throw Object.assign(new Error("in use"), { code: "EEXIST" });
  await rename(file.staged, file.path);
}

/** Whether everything is where it belongs, whatever an agent has added since. */
export async function isPublished({ state, files }: Operation): Promise<boolean> {
  if (state !== "staged") return false;
  for (const file of files) {
    const isThere = await isThereNow(file);
    if (!isThere) return false;
  }
  return true;
}

async function isThereNow(file: Operation["files"][number]): Promise<boolean> {
  switch (file.type) {
    case "create":
      return isInPlace(file);
    case "append":
      return isAppended(file);
    case "rows":
      // In one transaction: some of them means all of them. An import may have been cut off.
      return file.imported
        ? (await statusOfRows(file)) === "untouched"
        : (await statusOfRows(file)) !== "gone";
  }
}

async function isInPlace({ path, written }: CreatedFile): Promise<boolean> {
  return written !== undefined && (await lstatIfAny(path))?.ino === written.inode;
}

/** Puts the store back as it was before the operation. Returns a sentence for everything that has to stay. */
export async function takeBack(operation: Operation, step: OnStep): Promise<string[]> {
  const { state, files, folders } = operation;
  const problems: string[] = [];
  for (const [number, file] of mainLast(operation).toReversed()) {
    await step(`take back ${number}`);
    // Before it was staged, nothing had its final name.
    if (state === "staged") {
      const problem = await takeOut(file);
      if (problem !== undefined) problems.push(problem);
    }
    await unlinkIfAny(file.staged);
  }
  await step("take back folders");
  await removeFolders(folders);
  await syncFolders(files.flatMap(({ type, path }) => (type === "rows" ? [] : [path])));
  return problems;
}

function takeOut(file: Operation["files"][number]): Promise<string | undefined> {
  switch (file.type) {
    case "create":
      return removeFile(file);
    case "append":
      return cutAppend(file);
    case "rows":
      return takeOutRows(file);
  }
}

async function takeOutRows(file: RowsFile): Promise<string | undefined> {
  const status = await statusOfRows(file);
  if (status === "changed" && !(file.imported && (await removeImported(file))))
    return `Rows stay in ${file.database}, because they were changed since Baton wrote them.`;
  if (status === "untouched") await removeRows(file);
  return undefined;
}

async function removeFile(file: CreatedFile): Promise<string | undefined> {
  const stat = await lstatIfAny(file.path);
  if (!stat || !file.written) return undefined;
  if (stat.ino !== file.written.inode) {
    if (file.reserved && stat.size === 0) await unlinkIfAny(file.path);
    return undefined;
  }
  if (!(await isUntouched(file))) return `${file.path} stays, because it was changed since Baton wrote it.`;
  await unlinkIfAny(file.path);
}

/** Whether the file holds exactly what was written. */
export async function isUntouched({ path, written }: CreatedFile): Promise<boolean> {
  const stat = await lstatIfAny(path);
  if (!stat?.isFile() || stat.size !== written?.size) return false;
  return (await hashFile(path)) === written.sha256;
}
