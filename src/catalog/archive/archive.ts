// Keeps the native bytes of every session, so that one that its CLI deletes, cuts or replaces is not lost. What is
// unchanged costs a comparison; of a file that has grown only the last frame is written again; bytes that are there
// already are not written twice.
import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { FileRef, SessionRef } from "../../adapters/adapter.ts";
import { codeOf } from "../../storage/disk.ts";
import { keepingOpen } from "../../storage/sqlite.ts";
import { changedAt, type Found, idOf, stampOf } from "../scan.ts";
import type { Progress } from "../sync.ts";
import { collect } from "./collect.ts";
import { archiveFolder } from "./folder.ts";
import { writeIndex } from "./manifest.ts";
import type { NoteFile, SessionNote } from "./notes.ts";
import { versionOfFile, versionOfLines } from "./version.ts";
import { type Batches, newBatches } from "./write.ts";

export interface ArchiveOptions {
  onProgress?(progress: Progress): void;
  /** How long to wait for another process that is archiving, in milliseconds. */
  patience?: number;
  onRebuild?(why: string): void;
}

export interface Archived {
  /** Sessions that were not archived before. */
  added: number;
  /** Sessions of which something was new. */
  updated: number;
  unchanged: number;
  /** Bytes of the sessions that were read, and what was added to the archive for them. */
  read: number;
  written: number;
  problems: { id: string; agent: string; originalId: string; path: string; problem: string }[];
  ms: number;
}

/** Archives what is new of these sessions. One that cannot be read is a problem; the others go on. */
export async function archiveSessions(
  batonHome: string,
  found: readonly Found[],
  options: ArchiveOptions = {},
): Promise<Archived> {
  const started = performance.now();
  const { database, release } = await writeIndex(batonHome, options.onRebuild, options.patience);
  const result: Archived = {
    added: 0,
    updated: 0,
    unchanged: 0,
    read: 0,
    written: 0,
    problems: [],
    ms: 0,
  };
  try {
    const todo = changedAmong(database, found);
    result.unchanged = found.length - todo.length;
    if (todo.length > 0) {
      const batches = await newBatches(archiveFolder(batonHome), database);
      try {
        await keepingOpen(() => archiveAll(database, batches, todo, result, options));
        await batches.finish();
        result.written = batches.written();
      } finally {
        await batches.close();
      }
      await collect(batonHome, database);
    }
  } finally {
    database.close();
    release();
  }
  result.ms = Math.round(performance.now() - started);
  return result;
}

/** Names of files that this run has dealt with: sessions share some. */
type Done = Set<string>;

interface Todo {
  found: Found;
  stamp: string;
  isNew: boolean;
  bytes: number;
}

function changedAmong(database: DatabaseSync, found: readonly Found[]): Todo[] {
  const stamps = new Map(
    database
      .prepare("SELECT path, original_id, thread, agent, stamp FROM session")
      .all()
      .map((row) => [keyOf(row.agent, row.original_id, row.thread, row.path), String(row.stamp)]),
  );
  return found.flatMap((one) => {
    const { agent, originalId, thread, path, files } = one.ref;
    const known = stamps.get(keyOf(agent, originalId, thread ?? "", path));
    const stamp = stampOf(one.ref);
    if (known === stamp) return [];
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return [{ found: one, stamp, isNew: known === undefined, bytes }];
  });
}

function keyOf(...parts: unknown[]): string {
  return parts.join("\0");
}

const HEARD = 16;

async function archiveAll(
  database: DatabaseSync,
  batches: Batches,
  todo: readonly Todo[],
  result: Archived,
  { onProgress }: ArchiveOptions,
): Promise<void> {
  const ofBytes = todo.reduce((sum, { bytes }) => sum + bytes, 0);
  const done: Done = new Set();
  let bytes = 0;
  for (const [at, one] of todo.entries()) {
    try {
      await archiveOne(database, batches, one, result, done);
      if (one.isNew) result.added++;
      else result.updated++;
    } catch (error) {
      if (isFatal(error)) throw error;
      const { agent, originalId, path } = one.found.ref;
      const problem = error instanceof Error ? error.message : String(error);
      result.problems.push({ id: idOf(one.found.ref), agent, originalId, path, problem });
    }
    bytes += one.bytes;
    // Small files are read and compressed without waiting, and meanwhile others want to be heard.
    if (at % HEARD === HEARD - 1) await setImmediate();
    onProgress?.({ sessions: at + 1, bytes, ofSessions: todo.length, ofBytes });
  }
}

/** Of the archive itself, not of the session. */
function isFatal(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT", "EROFS"].includes(codeOf(error));
}

async function archiveOne(
  database: DatabaseSync,
  batches: Batches,
  { found, stamp }: Todo,
  result: Archived,
  done: Done,
): Promise<void> {
  const { adapter, ref } = found;
  const lines = adapter.lines?.(ref);
  const files = lines ? [] : await filesOf(found);
  const keepsakes = (await adapter.keepsakes?.(ref)) ?? { files: [], facts: {} };
  const note: SessionNote = {
    type: "session",
    at: Date.now(),
    session: {
      agent: ref.agent,
      originalId: ref.originalId,
      thread: ref.thread ?? "",
      path: ref.path,
      parent: ref.parent ?? null,
      updated: changedAt(ref),
      stamp,
      facts: { ...keepsakes.facts },
    },
    files: [],
    versions: [],
  };
  const add = (file: NoteFile, version: Awaited<ReturnType<typeof versionOfFile>>) => {
    note.files.push(file);
    if (version === undefined) return;
    note.versions.push(version);
    result.read += version.size;
  };
  if (lines) {
    const name = rowsName(ref);
    add({ name, role: "main", isRows: true }, await versionOfLines(database, batches, name, lines));
  }
  for (const { path, role } of unique([...files, ...keepsakes.files])) {
    const isDone = done.has(path);
    const version = isDone
      ? undefined
      : await ifThere(path, role, () => versionOfFile(database, batches, path));
    if (version !== "gone") add({ name: path, role, isRows: false }, version);
  }
  await batches.add(note);
  for (const { name } of note.files) done.add(name);
}

/** What the lines of a session in a database are called. */
function rowsName({ path, originalId, thread }: SessionRef): string {
  return `${path}#${originalId}${thread === undefined || thread === originalId ? "" : `#${thread}`}`;
}

async function filesOf({ adapter, ref }: Found): Promise<readonly FileRef[]> {
  return (adapter.bundle ? await adapter.bundle(ref) : ref).files;
}

function unique(files: readonly FileRef[]): FileRef[] {
  const seen = new Set<string>();
  return files.filter(({ path }) => !seen.has(path) && seen.add(path));
}

/** A file beside the main one may go at any time. */
async function ifThere<T>(path: string, role: FileRef["role"], use: () => Promise<T>): Promise<T | "gone"> {
  try {
    return await use();
  } catch (error) {
    if (role !== "main" && codeOf(error) === "ENOENT") return "gone";
    throw new Error(
      `${path} could not be archived: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}
