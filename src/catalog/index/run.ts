// Reads sessions and puts them into their shards, newest first. Runs in the thread that syncs, or in several.
import { hash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import type { Reader, SessionRef } from "../../adapters/adapter.ts";
import { BatonError } from "../../session/error.ts";
import { keepingOpen } from "../../storage/sqlite.ts";
import { openShard } from "../catalog.ts";
import { sizeOf, stampOf } from "../scan.ts";
import type { Job } from "./job.ts";
import type { Cursor } from "./pass.ts";
import { type IndexOptions, type Piece, readSession } from "./read.ts";
import { LARGEST_BATCH } from "./shares.ts";
import { newSlabs } from "./slabs.ts";
import { type Addition, newWriter, type Seen, type Writer } from "./write.ts";

export interface RunOptions {
  folder: string;
  words: boolean;
  /** So many bytes of texts are put in at once; absent = as many as may be. */
  batch?: number;
  /** Told of sessions as they are stored, several at a time. */
  onDone(done: readonly Done[]): void;
}

export interface Done {
  bytes: number;
  outcome: "added" | "updated" | "unchanged";
  hasProblem: boolean;
}

const BATCH_SESSIONS = 500;
const HEARD = 16;
const MOST_ROUNDS = 5;

/** Jobs are taken one by one as they are read, so that others can share in them. */
export async function runJobs(
  jobs: Iterable<Job>,
  adapters: readonly Reader[],
  options: RunOptions,
): Promise<void> {
  const targets = newTargets(options);
  const runOnce = async (some: Iterable<Job>): Promise<Job[]> => {
    const read: Job[] = [];
    for (const job of some) {
      // Small files are read without waiting, and meanwhile other threads and the user want to be heard.
      if (read.push(job) % HEARD === 0) await setImmediate();
      const adapter = adapters.find(({ id }) => id === job.ref.agent);
      if (adapter) await run(adapter, job, targets, options);
    }
    const refused = targets.finish();
    return read.filter(({ ref }) => refused.has(ref));
  };
  try {
    await keepingOpen(async () => {
      // Another process that was faster may have wanted less, such as no words.
      let left = await runOnce(jobs);
      for (let round = 1; left.length > 0 && round < MOST_ROUNDS; round++)
        left = await runOnce(left.map((job) => ({ ...job, isNew: false })));
    });
    targets.settle();
  } finally {
    targets.close();
  }
}

type Known = Seen & { files: string; gone: number | null };

/** A shard, and what waits to be put into it. */
interface Target {
  shard: DatabaseSync;
  find: StatementSync;
  writer?: Writer;
  waiting: Addition[];
}

type Targets = ReturnType<typeof newTargets>;

/** The shards that are written to. Texts of all of them wait in the same slabs, so they are put in together. */
function newTargets({ folder, batch = LARGEST_BATCH, onDone }: RunOptions) {
  const targets = new Map<number, Target>();
  const slabs = newSlabs();
  let refused = new Set<SessionRef>();
  let written = 0;
  const targetOf = (number: number): Target => {
    const target = targets.get(number) ?? newTarget(openShard(folder, number));
    targets.set(number, target);
    return target;
  };
  const flush = () => {
    for (const target of targets.values())
      for (const addition of put(target, onDone)) refused.add(addition.ref);
    written += slabs.size();
    slabs.clear();
  };
  return {
    /** Keeps a text until its session is put in. */
    put: slabs.put,
    seen: (number: number, { path, originalId, thread, agent }: SessionRef) =>
      targetOf(number).find.get(path, originalId, thread ?? "", agent) as unknown as Known | undefined,
    add(number: number, addition: Addition) {
      const { waiting } = targetOf(number);
      waiting.push(addition);
      if (slabs.size() >= batch || waiting.length >= BATCH_SESSIONS) flush();
    },
    flush,
    /** Whether another process has changed what is known of the session while it was read. */
    isRefused: (ref: SessionRef) => refused.has(ref),
    /** Puts in what waits; the sessions that were refused, once. */
    finish(): ReadonlySet<SessionRef> {
      flush();
      const all = refused;
      refused = new Set();
      return all;
    },
    /** Whoever closes the databases last would do it, one after the other. */
    settle() {
      if (written < MUCH) return;
      for (const { shard } of targets.values()) shard.exec("PRAGMA wal_checkpoint(PASSIVE)");
    },
    close() {
      for (const { shard } of targets.values()) shard.close();
    },
  };
}

/** So many bytes of texts leave much to be moved into the databases. */
const MUCH = 4 << 20;

function newTarget(shard: DatabaseSync): Target {
  const find = shard.prepare(
    "SELECT stamp, (SELECT value FROM cursor WHERE session = key) AS cursor, searchable, files, gone FROM session WHERE path = ? AND original_id = ? AND thread = ? AND agent = ?",
  );
  return { shard, find, waiting: [] };
}

/** What waits is put in; what was refused. */
function put(target: Target, onDone: RunOptions["onDone"]): Addition[] {
  const { waiting, shard } = target;
  if (waiting.length === 0) return [];
  target.writer ??= newWriter(shard);
  const written = new Set(target.writer.write(waiting));
  target.waiting = [];
  const done = waiting.filter((addition) => addition.piece.end && written.has(addition));
  if (done.length > 0) onDone(done.map(doneOf));
  return waiting.filter((addition) => !written.has(addition));
}

function doneOf({ ref, isNew, piece }: Addition): Done {
  return {
    bytes: sizeOf(ref),
    outcome: isNew ? "added" : "updated",
    hasProblem: (piece.end?.problems.length ?? 0) > 0,
  };
}

async function run(
  adapter: Reader,
  { ref, id, isNew, shard, isEarly }: Job,
  targets: Targets,
  options: RunOptions,
): Promise<void> {
  // Whether one that was new then still is, is found out when it is put in.
  const known = isNew ? undefined : targets.seen(shard, ref);
  // Another process may have done it since it was looked at.
  const isCurrent = known?.stamp === stampOf(ref) && known.gone === null;
  if (isCurrent && (known.searchable === 1 || !options.words)) {
    options.onDone([{ bytes: sizeOf(ref), outcome: "unchanged", hasProblem: false }]);
    return;
  }
  // Words that are there are kept up with, whoever asks.
  const words = options.words || known?.searchable === 1;
  const begun = known && words === (known.searchable === 1) ? cursorIn(known, ref) : undefined;
  let seen = known && { stamp: known.stamp, cursor: known.cursor, searchable: known.searchable };
  // Once a session has grown that was only listed, where to go on from is noted, which a glance for a list does not.
  const isGlance = begun === undefined && (words || known === undefined);
  const reading = { words, begun, isGlance, put: targets.put };
  for await (const piece of pieces(adapter, ref, reading)) {
    const isAdded = known === undefined;
    targets.add(shard, { adapter, ref, id, seen, isNew: isAdded, words, piece, ...(isEarly && { isEarly }) });
    if (piece.end) return;
    // The rest goes on from what is in the shard then.
    targets.flush();
    if (targets.isRefused(ref)) return;
    seen = { stamp: "", cursor: JSON.stringify(piece.cursor) ?? null, searchable: words ? 1 : 0 };
  }
}

async function* pieces(adapter: Reader, ref: SessionRef, options: IndexOptions): AsyncGenerator<Piece> {
  try {
    for await (const piece of readSession(adapter, ref, options)) {
      if (piece.cursor) piece.cursor.print = printOf(ref.path, piece.cursor.at.offset);
      yield piece;
    }
  } catch (error) {
    yield unreadable(adapter, ref, error);
  }
}

/** A row with its problem. What is known of the session from before stays until it can be read again. */
function unreadable(adapter: Reader, ref: SessionRef, error: unknown): Piece {
  const message = error instanceof Error ? error.message : String(error);
  const time = new Date(ref.files[0]?.mtimeMs ?? 0).toISOString();
  return {
    docs: [],
    usages: [],
    isContinued: true,
    cursor: undefined,
    end: {
      header: {
        id: "",
        version: "1.0",
        source: { cli: adapter.id, originalId: ref.originalId },
        project: { path: "" },
        model: { provider: adapter.provider, model: "unknown" },
        metadata: { created: time, lastModified: time, messageCount: 0 },
      },
      problems: [message],
      hidden: undefined,
      isWhole: true,
      isUnread: true,
      isLasting: error instanceof BatonError && error.code === "damaged",
    },
  };
}

/** Where reading goes on, if the file is still the one that was read, only longer. */
function cursorIn({ cursor, files }: Known, ref: SessionRef): Cursor | undefined {
  if (cursor === null) return undefined;
  const read = JSON.parse(cursor) as Cursor;
  const [before] = JSON.parse(files) as SessionRef["files"];
  const [now] = ref.files;
  // Of a session that was read only in part so far no files are noted.
  if (!now || (before && before.inode !== now.inode) || now.size < read.at.offset) return undefined;
  // One that has another time and not a byte more was written over.
  if (before && before.size === now.size && before.mtimeMs !== now.mtimeMs) return undefined;
  return read.print !== undefined && read.print === printOf(ref.path, read.at.offset) ? read : undefined;
}

const PRINTED = 4096;
const printed = Buffer.alloc(2 * PRINTED);

/** Of the file's beginning and the bytes before the cursor: one that was written anew has others there. */
function printOf(path: string, offset: number): string | undefined {
  const length = Math.min(PRINTED, offset);
  const bytes = printed.subarray(0, 2 * length);
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const read = readSync(file, bytes, 0, length, 0) + readSync(file, bytes, length, length, offset - length);
    if (read < bytes.length) return undefined;
    return hash("sha1", bytes, "base64url");
  } catch {
    // Then it is read from its beginning, and that says what is wrong.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
