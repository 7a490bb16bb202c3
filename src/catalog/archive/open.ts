// Opens a session of which only the archive is left: its files are put into a private folder for as long as somebody
// reads them.
import { basename, join, parse } from "node:path";
import type { Adapter, FileRef, SessionRef } from "../../adapters/adapter.ts";
import { BatonError } from "../../session/error.ts";
import type { Source } from "../../session/source.ts";
import { withPrivateFolder, writePieces } from "../../storage/copy-file.ts";
import {
  type ArchivedFile,
  type ArchivedSession,
  bytesIn,
  versionsIn,
  withIndex,
  withSubagents,
} from "./read.ts";

export interface ArchivedSource {
  batonHome: string;
  adapter: Adapter;
  session: ArchivedSession;
  /** Everything that is archived, for its subagents. */
  all: readonly ArchivedSession[];
}

/** The source can be read until `use` is done. */
export function withArchived<T>(
  wanted: ArchivedSource,
  use: (source: Source, ref: SessionRef) => Promise<T>,
): Promise<T> {
  return withPrivateFolder(async (folder) => {
    const { source, ref } = await openArchived(wanted, folder);
    return use(source, ref);
  });
}

/** The source can be read as long as the folder is there. */
export async function openArchived(
  { batonHome, adapter, session, all }: ArchivedSource,
  folder: string,
): Promise<{ source: Source; ref: SessionRef }> {
  const refs = new Map<ArchivedSession, SessionRef>();
  for (const one of withSubagents([session], all)) refs.set(one, await materialise(batonHome, one, folder));
  const ref = refs.get(session);
  if (!ref) throw notArchived(session);
  return { source: await opened(adapter, session, refs), ref };
}

/** Files find the subagents that lie beside them; rows do not. */
async function opened(
  adapter: Adapter,
  session: ArchivedSession,
  refs: ReadonlyMap<ArchivedSession, SessionRef>,
): Promise<Source> {
  const ref = refs.get(session);
  if (!ref) throw notArchived(session);
  const source = await adapter.open(ref);
  if (!session.files.some(({ isRows }) => isRows)) return source;
  return {
    ...source,
    async *children() {
      for (const child of refs.keys())
        if (child.parent === session.originalId && child !== session)
          yield await opened(adapter, child, refs);
    },
  };
}

/** Writes the session into a folder; the ref opens it there. */
export async function materialise(
  batonHome: string,
  session: ArchivedSession,
  folder: string,
  /** Of the main file: 0 is the newest. */
  version = 0,
): Promise<SessionRef> {
  const files = await withIndex<FileRef[]>(batonHome, [], async (database) => {
    const written: FileRef[] = [];
    for (const file of session.files) {
      const path = placeIn(folder, session, file);
      const wanted = versionsIn(database, file.name)[file.role === "main" ? version : 0];
      if (!wanted) throw noVersion(session, version);
      await writePieces(path, bytesIn(batonHome, database, file.name, { until: wanted.until }));
      written.push({ path, role: file.role, size: wanted.size, mtimeMs: file.mtimeMs, inode: 0 });
    }
    return written;
  });
  const main = files.find(({ role }) => role === "main");
  if (!main) throw notArchived(session);
  const { agent, originalId, parent, thread } = session;
  // Lines are of one session, so no thread has to be named in them.
  const isThread = thread !== undefined && !session.files.some(({ isRows }) => isRows);
  return {
    agent,
    originalId,
    path: main.path,
    files,
    ...(parent !== undefined && { parent }),
    ...(isThread && { thread }),
  };
}

/** Writes the older versions of the session's other files into the folder too, beside the newest; their paths. */
export async function materialiseOlder(
  batonHome: string,
  session: ArchivedSession,
  folder: string,
): Promise<string[]> {
  const others = session.files.filter(({ role }) => role !== "main");
  return withIndex<string[]>(batonHome, [], async (database) => {
    const written: string[] = [];
    for (const file of others)
      for (const [version, { until }] of versionsIn(database, file.name).entries()) {
        if (until === null) continue;
        const path = `${placeIn(folder, session, file)}.version-${version}`;
        await writePieces(path, bytesIn(batonHome, database, file.name, { until }));
        written.push(path);
      }
    return written;
  });
}

function noVersion({ agent, originalId }: ArchivedSession, version: number): BatonError {
  return new BatonError(
    "not_found",
    `${agent}:${originalId} has no version ${version} in the archive.`,
    "`baton archive versions SESSION` shows which there are.",
  );
}

export function notArchived({ agent, originalId }: ArchivedSession): BatonError {
  return new BatonError(
    "not_found",
    `${agent}:${originalId} is not in the archive any more.`,
    "`baton archive list` shows what there is.",
  );
}

/** Under the same path inside the folder, because adapters tell things by where a file lies. */
function placeIn(folder: string, { path, originalId }: ArchivedSession, file: ArchivedFile): string {
  const inside = (at: string) => join(folder, at.slice(parse(at).root.length));
  return file.isRows ? join(inside(path), `${basename(originalId)}.jsonl`) : inside(file.path);
}
