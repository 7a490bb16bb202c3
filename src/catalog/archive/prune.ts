// Takes sessions out of the archive. What would go is worked out by doing it in a transaction that is then rolled
// back, so that the preview is what happens.
import type { DatabaseSync } from "node:sqlite";
import type { Found } from "../scan.ts";
import { collect, unusedBytes } from "./collect.ts";
import { archiveFolder } from "./folder.ts";
import { missingOf, whereaboutsIn } from "./gone.ts";
import { writeIndex } from "./manifest.ts";
import { applyNote, type Note } from "./notes.ts";
import { type ArchivedSession, sessionsIn, withSubagents } from "./read.ts";
import { newBatches } from "./write.ts";

export interface PruneRequest {
  /** The sessions that the stores hold now. */
  found: Iterable<Found>;
  agents?: readonly string[];
  /** Only sessions that last changed before. */
  before?: Date;
  /** The newest ones that stay, however old they are. */
  keepNewest?: number;
  /** Also sessions of which the archive is the only copy, of them or of files of theirs. */
  gone?: boolean;
  /** Also sessions with older versions, which no store holds. */
  versions?: boolean;
  /** Do it; otherwise only say what would go. */
  yes?: boolean;
}

export interface PrunedSession {
  id: string;
  agent: string;
  originalId: string;
  path: string;
  updated: string;
  size: number;
  /** The archive was the only copy. */
  gone: boolean;
  /** Older versions of its files, of which the archive is the only copy in any case. */
  versions: number;
  /** Files of a session that is there of which the archive is the only copy. */
  missing: string[];
}

export interface Pruned {
  sessions: PrunedSession[];
  subagents: number;
  /** Bytes of the archive that nobody needs then. */
  freed: number;
  /** Sessions that stay because the archive is the only copy, of them, of a file or of an older version. */
  kept: PrunedSession[];
  /** How many those are. */
  protected: number;
  done: boolean;
}

export async function pruneArchive(batonHome: string, request: PruneRequest): Promise<Pruned> {
  const { database, release } = await writeIndex(batonHome);
  try {
    const all = sessionsIn(database);
    const wanted = wantedOf(all, request);
    const { chosen, kept, summary } = choose(
      wanted,
      all,
      await onlyCopies(database, wanted, all, request),
      request,
    );
    const note: Note = { type: "forget", at: Date.now(), sessions: chosen.map(identityOf) };
    const freed = freedBy(database, note);
    if (request.yes) await forget(batonHome, database, note);
    const main = chosen.filter(({ parent }) => parent === undefined);
    return {
      sessions: main.map(summary),
      subagents: chosen.length - main.length,
      freed,
      kept: kept.map(summary),
      protected: kept.length,
      done: request.yes ?? false,
    };
  } finally {
    database.close();
    release();
  }
}

/** Without anything that says which, none: then only what nobody needs is freed. */
function wantedOf(
  all: readonly ArchivedSession[],
  { agents, before, keepNewest }: PruneRequest,
): ArchivedSession[] {
  if (!agents && !before && keepNewest === undefined) return [];
  return all
    .filter(({ parent, agent }) => parent === undefined && (agents?.includes(agent) ?? true))
    .slice(keepNewest ?? 0)
    .filter(({ updated }) => before === undefined || updated < before.getTime());
}

/** What the archive alone holds of a session. */
interface Only {
  gone: boolean;
  versions: number;
  missing: string[];
}

type OnlyCopies = (session: ArchivedSession) => Only;

/** Of the sessions that are wanted and all below them. */
async function onlyCopies(
  database: DatabaseSync,
  wanted: readonly ArchivedSession[],
  all: readonly ArchivedSession[],
  { found }: PruneRequest,
): Promise<OnlyCopies> {
  const family = withSubagents(wanted, all);
  const there = await whereaboutsIn(database, family, found);
  const mains = new Set(all.map((session) => mainOf(session)));
  const older = olderVersions(database);
  const only = new Map<ArchivedSession, Only>();
  for (const session of family) {
    const now = there.get(session);
    // A file that is a session of its own stays with that one.
    const isOthers = (name: string) => name !== mainOf(session) && mains.has(name);
    const own = session.files.filter(({ name }) => !isOthers(name));
    only.set(session, {
      gone: now === undefined,
      versions: own.reduce((sum, { name }) => sum + (older.get(name) ?? 0), 0),
      missing: now ? await missingOf(database, session, now, isOthers) : [],
    });
  }
  return (session) => only.get(session) ?? { gone: true, versions: 0, missing: [] };
}

function mainOf({ files }: ArchivedSession): string {
  return files.find(({ role }) => role === "main")?.name ?? "";
}

/** How many older versions of a file there are, by its name. */
function olderVersions(database: DatabaseSync): ReadonlyMap<string, number> {
  const counts = database
    .prepare("SELECT name, count(*) AS n FROM file WHERE until IS NOT NULL GROUP BY name")
    .all();
  return new Map(counts.map(({ name, n }) => [String(name), Number(n)]));
}

interface Choice {
  chosen: ArchivedSession[];
  kept: ArchivedSession[];
  summary(session: ArchivedSession): PrunedSession;
}

function choose(
  wanted: readonly ArchivedSession[],
  all: readonly ArchivedSession[],
  onlyOf: OnlyCopies,
  request: PruneRequest,
): Choice {
  const isKept = (session: ArchivedSession) => {
    const { gone, versions, missing } = onlyOf(session);
    return (!request.gone && (gone || missing.length > 0)) || (!request.versions && versions > 0);
  };
  const main = wanted.filter(isKept);
  // A session that stays keeps its subagents; a subagent may stay alone.
  const rest = withSubagents(
    wanted.filter((session) => !isKept(session)),
    all,
  );
  return {
    chosen: rest.filter((session) => !isKept(session)),
    kept: [...main, ...rest.filter(isKept)],
    summary: (session) => summaryOf(session, onlyOf(session)),
  };
}

function identityOf({ agent, originalId, thread, path }: ArchivedSession) {
  return { agent, originalId, thread: thread ?? "", path };
}

function freedBy(database: DatabaseSync, note: Note): number {
  database.exec("BEGIN IMMEDIATE");
  try {
    applyNote(database, note);
    return unusedBytes(database);
  } finally {
    database.exec("ROLLBACK");
  }
}

async function forget(batonHome: string, database: DatabaseSync, note: Note): Promise<void> {
  const batches = await newBatches(archiveFolder(batonHome), database);
  try {
    await batches.add(note);
    await batches.finish();
  } finally {
    await batches.close();
  }
  await collect(batonHome, database, true);
}

function summaryOf(
  { id, agent, originalId, path, updated, size }: ArchivedSession,
  { gone, versions, missing }: Only,
): PrunedSession {
  const changed = new Date(updated).toISOString();
  return { id, agent, originalId, path, updated: changed, size, gone, versions, missing };
}
