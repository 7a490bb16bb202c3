// What the survey says of each line: what is read of it, and what that follows where it is not the line before.
import type { Run } from "../../session/source.ts";
import { type Compacted, type Finished, isNode, type Node, type Point } from "./history.ts";
import { type Message, membersOf } from "./native.ts";

export interface Ruling {
  /** Nothing is read of the message on this line. */
  skip?: true;
  /** For the message on this line. */
  message?: MessageRuling;
  /** For the messages of a list on this line, by their place: those that are read. */
  members?: Map<number, MessageRuling>;
  /** Lists that took the place of the history. */
  compactions?: CompactionRuling[];
  /** All messages were taken back in the end. */
  isEmptied?: true;
}

export interface MessageRuling {
  /** A name of what it follows, null for nothing; absent = what was read before. */
  after?: string | null;
  /** Others name it. */
  isNamed?: true;
  /** It is the newest of the current branch. */
  isHead?: true;
}

export interface CompactionRuling extends MessageRuling {
  id: string;
  /** Messages of the list up to this place are what replaced the history. */
  until: number;
  keeps?: Run;
}

/** What of a list took the place of the history. */
export function membersUntil(items: readonly unknown[], { until }: CompactionRuling): Message[] {
  return membersOf(items).flatMap(([at, one]) => (at < until ? [one] : []));
}

/** Whether nothing at the end of the list was there before. */
export const isAll = ({ until }: CompactionRuling): boolean => until === Number.POSITIVE_INFINITY;

/** A line with what the survey said of it. */
export class Ruled {
  readonly value: unknown;
  readonly ruling: Ruling | undefined;

  constructor(value: unknown, ruling: Ruling | undefined) {
    this.value = value;
    this.ruling = ruling;
  }
}

/** How others name the first and the last entry of a message. */
export const firstOf = (id: string) => `first:${id}`;
export const endOf = (id: string) => `end:${id}`;

type Item = { point: Point; ruling: MessageRuling };

export function rulingsOf(finished: Finished): ReadonlyMap<number, Ruling> {
  const rulings = new Map<number, Ruling>();
  for (const record of finished.dropped) rulings.set(record, { skip: true });
  const items = new Map<Point, Item>();
  const ids = new Map<Compacted, string>();
  const of = (record: number) => {
    const known = rulings.get(record) ?? {};
    rulings.set(record, known);
    return known;
  };
  const nameOf = (point: Point | undefined): string | null => {
    if (!point) return null;
    if (!isNode(point)) return ids.get(point) ?? null;
    const item = items.get(point);
    if (item) item.ruling.isNamed = true;
    return endOf(point.id);
  };
  for (const compaction of finished.compactions)
    ids.set(compaction, `set-${compaction.record}-${compaction.members.length}`);

  const shown = [...finished.nodes.filter(({ isShown }) => isShown), ...finished.compactions];
  shown.sort((a, b) => a.record - b.record || placeOf(a) - placeOf(b));
  for (const point of shown) items.set(point, { point, ruling: {} });
  let before: Point | undefined;
  for (const { point, ruling } of items.values()) {
    const follows = spoken(point.before);
    if (follows !== before) ruling.after = nameOf(follows);
    before = isNode(point) && !point.isSpoken ? follows : point;
    if (isNode(point)) place(of(point.record), point, ruling);
    else place(of(point.record), compactionRuling(point, ids, ruling, nameOf), ruling);
  }
  conclude(finished, before, items, shown, of, nameOf);
  return compressed(rulings);
}

function placeOf(point: Point): number {
  return isNode(point) ? point.place : Number.MAX_SAFE_INTEGER;
}

/** What is no longer read cannot be followed. */
function spoken(point: Point | undefined): Point | undefined {
  let found = point;
  while (isNode(found) && !found.isShown) found = found.before;
  return found;
}

function place(ruling: Ruling, what: Node | CompactionRuling, own: MessageRuling): void {
  if ("until" in what) {
    ruling.compactions ??= [];
    ruling.compactions.push(what);
  } else if (what.place === -1) {
    delete ruling.skip;
    ruling.message = own;
  } else {
    ruling.members ??= new Map();
    ruling.members.set(what.place, own);
  }
}

function compactionRuling(
  compaction: Compacted,
  ids: ReadonlyMap<Compacted, string>,
  ruling: MessageRuling,
  nameOf: (point: Point) => string | null,
): CompactionRuling {
  const kept = compaction.kept.filter(({ isShown }) => isShown);
  const [first, last] = [kept[0], kept.at(-1)];
  for (const one of [first, last]) if (one) nameOf(one);
  const keeps = first && last ? { keeps: { from: firstOf(first.id), to: endOf(last.id) } } : {};
  return Object.assign(ruling, { id: ids.get(compaction) ?? "", until: compaction.until, ...keeps });
}

/** The newest entry is the last one read, unless something was taken back after it. */
function conclude(
  { tail }: Finished,
  before: Point | undefined,
  items: ReadonlyMap<Point, Item>,
  shown: readonly Point[],
  of: (record: number) => Ruling,
  nameOf: (point: Point) => string | null,
): void {
  const head = spoken(tail);
  const last = shown.at(-1);
  if (head === before || !last) return;
  if (!head) {
    of(last.record).isEmptied = true;
    return;
  }
  nameOf(head);
  const item = items.get(head);
  if (item) item.ruling.isHead = true;
}

/** Most lines of most files are read as they stand. */
function compressed(rulings: Map<number, Ruling>): ReadonlyMap<number, Ruling> {
  for (const [record, ruling] of rulings) {
    const isPlain = ruling.message && Object.keys(ruling.message).length === 0;
    if (isPlain && !ruling.members && !ruling.isEmptied) rulings.delete(record);
  }
  return rulings;
}
