// What is there and what is wrong with it: agents, stores, files that cannot be read, sessions that their agent
// will delete soon. Looks only; repairs nothing.
import { constants } from "node:fs";
import { access, lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Adapter, Configuration, Home, SessionRef } from "../adapters/adapter.ts";
import { idOf, type SessionSummary, summarise } from "./scan.ts";

export interface StoreReport {
  path: string;
  exists: boolean;
  readable: boolean;
  writable: boolean;
  /** Why there is something in its place that is no store. */
  problem?: string;
}

export interface DueReport {
  id: string;
  title: string;
  path: string;
  /** When the agent may delete it. */
  due: string;
  /** Whether the archive holds it as it is now. */
  archived: boolean;
}

export interface AgentReport {
  agent: string;
  label: string;
  installed: { version: string; path: string } | null;
  /** Whether a real run has proven that this version resumes what Baton writes; null when none is installed. */
  proven: boolean | null;
  provenVersions: readonly string[];
  /** Whether its sessions are read and never written. */
  readOnly: boolean;
  stores: StoreReport[];
  sessions: number;
  subagents: number;
  bytes: number;
  emptyFiles: number;
  /** Files and folders of which nothing could be read. */
  unreadable: { path: string; problem: string }[];
  /** Sessions that were read in spite of damage. */
  damaged: { id: string; path: string; problems: string[] }[];
  retentionDays: number | null;
  dueForDeletion: DueReport[];
  /** What else is to be known of its stores. */
  remarks: string[];
  /** Why this agent could not be looked at as a whole. */
  problems: string[];
}

const DAY = 86_400_000;
const DUE_WITHIN_DAYS = 7;

export interface Examination {
  now?: number;
  /** Whether the archive holds a session as it is now. */
  isArchived?(ref: SessionRef): boolean;
}

export async function examine(
  adapter: Adapter,
  home: Home,
  onRead: (done: number, total: number) => void = () => undefined,
  { now = Date.now(), isArchived = () => false }: Examination = {},
): Promise<AgentReport> {
  const problems: string[] = [];
  const attempt = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      return otherwise;
    }
  };
  const installed = (await attempt(() => adapter.version(home), undefined)) ?? null;
  const closed: AgentReport["unreadable"] = [];
  const onProblem = (path: string, error: Error) => closed.push({ path, problem: error.message });
  const refs = await attempt(async () => [...adapter.discover(home, { onProblem })], []);
  const configuration = await attempt(() => adapter.configuration(home), { mcpServers: [] });
  for (const path of configuration.damaged ?? [])
    closed.push({ path, problem: "these settings cannot be read" });
  const listed = refs.filter((ref) => mainSize(ref) > 0);
  const rows: SessionSummary[] = [];
  for (const ref of listed) {
    rows.push(await summarise({ adapter, ref }));
    onRead(rows.length, listed.length);
  }
  const remarks = await attempt(
    async () => [...((await adapter.remarks?.(home, installed?.version)) ?? [])],
    [],
  );
  const soon = await attempt(() => due(adapter, listed, configuration, now), []);
  const isUnreadable = ({ title, problems: found }: SessionSummary) => title === "" && found.length > 0;
  return {
    agent: adapter.id,
    label: adapter.label,
    installed,
    proven: installed && adapter.proven.includes(installed.version),
    provenVersions: adapter.proven,
    readOnly: adapter.write === undefined,
    stores: await Promise.all(adapter.stores(home).map(examineStore)),
    sessions: listed.filter((ref) => !ref.parent).length,
    subagents: listed.filter((ref) => ref.parent).length,
    bytes: refs.flatMap(({ files }) => files).reduce((sum, { size }) => sum + size, 0),
    emptyFiles: refs.length - listed.length,
    unreadable: [
      ...closed,
      ...rows.filter(isUnreadable).map(({ path, problems: [problem = ""] }) => ({ path, problem })),
    ],
    damaged: rows
      .filter((row) => row.problems.length > 0 && !isUnreadable(row))
      .map(({ id, path, problems: found }) => ({ id, path, problems: found })),
    retentionDays: configuration.retentionDays ?? null,
    dueForDeletion: soon.map(({ ref, at }) => ({
      id: idOf(ref),
      title: rows[listed.indexOf(ref)]?.title ?? "",
      path: ref.path,
      due: new Date(at).toISOString(),
      archived: isArchived(ref),
    })),
    remarks,
    problems,
  };
}

function mainSize(ref: SessionRef): number {
  return ref.files.find(({ role }) => role === "main")?.size ?? 0;
}

async function examineStore(path: string): Promise<StoreReport> {
  const problem = await inItsPlace(path);
  const exists =
    problem === undefined &&
    (await stat(path).then(
      () => true,
      () => false,
    ));
  const may = (mode: number) =>
    access(path, mode).then(
      () => true,
      () => false,
    );
  return {
    path,
    exists,
    readable: exists && (await may(constants.R_OK | constants.X_OK)),
    writable: exists && (await may(constants.W_OK)),
    ...(problem !== undefined && { problem }),
  };
}

/** What stands where the folder, or one above it, should be; undefined when it is a folder or nothing is there. */
async function inItsPlace(path: string): Promise<string | undefined> {
  const above = dirname(path);
  try {
    const found = await stat(path);
    return found.isDirectory() ? undefined : `${path} is not a folder.`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return inItsPlace(above);
    if (code !== "ENOENT") return `${path} cannot be looked at: ${message}`;
  }
  try {
    await lstat(path);
    return `${path} is a link to a place that is not there.`;
  } catch {
    // Nothing of that name; the folder above it may be the link.
    return above === path ? undefined : inItsPlace(above);
  }
}

interface Due {
  ref: SessionRef;
  at: number;
}

/** By age, by how many there are in a folder, or because the agent cannot use it. */
async function due(
  adapter: Adapter,
  refs: readonly SessionRef[],
  { retentionDays = Number.POSITIVE_INFINITY, retentionCount }: Configuration,
  now: number,
): Promise<Due[]> {
  const isCleaning = retentionDays < Number.POSITIVE_INFINITY || retentionCount !== undefined;
  const own = isCleaning ? await usedAt(adapter, refs) : [];
  const places = new Map<string, number>();
  return own
    .map(({ ref, used }) => {
      if (used === undefined) return { ref, at: now };
      const before = places.get(dirname(ref.path)) ?? 0;
      places.set(dirname(ref.path), before + 1);
      const isTooMany = retentionCount !== undefined && before >= retentionCount;
      return { ref, at: isTooMany ? now : used + retentionDays * DAY };
    })
    .filter(({ at }) => at - now <= DUE_WITHIN_DAYS * DAY)
    .toSorted((a, b) => a.at - b.at);
}

interface Used {
  ref: SessionRef;
  used: number | undefined;
}

/** The sessions that are no subagents', the one that was used last first. */
async function usedAt(adapter: Adapter, refs: readonly SessionRef[]): Promise<Used[]> {
  const all: Used[] = [];
  for (const ref of refs)
    if (!ref.parent) {
      const changed = ref.files.find(({ role }) => role === "main")?.mtimeMs ?? 0;
      // What cannot be read is named as such anyway.
      const used = adapter.lastUsed ? await adapter.lastUsed(ref).catch(() => changed) : changed;
      all.push({ ref, used });
    }
  const order = ({ used = 0 }: Used) => Math.min(used, Number.MAX_SAFE_INTEGER);
  return all.toSorted((a, b) => order(b) - order(a));
}
