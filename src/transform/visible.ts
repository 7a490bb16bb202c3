// What the model would see if the native CLI resumed the session now: the current branch, from the last
// compaction on. Readers have already turned each vendor's rules into head, parent and compaction, so there
// are no agent cases here.
import { mapped } from "../session/batches.ts";
import { type Loss, loss } from "../session/losses.ts";
import type { Compaction, Entry, Session, UserEntry } from "../session/session.ts";
import type { Skeleton } from "../session/skeleton.ts";
import { type Range, type Source, type Stream, sourceOf } from "../session/source.ts";

export interface VisibleOptions {
  /** visible = from the last compaction on; full = the whole branch, compacted history included. */
  history?: "visible" | "full";
  /** As in Range. */
  texts?: Range["texts"];
  /** Only entries from this position on, with the subagents that they started. */
  from?: number;
}

/** Positions of the visible entries in the order in which the model sees them. */
export function visiblePositions(skeleton: Skeleton, options: VisibleOptions = {}): number[] {
  const { from = 0 } = options;
  return threadPositions(skeleton, options).filter((at) => at >= from && !skeleton.note(at));
}

/** The current branch, notes included, in the order in which the model sees it. */
export function threadPositions(skeleton: Skeleton, options: VisibleOptions = {}): number[] {
  const path = branch(skeleton);
  const whole = withCompanions(skeleton, path);
  if (options.history === "full") return whole;
  const compaction = whole.findLastIndex((position) => skeleton.type(position) === "compaction");
  if (compaction === -1) return whole;
  const at = whole[compaction] as number;
  const kept = skeleton.keeps(at).flatMap((id) => {
    const position = skeleton.find(id);
    return position === -1 ? [] : [position];
  });
  const keptWhole = withCompanions(skeleton, kept).filter((position) => position !== at);
  const known = new Set(keptWhole);
  return [at, ...keptWhole, ...whole.slice(compaction + 1).filter((position) => !known.has(position))];
}

/** The current branch, oldest first. A cycle, which only damage can cause, ends the walk. */
function branch(skeleton: Skeleton): number[] {
  const path: number[] = [];
  const seen = new Uint8Array(skeleton.length);
  for (let at = skeleton.head; at !== -1 && seen[at] === 0; at = skeleton.parent(at)) {
    seen[at] = 1;
    path.push(at);
  }
  return path.reverse();
}

/**
 * Adds what belongs to the branch without being on it: parallel calls of one model message and their results
 * hang off the chain. The entries of a message come first, then the results of its calls in call order.
 */
function withCompanions(skeleton: Skeleton, path: readonly number[]): number[] {
  const onPath = new Uint8Array(skeleton.length);
  const ofTurn = new Map<number, number[]>();
  for (const position of path) {
    onPath[position] = 1;
    if (skeleton.turn(position) !== -1) ofTurn.set(skeleton.turn(position), []);
  }
  // Turns and calls are numbered from zero, and there are no more of them than entries.
  const called = new Uint8Array(skeleton.length);
  for (let position = 0; position < skeleton.length; position++) {
    const message = ofTurn.get(skeleton.turn(position));
    message?.push(position);
    const belongs = message !== undefined || onPath[position] === 1;
    if (belongs && skeleton.type(position) === "tool_call") called[skeleton.call(position)] = 1;
  }
  return arrange(skeleton, path, ofTurn, resultsOf(skeleton, called, onPath));
}

const NOWHERE = -1;

/** By call: the first result on the path if there is one, otherwise the last one written. */
function resultsOf(skeleton: Skeleton, called: Uint8Array, onPath: Uint8Array): Int32Array {
  const results = new Int32Array(skeleton.length).fill(NOWHERE);
  for (let position = 0; position < skeleton.length; position++) {
    if (skeleton.type(position) !== "tool_result") continue;
    const call = skeleton.call(position);
    if (called[call] === 1 && onPath[results[call] as number] !== 1) results[call] = position;
  }
  return results;
}

function arrange(
  skeleton: Skeleton,
  path: readonly number[],
  ofTurn: Map<number, number[]>,
  results: Int32Array,
): number[] {
  const order: number[] = [];
  const placed = new Uint8Array(skeleton.length);
  // A result stands after its call even where it was recorded before it.
  const isAnswer = (position: number) =>
    skeleton.type(position) === "tool_result" && results[skeleton.call(position)] === position;
  const place = (position: number) => {
    if (placed[position] === 1) return;
    placed[position] = 1;
    order.push(position);
  };
  for (const [index, position] of path.entries()) {
    if (placed[position] === 1 || isAnswer(position)) continue;
    const message = ofTurn.get(skeleton.turn(position)) ?? callsFrom(skeleton, path, index);
    for (const member of message) place(member);
    for (const member of message) {
      const result = skeleton.type(member) === "tool_call" ? results[skeleton.call(member)] : undefined;
      if (result !== undefined && result !== NOWHERE) place(result);
    }
  }
  // An answer whose call is reached through itself only, which damage can cause.
  for (const position of path) place(position);
  return order;
}

/** Without turns, calls that follow each other directly are one message; anything else is one of its own. */
function callsFrom(skeleton: Skeleton, path: readonly number[], index: number): readonly number[] {
  let end = index;
  const isCall = (position: number | undefined) =>
    position !== undefined && skeleton.type(position) === "tool_call" && skeleton.turn(position) === -1;
  while (isCall(path[end])) end++;
  return path.slice(index, Math.max(end, index + 1));
}

/** The visible part of a session as a session of its own: one thread, no compaction entries. */
export function visible(source: Source, options: VisibleOptions = {}): Stream {
  const order = visiblePositions(source.skeleton, options);
  const hidden = hiddenLosses(source.skeleton, order, options.from);
  const { head: _, ...header } = source.header;
  return {
    header,
    get losses() {
      return [...source.losses, ...hidden];
    },
    ...(source.records && { records: source.records }),
    entries: () =>
      mapped(inOrder(source, order, options.texts), (batch) =>
        batch.flatMap((entry) => {
          if (entry.type === "compaction") return standIns(entry);
          return entry.parent === undefined ? entry : withoutParent(entry);
        }),
      ),
    async *children() {
      const { from = 0, ...rest } = options;
      for await (const child of source.children())
        if (from === 0 || startedAt(source, child) >= from) yield visible(child, rest);
    },
  };
}

/** The position of the call that started a subagent, -1 where that is not known. */
function startedAt({ header, skeleton }: Source, child: Source): number {
  const { cli, originalId = child.header.id } = child.header.source;
  const link = header.links?.find((one) => one.type === "subagent" && one.session === `${cli}:${originalId}`);
  return link?.entry === undefined ? -1 : skeleton.find(link.entry);
}

function hiddenLosses(skeleton: Skeleton, order: readonly number[], from = 0): Loss[] {
  let count = -order.length;
  for (let position = from; position < skeleton.length; position++) if (!skeleton.note(position)) count++;
  if (count <= 0) return [];
  return [loss("history_hidden", {}, `${count} entries before a compaction or on other branches`)];
}

/** The current branch as it was recorded, compactions and what they hid included: what the same agent keeps. */
export function thread(source: Source): Stream {
  const order = threadPositions(source.skeleton, { history: "full" });
  return {
    header: source.header,
    get losses() {
      return source.losses;
    },
    ...(source.records && { records: source.records }),
    entries: () => inOrder(source, order),
    async *children() {
      for await (const child of source.children()) yield thread(child);
    },
  };
}

/** For sessions in memory. */
export async function visibleEntries(session: Session, options: VisibleOptions = {}): Promise<Entry[]> {
  return Array.fromAsync(visible(sourceOf(session), options).entries());
}

/** Reads the file once and holds back what comes before its turn. */
function inOrder(
  source: Source,
  order: readonly number[],
  texts: Range["texts"] = "whole",
): AsyncIterable<Entry> {
  const { from, to, early } = reach(order);
  const held = new Map<number, Entry>();
  let due = 0;
  let position = from;
  return mapped(source.entries({ from, to: to + 1, texts }), (batch) => {
    const found: Entry[] = [];
    for (const entry of batch) {
      if (position === order[due]) {
        due++;
        found.push(entry);
      } else if (early.has(position)) held.set(position, entry);
      position++;
      if (held.size === 0) continue;
      for (let next = held.get(order[due] ?? -1); next; next = held.get(order[due] ?? -1)) {
        held.delete(order[due] as number);
        due++;
        found.push(next);
      }
    }
    return found;
  });
}

/** Where reading begins and ends, and which entries are read before it is their turn: hardly any. */
function reach(order: readonly number[]): { from: number; to: number; early: ReadonlySet<number> } {
  let from = order.length === 0 ? 0 : Number.POSITIVE_INFINITY;
  let to = -1;
  const early = new Set<number>();
  for (const position of order) {
    if (position < to) early.add(position);
    from = Math.min(from, position);
    to = Math.max(to, position);
  }
  return { from, to, early };
}

function withoutParent(entry: Entry): Entry {
  const { parent: _, ...rest } = entry;
  return rest as Entry;
}

/** What the model sees in place of the history that a compaction took away. */
function standIns(entry: Compaction): Entry[] {
  if (entry.replacement) return entry.replacement as Entry[];
  return entry.summary ? [summaryOf(entry)] : [];
}

function summaryOf(entry: Compaction): UserEntry {
  return {
    id: entry.id,
    timestamp: entry.timestamp,
    type: "user",
    content: entry.summary ?? "",
    injected: true,
    ...(entry.records && { records: entry.records }),
  };
}
