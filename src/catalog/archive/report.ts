// How much the archive holds, and how much room it takes.
import { statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { archiveFolder } from "./folder.ts";
import { withIndex } from "./read.ts";

export interface ArchiveSize {
  sessions: number;
  subagents: number;
  /** Bytes of the files as they were, in their newest version. */
  nativeBytes: number;
  /** Bytes that are kept for them. */
  archivedBytes: number;
}

export interface ArchiveReport extends ArchiveSize {
  /** Archived bytes for each native one; null while there is none. */
  ratio: number | null;
  /** Of the archived bytes, what is no session's: the index, the notes it can be made anew from, what is free again. */
  otherBytes: number;
  /** What sessions share counts for each agent that has it. */
  agents: (ArchiveSize & { agent: string })[];
}

export function reportArchive(batonHome: string): Promise<ArchiveReport> {
  const nothing = {
    sessions: 0,
    subagents: 0,
    nativeBytes: 0,
    archivedBytes: 0,
    otherBytes: 0,
    ratio: null,
    agents: [],
  };
  return withIndex<ArchiveReport>(batonHome, nothing, (database) => {
    const agents = agentsIn(database);
    const native = database.prepare("SELECT coalesce(sum(size), 0) AS n FROM file WHERE until IS NULL").get();
    const packs = database.prepare("SELECT coalesce(sum(size), 0) AS n FROM pack").get();
    const frames = database.prepare(FRAMES).get();
    const index = statSync(join(archiveFolder(batonHome), "index.db")).size;
    const nativeBytes = Number(native?.n);
    const archivedBytes = Number(packs?.n) + index;
    return {
      sessions: agents.reduce((sum, { sessions }) => sum + sessions, 0),
      subagents: agents.reduce((sum, { subagents }) => sum + subagents, 0),
      nativeBytes,
      archivedBytes,
      otherBytes: archivedBytes - Number(frames?.n),
      ratio: nativeBytes === 0 ? null : archivedBytes / nativeBytes,
      agents,
    };
  });
}

const FILES = `session JOIN session_file ON session_file.session = session.key
  JOIN file ON file.name = session_file.name`;

const FRAMES = `SELECT coalesce(sum(length), 0) AS n FROM frame
  WHERE key IN (SELECT part.frame FROM ${FILES} JOIN part ON part.file = file.key)`;

function agentsIn(database: DatabaseSync): ArchiveReport["agents"] {
  const by = (sql: string) =>
    new Map(
      database
        .prepare(sql)
        .all()
        .map(({ agent, n }) => [String(agent), Number(n)]),
    );
  const sessions = by("SELECT agent, count(*) AS n FROM session WHERE parent IS NULL GROUP BY agent");
  const subagents = by("SELECT agent, count(*) AS n FROM session WHERE parent IS NOT NULL GROUP BY agent");
  const native = by(`SELECT agent, sum(size) AS n FROM
    (SELECT DISTINCT session.agent, file.key, file.size FROM ${FILES} WHERE file.until IS NULL) GROUP BY agent`);
  const archived = by(`SELECT agent, sum(length) AS n FROM
    (SELECT DISTINCT session.agent, frame.key, frame.length FROM ${FILES} JOIN part ON part.file = file.key
     JOIN frame ON frame.key = part.frame) GROUP BY agent`);
  return [...new Set([...sessions.keys(), ...subagents.keys()])].toSorted().map((agent) => ({
    agent,
    sessions: sessions.get(agent) ?? 0,
    subagents: subagents.get(agent) ?? 0,
    nativeBytes: native.get(agent) ?? 0,
    archivedBytes: archived.get(agent) ?? 0,
  }));
}
