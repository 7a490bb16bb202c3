// Writes new files under temporary names beside their targets, so that nothing is visible until all of it is
// complete and on the disk. Bytes are collected and written in large pieces, in whatever order they come.
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { batchesOf } from "../session/batches.ts";
import { BatonError } from "../session/error.ts";
import { checkAppend } from "./append.ts";
import type { Change } from "./changes.ts";
import { collector } from "./collect.ts";
import {
  codeOf,
  diskError,
  lstatIfAny,
  realTarget,
  sync,
  syncFolders,
  writeAtomically,
  writeFully,
} from "./disk.ts";
import { importWith } from "./insert.ts";
import {
  bytesPath,
  type CreatedFile,
  type Journal,
  type OperationFile,
  type RowsFile,
  rowsPath,
  stagedName,
} from "./journal.ts";
import { newResolver } from "./reference.ts";

/** Called before everything that changes the disk; tests end the process there. */
export type OnStep = (step: string) => void | Promise<void>;

/** Called after bytes of a new file were written. */
export type OnWritten = (path: string, staged: string, size: number) => void;

/** More are closed and opened again, because a process may only have so many. */
const OPEN_FILES = 64;

const SYNC_EVERY = 32 << 20;

/** A file on its way to the disk. */
interface Draft {
  number: number;
  /** The first change of the file. */
  change: Change;
  /** Its place in the journal, once it has one. */
  file?: OperationFile;
  hash: Hash;
  size: number;
  /** How much of it the disk was told to keep, and whether it has. */
  synced: number;
  syncing: Promise<void>;
  /** All the bytes of an append, because they are written at once. */
  appended: Buffer[];
}

/** Leaves every new file complete and synced under its temporary name, and tells which name that is. */
export async function stage(
  journal: Journal,
  changes: AsyncIterable<Change>,
  step: OnStep,
  onWritten: OnWritten = () => undefined,
): Promise<(path: string) => string> {
  const drafts = new Map<string, Draft>();
  const collected = collector<Draft>();
  const handles = openHandles();
  const texts = newResolver();
  let writing = Promise.resolve();
  /** Goes on in the background, so that the next records are made while these are written. */
  const flush = async () => {
    await writing;
    const fresh = [...drafts.values()].filter((draft) => draft.file === undefined);
    writing = write(journal, fresh, collected.take(), handles, step, onWritten);
    // Seen by whoever awaits it next.
    writing.catch(() => undefined);
  };
  try {
    for await (const batch of batchesOf(changes)) {
      for (const change of batch) {
        const draft = draftFor(drafts, change);
        for (const bytes of texts.pieces(change.bytes)) {
          if (change.type === "append") draft.appended.push(Buffer.from(bytes as string));
          else if (collected.add(draft, bytes)) await flush();
        }
      }
    }
    await flush();
    await writing;
    await complete(journal, [...drafts.values()], handles, step);
  } finally {
    // Also when the changes themselves failed: nothing may still be written after this.
    await writing.catch(() => undefined);
    await handles.close();
    texts.close();
  }
  await step("journal staged");
  await journal.save("staged");
  return (path) => drafts.get(path)?.file?.staged ?? path;
}

function draftFor(drafts: Map<string, Draft>, change: Change): Draft {
  const known = drafts.get(change.path);
  if (known && !isSameTarget(known.change, change))
    throw new BatonError(
      "failed",
      `Two changes of ${change.path} contradict each other.`,
      "Please report this as a bug.",
    );
  if (known) return known;
  const draft: Draft = {
    number: drafts.size,
    change,
    hash: createHash("sha256"),
    size: 0,
    synced: 0,
    syncing: Promise.resolve(),
    appended: [],
  };
  drafts.set(change.path, draft);
  return draft;
}

function isSameTarget(first: Change, next: Change): boolean {
  if (first.type === "rows" && next.type === "rows") return first.database === next.database;
  if (first.type !== "append" || next.type !== "append") return first.type === next.type;
  return first.inode === next.inode && first.size === next.size;
}

async function write(
  journal: Journal,
  fresh: Draft[],
  pieces: Map<Draft, Buffer>,
  handles: OpenHandles,
  step: OnStep,
  onWritten: OnWritten,
): Promise<void> {
  if (fresh.length > 0) await admit(journal, fresh, step);
  for (const [draft, bytes] of pieces) {
    if (!draft.file || draft.file.type === "append") continue;
    draft.hash.update(bytes);
    draft.size += bytes.length;
    try {
      await step(`write ${draft.number}`);
      const handle = await handles.open(draft.file);
      await writeFully(handle, bytes);
      syncSoon(handle, draft);
      onWritten(draft.change.path, draft.file.staged, draft.size);
    } catch (error) {
      throw diskError(error, draft.file.path);
    }
  }
}

/** Lets the disk begin while more is made, so that there is little to wait for at the end. */
function syncSoon(handle: FileHandle, draft: Draft): void {
  if (draft.size - draft.synced < SYNC_EVERY) return;
  draft.synced = draft.size;
  // A disk reports an error once only, so each of these has to be waited for.
  draft.syncing = Promise.all([draft.syncing, handle.datasync()]).then(() => undefined);
  draft.syncing.catch(() => undefined);
}

/** Writes new files and the folders they need into the journal, then makes the folders. */
async function admit(journal: Journal, fresh: Draft[], step: OnStep): Promise<void> {
  const { operation } = journal;
  const missing = new Set<string>();
  for (const draft of fresh) {
    const target = await targetOf(draft.change);
    for (const folder of target.missing) missing.add(folder);
    draft.file = fileOf(journal, draft, target.path);
    operation.files.push(draft.file);
  }
  operation.folders.push(...missing);
  await step("journal files");
  await journal.save();
  for (const folder of missing) {
    await step(`folder ${folder}`);
    if (!(await makeFolder(folder))) operation.folders.splice(operation.folders.indexOf(folder), 1);
  }
}

/** A database that is not there yet is made by whoever inserts. */
async function targetOf(change: Change): Promise<{ path: string; missing: string[] }> {
  switch (change.type) {
    case "create":
      return newTarget(change.path);
    case "append":
      return realTarget(await realpath(change.path));
    case "rows":
      return {
        path: (await lstatIfAny(change.database)) ? await realpath(change.database) : change.database,
        missing: [],
      };
  }
}

async function newTarget(path: string): Promise<{ path: string; missing: string[] }> {
  const target = await realTarget(path);
  // Publishing refuses this too; here it costs nothing yet.
  if (await lstatIfAny(target.path))
    throw diskError(Object.assign(new Error("exists"), { code: "EEXIST" }), target.path);
  return target;
}

function fileOf({ operation, batonHome }: Journal, { number, change }: Draft, path: string): OperationFile {
  const main = change.path === operation.facts.path;
  if (change.type === "rows") {
    const { guards, schema, database: _, bytes: __, insert, ...rest } = change;
    const file: RowsFile = {
      ...rest,
      main,
      database: path,
      staged: rowsPath(batonHome, operation.id, number),
      guards: [...guards],
      ...(schema && { schema: { tables: [...schema.tables], hash: schema.hash } }),
      ...(insert && { imported: true }),
    };
    importWith(file, insert);
    return file;
  }
  const staged = join(dirname(path), stagedName(operation.id, number));
  if (change.type === "create") return { type: "create", path, main, staged };
  const bytes = bytesPath(batonHome, operation.id, number);
  return { type: "append", path, main, staged, bytes, inode: change.inode, previousSize: change.size };
}

/** False when somebody else made it in the meantime. */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  await sync(dirname(folder));
  return true;
}

async function complete(
  journal: Journal,
  drafts: Draft[],
  handles: OpenHandles,
  step: OnStep,
): Promise<void> {
  for (const { number, file, hash, size, syncing, appended } of drafts) {
    if (file?.type === "create") {
      await step(`sync ${number}`);
      const inode = await handles.sync(file, syncing);
      file.written = { inode, size, sha256: hash.digest("hex") };
    } else if (file?.type === "append") {
      const bytes = Buffer.concat(appended);
      checkAppend(file, bytes);
      await step(`keep ${number}`);
      await writeAtomically(file.bytes, bytes);
      file.written = { size: bytes.length, sha256: hash.update(bytes).digest("hex") };
    } else if (file) {
      await step(`sync ${number}`);
      await handles.sync(file, syncing);
      file.written = { size, sha256: hash.digest("hex") };
    }
  }
  await step("sync folders");
  await syncFolders(journal.operation.files.map(({ staged }) => staged));
}

type Staged = CreatedFile | RowsFile;

type OpenHandles = ReturnType<typeof openHandles>;

/** The files being written, the least recently used first. */
function openHandles() {
  const opened = new Map<string, FileHandle>();
  const known = new Set<string>();

  async function take({ staged }: Staged): Promise<FileHandle> {
    const handle = opened.get(staged) ?? (await open(staged, known.has(staged) ? "a" : "ax", 0o600));
    opened.delete(staged);
    opened.set(staged, handle);
    known.add(staged);
    return handle;
  }

  return {
    async open(file: Staged): Promise<FileHandle> {
      const handle = await take(file);
      const [oldest] = opened.entries();
      if (oldest && opened.size > OPEN_FILES) {
        opened.delete(oldest[0]);
        await oldest[1].sync();
        await oldest[1].close();
      }
      return handle;
    },
    /** Returns the inode. */
    async sync(file: Staged, syncing: Promise<void>): Promise<number> {
      const handle = await take(file);
      opened.delete(file.staged);
      try {
        await syncing;
        await handle.sync();
        return (await handle.stat()).ino;
      } catch (error) {
        throw diskError(error, file.path);
      } finally {
        await handle.close();
      }
    },
    async close(): Promise<void> {
      for (const handle of opened.values()) await handle.close();
    },
  };
}
