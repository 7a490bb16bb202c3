// Which of what is archived no store holds any more. A session is in its store while it is where it was. One that lies
// elsewhere under the same id was only moved if it begins with the archived bytes; otherwise it is another.
import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Adapter, SessionRef } from "../../adapters/adapter.ts";
import { framesOfLines, openToFrame } from "../../storage/frames.ts";
import { digestOf } from "../../storage/pack.ts";
import type { Found } from "../scan.ts";
import { type ArchivedFile, type ArchivedSession, withIndex } from "./read.ts";

/** Those of them that no store holds any more. */
export async function goneAmong(
  batonHome: string,
  sessions: readonly ArchivedSession[],
  found: Iterable<Found>,
): Promise<ArchivedSession[]> {
  const there = await whereabouts(batonHome, sessions, found);
  return sessions.filter((session) => !there.has(session));
}

/** Where the stores hold these sessions now; those that are gone are not in it. */
export function whereabouts(
  batonHome: string,
  sessions: readonly ArchivedSession[],
  found: Iterable<Found>,
): Promise<Map<ArchivedSession, Found>> {
  return withIndex(batonHome, new Map<ArchivedSession, Found>(), (database) =>
    whereaboutsIn(database, sessions, found),
  );
}

export async function whereaboutsIn(
  database: DatabaseSync,
  sessions: readonly ArchivedSession[],
  found: Iterable<Found>,
): Promise<Map<ArchivedSession, Found>> {
  const byName = Map.groupBy(found, ({ ref }) => nameOf(ref));
  const there = new Map<ArchivedSession, Found>();
  for (const session of sessions) {
    const same = byName.get(nameOf(session)) ?? [];
    const own = same.find(({ ref }) => ref.path === session.path) ?? (await movedTo(database, session, same));
    if (own) there.set(session, own);
  }
  return there;
}

function nameOf({ agent, originalId, thread }: Pick<ArchivedSession, "agent" | "originalId" | "thread">) {
  return [agent, originalId, thread ?? ""].join("\0");
}

async function movedTo(
  database: DatabaseSync,
  { files }: ArchivedSession,
  others: readonly Found[],
): Promise<Found | undefined> {
  const main = files.find(({ role }) => role === "main");
  if (!main) return undefined;
  for (const other of others)
    if (
      main.isRows
        ? await hasSameLines(database, main.name, other)
        : isHeld(database, main.name, other.ref.path)
    )
      return other;
  return undefined;
}

/**
 * Files of a session of which its store does not have what is archived, though it has the session. `isOthers`: the file
 * is a session of its own.
 */
export async function missingOf(
  database: DatabaseSync,
  { path, files }: ArchivedSession,
  { adapter, ref }: Found,
  isOthers: (name: string) => boolean,
): Promise<string[]> {
  const own = files.filter(({ role, isRows, name }) => (role === "main" ? !isRows : !isOthers(name)));
  const isMoved = ref.path !== path;
  const now = isMoved ? await pathsOf(adapter, ref) : [];
  const candidates = ({ path: at, role }: ArchivedFile) =>
    role === "main" ? [ref.path] : [at, ...now.filter((other) => basename(other) === basename(at))];
  return own
    .filter((file) => !candidates(file).some((at) => isHeld(database, file.name, at)))
    .map((file) => file.path);
}

async function pathsOf(adapter: Adapter, ref: SessionRef): Promise<string[]> {
  const bundle = adapter.bundle ? await adapter.bundle(ref) : ref;
  const more = await adapter.keepsakes?.(ref);
  return [...bundle.files, ...(more?.files ?? [])].map(({ path }) => path);
}

interface Part {
  start: number;
  size: number;
  /** Null where the frame is lost. */
  hash: Uint8Array | null;
}

function partsOf(database: DatabaseSync, name: string): Part[] {
  return database
    .prepare(
      `SELECT part.start, part.size, frame.hash FROM file JOIN part ON part.file = file.key
       LEFT JOIN frame ON frame.key = part.frame WHERE file.name = ? AND file.until IS NULL ORDER BY part.position`,
    )
    .all(name) as unknown as Part[];
}

/** Whether a file begins with everything that the archive has of the newest version of that name. */
function isHeld(database: DatabaseSync, name: string, path: string): boolean {
  const known = database
    .prepare("SELECT size, mtime, inode FROM file WHERE name = ? AND until IS NULL")
    .get(name);
  if (!known) return true;
  let file: ReturnType<typeof openToFrame>;
  try {
    file = openToFrame(path);
  } catch {
    // What is not there or cannot be read holds nothing.
    return false;
  }
  try {
    if (file.size < Number(known.size)) return false;
    // As it was when it was archived, however it is called now.
    if (file.size === known.size && file.mtimeMs === known.mtime && file.inode === known.inode) return true;
    return partsOf(database, name).every(
      ({ start, size, hash }) => hash === null || digestOf(file.read(start, start + size)).equals(hash),
    );
  } finally {
    file.close();
  }
}

async function hasSameLines(database: DatabaseSync, name: string, { adapter, ref }: Found): Promise<boolean> {
  const lines = adapter.lines?.(ref);
  if (!lines) return false;
  const parts = partsOf(database, name);
  let count = 0;
  for await (const { bytes } of framesOfLines(bytesOf(lines))) {
    const hash = parts[count++]?.hash;
    if (!hash || !digestOf(bytes).equals(hash)) return false;
  }
  return count === parts.length;
}

async function* bytesOf(
  lines: AsyncIterable<readonly { bytes: Uint8Array }[]>,
): AsyncGenerator<Uint8Array[]> {
  for await (const batch of lines) yield batch.map(({ bytes }) => bytes);
}
