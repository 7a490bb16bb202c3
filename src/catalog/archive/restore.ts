// Writes a session that its CLI has deleted back into its store, with its own id, through the journal: it can be
// undone, and nothing that is there is ever written over.
import { createHash, type Hash } from "node:crypto";
import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Adapter, Command, Home, Kept, SessionRef } from "../../adapters/adapter.ts";
import { restoredFiles } from "../../adapters/kept.ts";
import { BatonError } from "../../session/error.ts";
import { apply } from "../../storage/apply.ts";
import type { Change } from "../../storage/changes.ts";
import { hashFile } from "../../storage/disk.ts";
import type { Found } from "../scan.ts";
import { goneAmong } from "./gone.ts";
import { notArchived, withArchived } from "./open.ts";
import { type ArchivedSession, bytesIn, withIndex, withSubagents } from "./read.ts";

export interface RestoreRequest {
  session: ArchivedSession;
  /** Everything that is archived. */
  all: readonly ArchivedSession[];
  /** What the stores hold now. */
  found: readonly Found[];
  adapter: Adapter;
  home: Home;
  batonHome: string;
  /** The installed CLI. */
  installed?: { version: string; path: string } | undefined;
  /** Where to go on, for the command; absent = the session's own folder. */
  cwd?: string;
  /** Everything but the disk. */
  dryRun?: boolean;
  now?: Date;
}

export interface Restored {
  agent: string;
  originalId: string;
  /** Its main file, or the database that it is in. */
  path: string;
  files: { path: string; bytes: number }[];
  /** Subagents that came back with it. */
  subagents: number;
  /** Its own folder. */
  project: string;
  /** How the agent is started with it; null where only Baton reads its sessions. */
  command: Command | null;
  operation: string | null;
}

export async function restoreSession(request: RestoreRequest): Promise<Restored> {
  const { batonHome, dryRun, adapter, session, home } = request;
  const family = await familyOf(request);
  const header = await withArchived(request, async ({ header }) => header);
  const project = header.project.path;
  const command =
    adapter.resumeCommand?.(session.originalId, { project: { path: request.cwd ?? project } }, { home }) ??
    null;
  const now = request.now ?? new Date();
  const restored = await withIndex(batonHome, undefined, async (database): Promise<Restored> => {
    const kept = family.map((one) => keptOf(request, database, one, now));
    // Once without writing: what cannot be read or has no place is told before anything happens.
    const meant = await digested(changesOf(adapter, kept, home));
    const [main = ""] = meant.keys();
    refuseExisting(session, meant);
    return {
      agent: session.agent,
      originalId: session.originalId,
      path: main,
      files: Array.from(meant, ([path, { size }]) => ({ path, bytes: size })),
      subagents: family.length - 1,
      project,
      command,
      operation: dryRun ? null : await write(request, kept, main, meant),
    };
  });
  return restored ?? Promise.reject(notArchived(session));
}

/** The session, and those of its subagents that are gone too and are not among its own files. */
async function familyOf({ session, all, found, batonHome }: RestoreRequest): Promise<ArchivedSession[]> {
  const own = new Set(session.files.map(({ name }) => name));
  const others = withSubagents([session], all).filter(
    (one) => one !== session && !one.files.some(({ name, role }) => role === "main" && own.has(name)),
  );
  return [session, ...(await goneAmong(batonHome, others, found))];
}

function keptOf(
  { batonHome, installed }: RestoreRequest,
  database: DatabaseSync,
  { agent, originalId, parent, thread, path, files, facts }: ArchivedSession,
  now: Date,
): Kept {
  const names = new Map(files.map((file) => [file.path, file.name]));
  const ref: SessionRef = {
    agent,
    originalId,
    path,
    files: files.map(({ path: at, role, size, mtimeMs }) => ({ path: at, role, size, mtimeMs, inode: 0 })),
    ...(parent !== undefined && { parent }),
    ...(thread !== undefined && { thread }),
  };
  return {
    ref,
    facts,
    bytes: (file) => bytesIn(batonHome, database, names.get(file.path) ?? file.path),
    now,
    ...(installed && { cli: installed }),
  };
}

async function* changesOf(adapter: Adapter, all: readonly Kept[], home: Home): AsyncGenerator<Change> {
  for (const kept of all) yield* adapter.restore?.(kept, home) ?? restoredFiles(kept);
}

interface Digest {
  type: Change["type"];
  size: number;
  sha256: string;
}

/** What is to be written, by path. */
async function digested(changes: AsyncIterable<Change>): Promise<Map<string, Digest>> {
  const found = new Map<string, Omit<Digest, "sha256"> & { hash: Hash }>();
  for await (const { type, path, bytes } of changes) {
    const one = found.get(path) ?? { type, size: 0, hash: createHash("sha256") };
    found.set(path, one);
    one.size += Buffer.byteLength(bytes);
    one.hash.update(bytes);
  }
  return new Map(
    Array.from(found, ([path, { hash, ...rest }]) => [path, { ...rest, sha256: hash.digest("hex") }]),
  );
}

function refuseExisting(session: ArchivedSession, meant: ReadonlyMap<string, Digest>): void {
  for (const [path, { type }] of meant)
    if (type === "create" && existsSync(path))
      throw new BatonError(
        "refused",
        `${path} is there already, and Baton never writes over a file.`,
        `Move it away, or go on in a new session: \`baton fork ${session.agent}:${session.originalId}\`.`,
      );
}

async function write(
  { batonHome, adapter, session, home }: RestoreRequest,
  kept: readonly Kept[],
  main: string,
  meant: ReadonlyMap<string, Digest>,
): Promise<string> {
  const { agent, originalId } = session;
  const operation = await apply(changesOf(adapter, kept, home), {
    batonHome,
    facts: { kind: "restore", agent, originalId, path: main },
    async readBack(staged) {
      for (const [path, { type, sha256 }] of meant)
        if (type !== "append" && (await hashFile(staged(path))) !== sha256) throw notAsMeant(path);
    },
  });
  return operation.id;
}

function notAsMeant(path: string): BatonError {
  return new BatonError(
    "failed",
    `${path} could not be read back as it was written.`,
    "Check the disk, then try again.",
  );
}
