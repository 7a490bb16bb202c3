// Finds and summarises sessions by walking the stores. Every store is asked each time; nothing is cached yet.
import { open } from "node:fs/promises";
import type { Adapter, Home, Looking, Place, SessionRef } from "../adapters/adapter.ts";
import { displayName } from "../models/names.ts";
import { sessionId } from "../session/id.ts";
import type { Loss } from "../session/losses.ts";
import type { Header } from "../session/session.ts";

export interface Found<Of extends Place = Adapter> {
  adapter: Of;
  ref: SessionRef;
}

export interface SessionSummary {
  id: string;
  agent: string;
  originalId: string;
  /** Whose badge it carries. */
  provider: string;
  title: string;
  summary: string;
  project: string;
  model: string;
  modelDisplay: string;
  messageCount: number;
  created: string;
  /** When its files last changed, which is what its agent goes by as well. */
  updated: string;
  path: string;
  size: number;
  tokens: Header["metadata"]["tokens"] | null;
  /** US dollars, as far as they are known. */
  cost: number | null;
  /** Whether an agent wrote it down, or it follows from prices, or from tokens that are estimated: the least certain. */
  costKind: "recorded" | "computed" | "estimated" | null;
  /** Messages whose cost nobody knows, and which are not in it. */
  unpricedMessages?: number;
  /** What is wrong with the session's files, in a sentence each. */
  problems: string[];
  /** For a subagent: the id of the session that spawned it. */
  parent?: string;
  /** Since when its native file is gone. */
  gone?: string;
}

/**
 * Every session in every store, newest first by the time its files last changed. Empty files are not sessions, and
 * of exact copies only the newest counts.
 */
export async function findSessions<Of extends Place>(
  home: Home,
  adapters: readonly Of[],
  looking: Looking = {},
): Promise<Found<Of>[]> {
  return withoutCopies(walk(home, adapters, looking));
}

/** Every session, copies too, newest first. */
export function walk<Of extends Place>(
  home: Home,
  adapters: readonly Of[],
  looking: Looking = {},
): Found<Of>[] {
  return newestFirst(discovered(home, adapters, looking));
}

/** The same in no order. `onFound` is told of each at once. */
export function discovered<Of extends Place>(
  home: Home,
  adapters: readonly Of[],
  looking: Looking,
): Found<Of>[] {
  const found: Found<Of>[] = [];
  for (const adapter of adapters)
    for (const ref of adapter.discover(home, looking)) {
      if (sizeOf(ref) > 0) found.push({ adapter, ref });
    }
  return found;
}

export function newestFirst<One extends Found<Place>>(found: readonly One[]): One[] {
  const timed = found.map((one) => ({ one, time: changedAt(one.ref) }));
  timed.sort((a, b) => b.time - a.time || (a.one.ref.path < b.one.ref.path ? -1 : 1));
  return timed.map(({ one }) => one);
}

/** A project folder that was copied has the same sessions again, under the same ids. */
export async function withoutCopies<One extends Found<Place>>(found: readonly One[]): Promise<One[]> {
  const kept = new Map<string, One[]>();
  const all: One[] = [];
  for (const one of found) {
    const key = `${one.ref.agent}:${one.ref.originalId}:${one.ref.thread ?? ""}`;
    const others = kept.get(key);
    if (!others) {
      kept.set(key, [one]);
      all.push(one);
      continue;
    }
    let isCopy = false;
    for (const other of others) isCopy ||= await isSameContent(one.ref, other.ref);
    if (isCopy) continue;
    others.push(one);
    all.push(one);
  }
  return all;
}

async function isSameContent(one: SessionRef, other: SessionRef): Promise<boolean> {
  if (one.path === other.path || sizeOf(one) !== sizeOf(other)) return false;
  try {
    const [first, second] = await Promise.all([readTail(one), readTail(other)]);
    return first.equals(second);
  } catch {
    // What cannot be read is nobody's copy; listing it says what is wrong.
    return false;
  }
}

const TAIL = 1 << 16;
/** How every SQLite database begins. */
const DATABASE = Buffer.from("SQLite format 3\0");

/** Sessions only ever grow, so two of one id and size that end alike are the same. */
async function readTail(ref: SessionRef): Promise<Buffer> {
  const length = Math.min(TAIL, sizeOf(ref));
  const file = await open(ref.path, "r");
  try {
    const head = await file.read(Buffer.alloc(DATABASE.length), 0, DATABASE.length, 0);
    // Where in a database a session stands is nowhere told; when it last changed is.
    if (head.buffer.equals(DATABASE)) return Buffer.from(String(changedAt(ref)));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, sizeOf(ref) - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export function idOf(ref: SessionRef): string {
  return sessionId(ref.agent, ref.originalId);
}

/** What is different after any change to its files, or to the name that it was given. */
export function stampOf({ files, name }: SessionRef): string {
  let stamp = "";
  for (const { size, mtimeMs, inode } of files)
    stamp += stamp === "" ? `${size} ${mtimeMs} ${inode}` : `;${size} ${mtimeMs} ${inode}`;
  return name === undefined ? stamp : `${stamp};${name}`;
}

export function changedAt(ref: SessionRef): number {
  return ref.files.reduce((newest, file) => Math.max(newest, file.mtimeMs), 0);
}

/** Reads one session far enough to list it. A file that cannot be read is a row with its problem. */
export async function summarise({ adapter, ref }: Found): Promise<SessionSummary> {
  try {
    const { header, losses } = await adapter.open(ref);
    return {
      ...rowOf(adapter, ref),
      provider: adapter.badgeOf?.(header) ?? adapter.badge,
      title: header.title ?? "",
      summary: header.summary ?? "",
      project: header.project.path,
      model: header.model.model,
      modelDisplay: displayName(header.model.model),
      messageCount: header.metadata.messageCount ?? 0,
      created: header.metadata.created,
      tokens: header.metadata.tokens ?? null,
      ...recordedCost(header.metadata.cost),
      problems: problemsIn(losses),
    };
  } catch (error) {
    return { ...rowOf(adapter, ref), problems: [error instanceof Error ? error.message : String(error)] };
  }
}

function rowOf({ badge }: Adapter, ref: SessionRef): SessionSummary {
  const changed = new Date(changedAt(ref)).toISOString();
  return {
    id: idOf(ref),
    agent: ref.agent,
    originalId: ref.originalId,
    provider: badge,
    title: "",
    summary: "",
    project: "",
    model: "unknown",
    modelDisplay: "unknown",
    messageCount: 0,
    created: changed,
    updated: changed,
    path: ref.path,
    size: sizeOf(ref),
    tokens: null,
    ...recordedCost(null),
    problems: [],
    ...(ref.parent && { parent: sessionId(ref.agent, ref.parent) }),
  };
}

/** A recorded zero says that the agent knows no price. */
export function recordedCost(cost: number | null | undefined): Pick<SessionSummary, "cost" | "costKind"> {
  return cost ? { cost, costKind: "recorded" } : { cost: null, costKind: null };
}

export function sizeOf(ref: SessionRef): number {
  const [first] = ref.files;
  return (first?.role === "main" ? first : ref.files.find(({ role }) => role === "main"))?.size ?? 0;
}

/** What a list shows of what was found. */
export function problemsIn(losses: readonly Loss[]): string[] {
  return losses.filter(({ severity }) => severity !== "info").map(problemOf);
}

function problemOf({ at, kind, detail }: Loss): string {
  return `${at.line !== undefined ? `line ${at.line}: ` : ""}${kind}: ${detail}`;
}
