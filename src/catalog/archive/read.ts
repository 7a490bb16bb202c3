// What the archive holds, for reading: the list of its sessions, any stretch of a file, a whole session as files
// that its adapter opens.
import type { DatabaseSync } from "node:sqlite";
import type { FileRef, SessionRef } from "../../adapters/adapter.ts";
import { BatonError } from "../../session/error.ts";
import { sessionId } from "../../session/id.ts";
import { codeOf } from "../../storage/disk.ts";
import { readFrame } from "../../storage/pack.ts";
import { stampOf } from "../scan.ts";
import { packPath, readIndex } from "./manifest.ts";
import { missingIn } from "./missing.ts";

export interface ArchivedFile {
  /** As it is called in the archive. */
  name: string;
  path: string;
  role: FileRef["role"];
  /** Lines of a session that was no file of its own. */
  isRows: boolean;
  size: number;
  mtimeMs: number;
}

export interface ArchivedSession {
  id: string;
  agent: string;
  originalId: string;
  thread?: string;
  parent?: string;
  /** Where it was. */
  path: string;
  files: readonly ArchivedFile[];
  /** Bytes of the newest version of its main file. */
  size: number;
  /** When it last changed, in milliseconds. */
  updated: number;
  /** When something of it was archived for the last time. */
  archived: number;
  facts: Readonly<Record<string, string>>;
}

/** Every session of the archive, the newest first; those whose native file is still there too. */
export async function archivedSessions(batonHome: string): Promise<ArchivedSession[]> {
  return withIndex(batonHome, [], (database) => sessionsIn(database));
}

/** Tells whether the archive holds a session as it is now, and whole. */
export async function archivedAsIs(batonHome: string): Promise<(ref: SessionRef) => boolean> {
  const stamps = await withIndex<Map<string, string>>(batonHome, new Map(), (database) => {
    const missing = new Set(
      missingIn(database).map((one) => [one.agent, one.originalId, one.path].join("\0")),
    );
    const all = database
      .prepare("SELECT agent, original_id, thread, path, stamp FROM session")
      .all()
      .filter((row) => !missing.has([row.agent, row.original_id, row.path].join("\0")));
    return new Map(
      all.map((row) => [[row.agent, row.original_id, row.thread, row.path].join("\0"), String(row.stamp)]),
    );
  });
  return (ref) =>
    stamps.get([ref.agent, ref.originalId, ref.thread ?? "", ref.path].join("\0")) === stampOf(ref);
}

/** These sessions and all below them, each once. */
export function withSubagents(
  sessions: readonly ArchivedSession[],
  all: readonly ArchivedSession[],
): ArchivedSession[] {
  const children = Map.groupBy(all, ({ agent, parent }) => `${agent}:${parent ?? ""}`);
  const family = new Set(sessions);
  // What is added on the way is gone through as well.
  for (const one of family) for (const child of children.get(sessionName(one)) ?? []) family.add(child);
  return [...family];
}

function sessionName({ agent, originalId }: Pick<SessionRef, "agent" | "originalId">): string {
  return `${agent}:${originalId}`;
}

export async function withIndex<T>(
  batonHome: string,
  otherwise: T,
  use: (database: DatabaseSync) => T | Promise<T>,
): Promise<T> {
  const database = await readIndex(batonHome);
  if (!database) return otherwise;
  try {
    return await use(database);
  } finally {
    database.close();
  }
}

export function sessionsIn(database: DatabaseSync): ArchivedSession[] {
  const files = Map.groupBy(
    database
      .prepare(
        `SELECT session_file.session, session_file.name, session_file.role, session_file.is_rows, file.size, file.mtime
         FROM session_file JOIN file ON file.name = session_file.name AND file.until IS NULL
         ORDER BY session_file.session, session_file.position`,
      )
      .all(),
    ({ session }) => Number(session),
  );
  return database
    .prepare("SELECT * FROM session ORDER BY updated DESC, path, original_id")
    .all()
    .map((row) => {
      const path = String(row.path);
      const own = (files.get(Number(row.key)) ?? []).map((file): ArchivedFile => {
        const isRows = Number(file.is_rows) === 1;
        return {
          name: String(file.name),
          path: isRows ? path : String(file.name),
          role: String(file.role) as FileRef["role"],
          isRows,
          size: Number(file.size),
          mtimeMs: Number(file.mtime),
        };
      });
      return {
        id: sessionId(String(row.agent), String(row.original_id)),
        agent: String(row.agent),
        originalId: String(row.original_id),
        ...(row.thread !== "" && { thread: String(row.thread) }),
        ...(row.parent !== null && { parent: String(row.parent) }),
        path,
        files: own,
        size: own.find(({ role }) => role === "main")?.size ?? 0,
        updated: Number(row.updated),
        archived: Number(row.archived),
        facts: JSON.parse(String(row.facts)) as Record<string, string>,
      };
    });
}

export interface Wanted {
  agent: string;
  /** The session's main file, or another one of its files. */
  path: string;
  /** Of a session that is not a file of its own. */
  originalId?: string;
  offset: number;
  length: number;
}

/** A stretch of what a file held; shorter where it ends before. */
export async function readArchived(batonHome: string, wanted: Wanted): Promise<Buffer> {
  const found = await withIndex(batonHome, undefined, async (database) => {
    const name = nameFor(database, wanted);
    if (name === undefined) return undefined;
    const { offset, length } = wanted;
    const pieces: Buffer[] = [];
    for await (const piece of bytesIn(batonHome, database, name, { from: offset, to: offset + length }))
      pieces.push(piece);
    return Buffer.concat(pieces);
  });
  if (found) return found;
  throw new BatonError(
    "not_found",
    `${wanted.path} is not in the archive.`,
    "`baton archive` keeps what there is.",
  );
}

function nameFor(database: DatabaseSync, { agent, path, originalId }: Wanted): string | undefined {
  const rows = database.prepare(
    `SELECT session_file.name FROM session JOIN session_file ON session_file.session = session.key
     WHERE session.path = ? AND session.agent = ? AND session.original_id = ? AND session_file.is_rows = 1`,
  );
  const own = originalId === undefined ? undefined : rows.get(path, agent, originalId);
  if (own) return String(own.name);
  return database.prepare("SELECT 1 FROM file WHERE name = ?").get(path) ? path : undefined;
}

export interface ArchivedVersion {
  size: number;
  /** When it was archived for the last time, and when another took its place; null = it is the newest. */
  since: number;
  until: number | null;
}

/** The versions of a file, the newest first: older ones are of files that were cut or replaced. */
export function versionsIn(database: DatabaseSync, name: string): ArchivedVersion[] {
  return database
    .prepare("SELECT size, since, until FROM file WHERE name = ? ORDER BY until IS NOT NULL, until DESC")
    .all(name)
    .map(({ size, since, until }) => ({
      size: Number(size),
      since: Number(since),
      until: until === null ? null : Number(until),
    }));
}

export interface VersionedFile extends ArchivedFile {
  versions: ArchivedVersion[];
}

/** The files of a session with their versions, the main file first. */
export function versionsOf(batonHome: string, { files }: ArchivedSession): Promise<VersionedFile[]> {
  return withIndex<VersionedFile[]>(batonHome, [], (database) =>
    files
      .map((file) => ({ ...file, versions: versionsIn(database, file.name) }))
      .toSorted((a, b) => Number(b.role === "main") - Number(a.role === "main")),
  );
}

interface Stretch {
  start: number;
  size: number;
  hash: Uint8Array;
  pack: string;
  offset: number;
  length: number;
}

const PARTS = `SELECT part.start, part.size, frame.hash, frame.offset, frame.length, pack.name AS pack
  FROM file JOIN part ON part.file = file.key LEFT JOIN frame ON frame.key = part.frame
  LEFT JOIN pack ON pack.key = frame.pack
  WHERE file.name = ? AND file.until IS ? AND part.start < ? AND part.start + part.size > ?
  ORDER BY part.position`;

interface StretchOptions {
  from?: number;
  to?: number;
  /** For an older version: when another one took its place. */
  until?: number | null;
}

/** A version of a file, the newest unless it is said otherwise, or a stretch of it, frame by frame. */
export async function* bytesIn(
  batonHome: string,
  database: DatabaseSync,
  name: string,
  { from = 0, to = Number.MAX_SAFE_INTEGER, until = null }: StretchOptions = {},
): AsyncGenerator<Buffer> {
  const parts = () => database.prepare(PARTS).all(name, until, to, from) as unknown as Stretch[];
  for (const [at, part] of parts().entries()) {
    const { start } = part;
    const bytes = await frameOf(batonHome, name, part, () => parts()[at]);
    yield bytes.subarray(Math.max(0, from - start), Math.min(bytes.length, to - start));
  }
}

async function frameOf(
  batonHome: string,
  name: string,
  part: Stretch,
  again: () => Stretch | undefined,
): Promise<Buffer> {
  try {
    return await readPart(batonHome, part);
  } catch (error) {
    // Another process may have written the pack anew since we asked where the frame is.
    const now = again();
    const isMoved = now !== undefined && now.pack !== part.pack;
    if (!isMoved) throw damagedArchive(name, error);
    return readPart(batonHome, now);
  }
}

function readPart(batonHome: string, { hash, size, pack, offset, length }: Stretch): Promise<Buffer> {
  if (hash === null) throw new Error("a frame of it is lost");
  return readFrame(packPath(batonHome, pack), { offset, length }, { hash, size });
}

function damagedArchive(name: string, error: unknown): BatonError {
  const why =
    codeOf(error) === "ENOENT"
      ? "a pack of it is missing"
      : error instanceof Error
        ? error.message
        : String(error);
  return new BatonError(
    "damaged",
    `The archive of ${name} is damaged: ${why}`,
    "Other sessions are not affected. While the session's own file is there, `baton archive --check` archives it anew.",
    error,
  );
}
