// Turns a fold over native records into a Source. Written once for every adapter: one cheap pass builds the
// skeleton and the header, content is folded again when it is asked for, from the nearest checkpoint.
import { isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { batched } from "../session/batches.ts";
import { BatonError } from "../session/error.ts";
import { type Loss, loss } from "../session/losses.ts";
import type { Entry, Header, SessionRecord, Usage } from "../session/session.ts";
import { type Skeleton, type SkeletonBuilder, skeletonBuilder } from "../session/skeleton.ts";
import type { Folded, Range, Source } from "../session/source.ts";
import { type Position, START } from "../storage/position.ts";
import type { NativeRecord, ReadOptions } from "../storage/records.ts";
import type { Fold, SessionRef } from "./adapter.ts";
import { bitmap } from "./bitmap.ts";
import type { GlanceOptions, Take } from "./glance.ts";
import { headerBuilder, projectName } from "./header.ts";

export type PassOptions = Omit<ReadOptions, "from" | "end" | "grown" | "longestLine"> & { from: Position };

/** How the records of a session are read, and what is known of it besides. */
export interface Reading<State> {
  ref: SessionRef;
  fold: Fold<State>;
  /** Reads native records from a position on; the position is one that an earlier read reported. */
  read(options: PassOptions): AsyncIterable<NativeRecord[]>;
  provider: string;
  children?(header: Header): AsyncIterable<Source>;
  /** What changes when somebody writes to the session; absent = its files must stay the same, or grow. */
  identity?(): Promise<string>;
  /** hidden: the agent leaves a call that was never answered out of its request once the session went on. */
  unanswered?: "hidden";
  /** hidden: the agent leaves a result without a call out of its request. */
  orphaned?: "hidden";
  /** Found outside the records: a title in an index file, a folder name that stands in for a cwd. */
  extra?: { title?: string; cwd?: string; project?: string; losses?: readonly Loss[] };
  /** The project, where no record names it. */
  guessProject?(): Promise<string>;
  /** What is missing beside the records, once they were read. */
  check?(header: Header): Loss[];
  /** Later records never change what earlier ones mean, so reading can go on where it stopped. */
  goesOn?: true;
  /**
   * Hands every record to `take` without waiting, until that says no. False when it did, or when there is more to tell
   * of the session or its records than their values: then `read` tells.
   */
  glance?(take: Take, options: GlanceOptions): boolean;
}

interface Checkpoint {
  at: Position;
  /** How many entries came before. */
  entries: number;
  state: string;
}

type Strings = NonNullable<ReadOptions["strings"]>;

const CHECKPOINT_BYTES = 4 << 20;

export async function openSource<State>(options: Reading<State>): Promise<Source> {
  const unchanged = await watch(options);
  const { header, losses, usages, ...found } = await gather(options);
  const { skeleton, hidden, losses: structural } = finishSkeleton(options, found);
  for (const damage of structural) losses.push(damage);
  const reported = new Set<number>();
  const damaged = (record: NativeRecord) => {
    if (reported.has(record.index)) return;
    reported.add(record.index);
    losses.push(...record.losses);
  };
  const facts: Facts = { skeleton, hidden, usages, lastOfTurn: lastOfTurns(skeleton), damaged };
  const isLast = skeleton.head === skeleton.length - 1;
  const concluded = await conclude(
    options,
    header.finish(usages, isLast ? undefined : skeleton.id(skeleton.head)),
  );
  losses.push(...concluded.losses);
  return {
    header: concluded.header,
    skeleton,
    losses,
    entries: (range) => batched(() => entries(options, { ...found, unchanged }, facts, range)),
    records: () => records(options, found.withEntry),
    children: () => options.children?.(concluded.header) ?? none(),
  };
}

/** What a pass over all records has gathered of their order. */
export interface Gathered {
  skeleton: SkeletonBuilder;
  head: Extract<Folded, { type: "head" }> | undefined;
  /** Calls that ran at the model's provider. */
  hosted: ReadonlySet<string>;
}

export function finishSkeleton<State>(
  reading: Reading<State>,
  { skeleton: builder, head, hosted }: Gathered,
): { skeleton: Skeleton; hidden: ReadonlySet<number>; losses: Loss[] } {
  const finished = builder.finish(head?.id, head?.unlessFollowed);
  const hidden = hiddenEntries(finished, reading);
  const skeleton: Skeleton = { ...finished, note: (at) => hidden.has(at) || finished.note(at) };
  return { skeleton, hidden, losses: structureLosses(finished, hosted, hidden) };
}

/** The header with what no record says, and what is missing beside them. */
export async function conclude<State>(
  { guessProject, check }: Reading<State>,
  given: Header,
): Promise<{ header: Header; losses: Loss[] }> {
  if (given.project.path !== "" || !guessProject) return { header: given, losses: check?.(given) ?? [] };
  const path = await guessProject();
  const header = { ...given, project: { ...given.project, path, name: projectName(path) } };
  return { header, losses: [...(check?.(header) ?? []), loss("project_guessed", {}, path)] };
}

/** One pass over cut strings: everything that must be known before the first entry can be handed out. */
async function gather<State>(options: Reading<State>) {
  const { ref, fold } = options;
  const skeleton = skeletonBuilder();
  const header = headerBuilder(options.ref.agent, ref, options.provider, options.extra);
  const losses: Loss[] = [...(options.extra?.losses ?? [])];
  const usages = new Map<string, Usage>();
  const checkpoints: Checkpoint[] = [];
  const withEntry = bitmap();
  const strings: Strings = new Map();
  const hosted = new Set<string>();
  const state = fold.initial(ref);
  let head: Extract<Folded, { type: "head" }> | undefined;
  let count = 0;
  let nextCheckpoint = 0;

  for await (const batch of options.read({ from: START, shrink: true, strings })) {
    for (const record of batch) {
      if (record.offset >= nextCheckpoint) {
        const at = { offset: record.offset, index: record.index, line: record.line };
        checkpoints.push({ at, entries: count, state: JSON.stringify(state) });
        nextCheckpoint = record.offset + CHECKPOINT_BYTES;
      }
      for (const found of record.losses) losses.push(found);
      for (const folded of fold.step(state, record)) {
        switch (folded.type) {
          case "entry":
            skeleton.add(folded.entry, folded.keepsRun);
            header.entry(folded.entry);
            if (folded.entry.type === "tool_call" && folded.entry.hosted) hosted.add(folded.entry.id);
            if (folded.entry.records) for (const index of folded.entry.records) withEntry.set(index);
            count++;
            break;
          case "link":
            skeleton.link(folded.id, folded.parent, folded.alias);
            break;
          case "header":
            header.patch(folded.patch);
            break;
          case "head":
            head = folded;
            break;
          case "usage":
            usages.set(folded.turn, folded.usage);
            break;
          case "loss":
            losses.push(folded.loss);
            break;
        }
      }
    }
  }
  return { skeleton, header, losses, usages, checkpoints, strings, withEntry, hosted, head };
}

async function* none(): AsyncGenerator<Source> {
  // A session without subagents.
}

async function* entries<State>(
  options: Reading<State>,
  { checkpoints, strings, unchanged }: Pass,
  facts: Facts,
  range: Range = {},
): AsyncGenerator<Entry[]> {
  const from = range.from ?? 0;
  const to = range.to ?? Number.POSITIVE_INFINITY;
  const start = checkpoints.findLast((checkpoint) => checkpoint.entries <= from);
  if (!start) return;
  const passes = range.texts === "referenced" ? options.fold.passes : undefined;
  const state = JSON.parse(start.state) as State;
  let position = start.entries;
  for await (const batch of options.read({ from: start.at, passes, strings })) {
    const found: Entry[] = [];
    for (const record of batch) {
      // Only a pass over whole records sees damage inside a long text.
      if (!record.whole) facts.damaged(record);
      for (const folded of options.fold.step(state, record)) {
        if (folded.type !== "entry") continue;
        if (position >= from && position < to) found.push(completed(folded.entry, position, facts));
        position++;
      }
    }
    // Before the last entry is handed on: the skeleton is that of the file as it was.
    if (position >= to) await unchanged();
    if (found.length > 0) yield found;
    if (position >= to) return;
  }
  await unchanged();
}

interface Pass {
  checkpoints: readonly Checkpoint[];
  strings: Strings;
  /** Throws when the session is not the one any more that the skeleton was made of. */
  unchanged(): Promise<void>;
}

async function watch<State>({ ref, identity }: Reading<State>): Promise<() => Promise<void>> {
  if (!identity) {
    const files = await Promise.all(filesOf(ref).map(identityOf));
    return () => checkSame(files);
  }
  const before = await identity();
  return async () => {
    if ((await identity()) === before) return;
    const what = `${ref.agent}:${ref.originalId} was changed while it was read`;
    throw new BatonError("busy", `${what}: its agent is working on it.`, "Try again when it waits for you.");
  };
}

/** Where a session is read from, and how much was there. */
interface Identity {
  path: string;
  inode: number;
  size: number;
}

function filesOf({ path, files }: SessionRef): string[] {
  return [path, ...files.filter(({ role }) => role === "parent").map((file) => file.path)];
}

async function identityOf(path: string): Promise<Identity> {
  const { ino, size } = await stat(path);
  return { path, inode: ino, size };
}

/** A file that only grew is the same; an agent may be writing to it. */
async function checkSame(files: readonly Identity[]): Promise<void> {
  for (const { path, inode, size } of files) {
    const changed = (cause?: unknown) =>
      new BatonError(
        "failed",
        `${path} was replaced, cut or removed while it was read.`,
        "Try again.",
        cause,
      );
    const now = await identityOf(path).catch((error: unknown) => {
      throw changed(error);
    });
    if (now.inode !== inode || now.size < size) throw changed();
  }
}

/** What only the whole session knows of its entries. */
interface Facts {
  skeleton: Skeleton;
  hidden: ReadonlySet<number>;
  usages: ReadonlyMap<string, Usage>;
  /** By the number of a turn: the position of its last entry. */
  lastOfTurn: Int32Array;
  /** Reports a record whose long text turned out to be damaged, once. */
  damaged(record: NativeRecord): void;
}

/** The entry with ids of other entries in place of native ones, and with what is known from later records. */
function completed(entry: Entry, position: number, facts: Facts): Entry {
  const { skeleton } = facts;
  if (entry.parent !== undefined) {
    const parent = skeleton.parent(position);
    if (parent === position - 1 && parent !== -1) entry.parent = undefined;
    else entry.parent = parent === -1 ? null : skeleton.id(parent);
  }
  if (entry.type === "compaction") {
    const keeps = skeleton.keeps(position);
    if (keeps.length > 0 || entry.keeps) entry.keeps = [...keeps];
  }
  if (facts.hidden.has(position)) entry.note = true;
  if (entry.turn !== undefined && facts.lastOfTurn[skeleton.turn(position)] === position) {
    const usage = facts.usages.get(entry.turn);
    if (usage) entry.usage = usage;
  }
  return entry;
}

function lastOfTurns(skeleton: Skeleton): Int32Array {
  const last = new Int32Array(skeleton.length);
  for (let at = 0; at < skeleton.length; at++) if (skeleton.turn(at) !== -1) last[skeleton.turn(at)] = at;
  return last;
}

function hiddenEntries(
  skeleton: Skeleton,
  { unanswered, orphaned }: Pick<Reading<unknown>, "unanswered" | "orphaned">,
): ReadonlySet<number> {
  const calls = unanswered === "hidden" ? unansweredCalls(skeleton) : NONE;
  return orphaned === "hidden" ? new Set([...calls, ...orphanedResults(skeleton)]) : calls;
}

/** Calls that were never answered, except in the last message: there the agent waits for an answer. */
function unansweredCalls(skeleton: Skeleton): ReadonlySet<number> {
  const answered = callsOf(skeleton, "tool_result");
  const last = lastMessage(skeleton);
  const lastTurn = last === -1 ? -1 : skeleton.turn(last);
  const found = new Set<number>();
  for (let at = 0; at < skeleton.length; at++) {
    if (skeleton.type(at) !== "tool_call" || answered[skeleton.call(at)] === 1 || at === last) continue;
    if (lastTurn === -1 || skeleton.turn(at) !== lastTurn) found.add(at);
  }
  return found;
}

function orphanedResults(skeleton: Skeleton): ReadonlySet<number> {
  const called = callsOf(skeleton, "tool_call");
  const found = new Set<number>();
  for (let at = 0; at < skeleton.length; at++)
    if (skeleton.type(at) === "tool_result" && called[skeleton.call(at)] !== 1) found.add(at);
  return found;
}

/** A flag for each call that has an entry of this type; calls are numbered from zero. */
function callsOf(skeleton: Skeleton, type: "tool_call" | "tool_result"): Uint8Array {
  const flags = new Uint8Array(skeleton.length);
  for (let at = 0; at < skeleton.length; at++) if (skeleton.type(at) === type) flags[skeleton.call(at)] = 1;
  return flags;
}

/** The newest entry of the current branch that is neither a result nor hidden from the model. */
function lastMessage(skeleton: Skeleton): number {
  let at = skeleton.head;
  for (let hops = 0; at !== -1 && hops < skeleton.length; hops++) {
    const type = skeleton.type(at);
    if (!skeleton.note(at) && type !== "tool_result" && type !== "system") return at;
    at = skeleton.parent(at);
  }
  return -1;
}

const NONE: ReadonlySet<number> = new Set();

async function* records<State>(
  options: Reading<State>,
  withEntry: ReturnType<typeof bitmap>,
): AsyncGenerator<SessionRecord> {
  for await (const batch of options.read({ from: START, raw: true })) {
    for (const record of batch) yield rawRecord(record, withEntry.has(record.index));
  }
}

function rawRecord(record: NativeRecord, hasEntry: boolean): SessionRecord {
  const common = {
    index: record.index,
    ...(record.file !== undefined && { file: record.file }),
    ...(hasEntry ? {} : { entries: false }),
  };
  return isUtf8(record.bytes)
    ? { ...common, raw: record.bytes.toString("utf8") }
    : { ...common, raw: record.bytes.toString("base64"), encoding: "base64" };
}

function structureLosses(
  skeleton: Skeleton,
  hosted: ReadonlySet<string>,
  hidden: ReadonlySet<number>,
): Loss[] {
  const found: Loss[] = [];
  for (const [position, id] of skeleton.dangling)
    found.push(loss("parent_missing", { entry: skeleton.id(position) }, `it follows ${id}`));
  for (const id of new Set(skeleton.duplicates))
    found.push(loss("id_duplicate", { entry: id }, "the earlier one is not part of the current thread"));
  const called = callsOf(skeleton, "tool_call");
  const answered = callsOf(skeleton, "tool_result");
  for (let at = 0; at < skeleton.length; at++) {
    const type = skeleton.type(at);
    const entry = skeleton.id(at);
    if (type === "tool_call" && answered[skeleton.call(at)] !== 1 && !hosted.has(entry))
      found.push(loss("call_unanswered", { entry }, hidden.has(at) ? UNSENT : "no result was recorded"));
    if (type === "tool_result" && called[skeleton.call(at)] !== 1)
      found.push(loss("result_orphaned", { entry }, "no call with its id was recorded"));
  }
  return found;
}

/** Whoever reads the session for another model gets what the agent's own model would. */
const UNSENT = "no result was recorded; the agent no longer sends the call, nor is it carried";
