// Takes sessions out of the archive. What would go is worked out by doing it in a transaction that is then rolled
// back, so that the preview is what happens.
import type { DatabaseSync } from "node:sqlite";
import type { Found } from "../scan.ts";
import { collect, unusedBytes } from "./collect.ts";
import { archiveFolder } from "./folder.ts";
import { whereaboutsIn } from "./gone.ts";
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
  /** Also sessions of which the archive is the only copy. */
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
  /** Older versions of it, of which the archive is the only copy in any case. */
  versions: number;
}

export interface Pruned {
  sessions: PrunedSession[];
  subagents: number;
  /** Bytes of the archive that nobody needs then. */
  freed: number;
  /** Sessions that stay because the archive is the only copy, of them or of an older version. */
  kept: PrunedSession[];
  /** How many those are. */
  protected: number;
  done: boolean;
}

export async function pruneArchive(batonHome: string, request: PruneRequest): Promise<Pruned> {
  const { database, release } = await writeIndex(batonHome);
  try {
    const all = sessionsIn(database);
    const there = await whereaboutsIn(database, all, request.found);
    const isGone = (session: ArchivedSession) => !there.has(session);
    const { chosen, kept, summary } = choose(all, { isGone, older: olderVersions(database) }, request);
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

interface Known {
  isGone(session: ArchivedSession): boolean;
  older(session: ArchivedSession): number;
}

interface Choice {
  chosen: ArchivedSession[];
  kept: ArchivedSession[];
  summary(session: ArchivedSession): PrunedSession;
}

/** Without anything that says which, none: then only what nobody needs is freed. */
function choose(all: readonly ArchivedSession[], { isGone, older }: Known, request: PruneRequest): Choice {
  const { agents, before, keepNewest } = request;
  const summary = (session: ArchivedSession) => summaryOf(session, isGone(session), older(session));
  if (!agents && !before && keepNewest === undefined) return { chosen: [], kept: [], summary };
  const wanted = all
    .filter(({ parent, agent }) => parent === undefined && (agents?.includes(agent) ?? true))
    .slice(keepNewest ?? 0)
    .filter(({ updated }) => before === undefined || updated < before.getTime());
  const isKept = (session: ArchivedSession) =>
    isGone(session) ? !request.gone : !request.versions && older(session) > 0;
  const main = wanted.filter(isKept);
  // A session that stays keeps its subagents; a subagent may stay alone.
  const rest = withSubagents(
    wanted.filter((session) => !isKept(session)),
    all,
  );
  return {
    chosen: rest.filter((session) => !isKept(session)),
    kept: [...main, ...rest.filter(isKept)],
    summary,
  };
}

/** How many older versions of a session's main file there are. */
function olderVersions(database: DatabaseSync): (session: ArchivedSession) => number {
  const counts = new Map(
    database
      .prepare("SELECT name, count(*) AS n FROM file WHERE until IS NOT NULL GROUP BY name")
      .all()
      .map(({ name, n }) => [String(name), Number(n)]),
  );
  return ({ files }) => counts.get(files.find(({ role }) => role === "main")?.name ?? "") ?? 0;
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
  gone: boolean,
  versions: number,
): PrunedSession {
  return { id, agent, originalId, path, updated: new Date(updated).toISOString(), size, gone, versions };
}
