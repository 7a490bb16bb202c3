// What the model would see if the native CLI resumed the session now: the current branch, from the last
// compaction on. Readers have already turned each vendor's rules into head, parent and compaction, so there
// are no agent cases here.
import type { Compaction, Entry, Session, UserEntry } from "../session/session.ts";
import type { Skeleton } from "../session/skeleton.ts";
import { type Source, type Stream, sourceOf } from "../session/source.ts";

export interface VisibleOptions {
  /** visible = from the last compaction on; full = the whole branch, compacted history included. */
  history?: "visible" | "full";
}

/** Positions of the visible entries in the order in which the model sees them. */
export function visiblePositions(skeleton: Skeleton, options: VisibleOptions = {}): number[] {
  return threadPositions(skeleton, options).filter((position) => !skeleton.note(position));
}

function threadPositions(skeleton: Skeleton, options: VisibleOptions): number[] {
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
  const seen = new Set<number>();
  for (let at = skeleton.head; at !== -1 && !seen.has(at); at = skeleton.parent(at)) {
    seen.add(at);
    path.push(at);
  }
  return path.reverse();
}

/**
 * Adds what belongs to the branch without being on it: parallel calls of one model message and their results
 * hang off the chain. The entries of a message come first, then the results of its calls in call order.
 */
function withCompanions(skeleton: Skeleton, path: readonly number[]): number[] {
  const turns = new Set<number>();
  const calls = new Set<number>();
  for (const position of path) if (skeleton.turn(position) !== -1) turns.add(skeleton.turn(position));
  const ofTurn = new Map<number, number[]>();
  for (let position = 0; position < skeleton.length; position++) {
    const turn = skeleton.turn(position);
    if (turn === -1 || !turns.has(turn)) continue;
    const known = ofTurn.get(turn);
    if (known) known.push(position);
    else ofTurn.set(turn, [position]);
  }
  const onPath = new Set(path);
  for (const position of path)
    if (skeleton.type(position) === "tool_call") calls.add(skeleton.call(position));
  for (const positions of ofTurn.values())
    for (const position of positions)
      if (skeleton.type(position) === "tool_call") calls.add(skeleton.call(position));
  const results = resultsOf(skeleton, calls, onPath);
  return arrange(skeleton, path, ofTurn, results);
}

/** The result of each call: the first one on the path if there is one, otherwise the last one written. */
function resultsOf(skeleton: Skeleton, calls: Set<number>, onPath: Set<number>): Map<number, number> {
  const results = new Map<number, number>();
  for (let position = 0; position < skeleton.length; position++) {
    if (skeleton.type(position) !== "tool_result") continue;
    const call = skeleton.call(position);
    if (!calls.has(call)) continue;
    const known = results.get(call);
    if (known === undefined || !onPath.has(known)) results.set(call, position);
  }
  return results;
}

function arrange(
  skeleton: Skeleton,
  path: readonly number[],
  ofTurn: Map<number, number[]>,
  results: Map<number, number>,
): number[] {
  const order: number[] = [];
  const placed = new Set<number>();
  // A result stands after its call even where it was recorded before it.
  const isAnswer = (position: number) =>
    skeleton.type(position) === "tool_result" && results.get(skeleton.call(position)) === position;
  const place = (position: number) => {
    if (placed.has(position)) return;
    placed.add(position);
    order.push(position);
  };
  for (const [index, position] of path.entries()) {
    if (placed.has(position) || isAnswer(position)) continue;
    const message = ofTurn.get(skeleton.turn(position)) ?? callsFrom(skeleton, path, index);
    for (const member of message) place(member);
    for (const member of message) {
      const result = skeleton.type(member) === "tool_call" ? results.get(skeleton.call(member)) : undefined;
      if (result !== undefined) place(result);
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
  const { head: _, ...header } = source.header;
  return {
    header,
    losses: source.losses,
    ...(source.records && { records: source.records }),
    async *entries() {
      for await (const entry of inOrder(source, order)) yield* expand(entry);
    },
    async *children() {
      for await (const child of source.children()) yield visible(child, options);
    },
  };
}

/** The current branch as it was recorded, compactions and what they hid included: what the same agent keeps. */
export function thread(source: Source): Stream {
  const order = threadPositions(source.skeleton, { history: "full" });
  return {
    header: source.header,
    losses: source.losses,
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
async function* inOrder(source: Source, order: readonly number[]): AsyncGenerator<Entry> {
  if (order.length === 0) return;
  const wanted = new Set(order);
  let from = Number.POSITIVE_INFINITY;
  let to = -1;
  for (const position of order) {
    from = Math.min(from, position);
    to = Math.max(to, position);
  }
  const held = new Map<number, Entry>();
  let due = 0;
  let position = from;
  for await (const entry of source.entries({ from, to: to + 1 })) {
    if (wanted.has(position)) held.set(position, entry);
    position++;
    for (let next = held.get(order[due] ?? -1); next; next = held.get(order[due] ?? -1)) {
      held.delete(order[due] as number);
      due++;
      yield next;
    }
  }
}

function* expand(entry: Entry): Generator<Entry> {
  if (entry.type !== "compaction") {
    const { parent: _, ...rest } = entry;
    yield rest as Entry;
  } else if (entry.replacement) yield* entry.replacement as Entry[];
  else if (entry.summary) yield summaryOf(entry);
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
