// Compares a session with its own records: which of them still say what the session says, which were changed
// or taken out, what was put in between, and what was changed that no record can say.
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Loss, loss } from "../../session/losses.ts";
import type { Entry, Header, Usage } from "../../session/session.ts";
import { type Skeleton, skeletonBuilder } from "../../session/skeleton.ts";
import type { Folded, Stream } from "../../session/source.ts";
import { visiblePositions } from "../../transform/visible.ts";
import { headerBuilder } from "../header.ts";
import { isObject, recordOf } from "./native.ts";
import { entriesOf, type Replayed, replay } from "./replay.ts";

export interface Survey {
  /** Every record stands in the envelope that today's CLI reads. */
  isEnveloped: boolean;
  /** Records from here on are left behind: they only say what is no longer part of the session. */
  limit: number;
  total: number;
  /** How many entries have their own record. */
  kept: number;
  /** Records with an entry that says something else now, or is gone. */
  touched: Set<number>;
  /** Places in the stream of entries that have no record of their own. */
  added: Set<number>;
  /** Places in the stream of entries that a rewind had taken back. */
  rewound: Set<number>;
  /** Facts of the session as a whole that the records tell otherwise. */
  project: Header["project"] | undefined;
  /** Whether the session itself has a call with this id. */
  hasCall(id: string): boolean;
  losses: Loss[];
}

/** What the stream says of one entry of a record. */
interface Wanted {
  at: number;
  id: string;
  type: Entry["type"];
  mark: string;
  /** What other records tell of it. */
  beside: Beside;
}

type Beside = Pick<Entry, "parent" | "usage" | "turn">;

/** `whole`: the session keeps its id, so that all of its records stay but for those of entries taken out. */
export async function surveyOf(stream: Stream, whole: boolean): Promise<Survey> {
  const wanted = await wantedOf(stream);
  const last = whole ? Number.POSITIVE_INFINITY : wanted.last;
  const found = await compared(stream, wanted, last);
  const { skeleton } = found;
  const branch = branchOf(skeleton);
  const hasOthers = found.matched.some((at, position) => at !== undefined && !branch.has(position));
  const touched = new Set(found.changed);
  const rewound = new Set<number>();
  for (let position = 0; position < skeleton.length; position++) {
    const at = found.matched[position];
    // Without a single entry of another branch it is the thread alone that was asked for.
    if (at === undefined && (branch.has(position) || hasOthers))
      touched.add(found.records[position] as number);
    if (at !== undefined && !branch.has(position)) rewound.add(at);
  }
  return {
    isEnveloped: found.isEnveloped,
    limit: whole || found.lastSaying <= wanted.last ? found.total : wanted.last + 1,
    total: found.total,
    kept: found.matched.filter((at) => at !== undefined).length,
    touched,
    added: new Set([...wanted.loose, ...found.strangers]),
    rewound,
    project: isDeepStrictEqual(plain(stream.header.project), plain(found.header.project))
      ? undefined
      : stream.header.project,
    hasCall: (id) => skeleton.find(id) !== -1,
    losses: [...headerEdits(stream.header, found.header, found), ...entryEdits(found), ...moved(found)],
  };
}

interface WantedEntries {
  /** By record. */
  entries: Map<number, Wanted[]>;
  loose: number[];
  last: number;
}

async function wantedOf(stream: Stream): Promise<WantedEntries> {
  const wanted: WantedEntries = { entries: new Map(), loose: [], last: -1 };
  let at = 0;
  for await (const entry of stream.entries()) {
    const record = entry.records?.at(-1);
    if (record === undefined) wanted.loose.push(at);
    else {
      const { id, type, parent, usage, turn } = entry;
      const one: Wanted = { at, id, type, mark: markOf(entry), beside: { parent, usage, turn } };
      const known = wanted.entries.get(record);
      if (known) known.push(one);
      else wanted.entries.set(record, [one]);
      wanted.last = Math.max(wanted.last, record);
    }
    at++;
  }
  return wanted;
}

/** Equal for entries with the same content; what is known from other records only is left aside. */
function markOf(entry: Entry): string {
  const { parent: _parent, usage: _usage, note: _note, turn: _turn, records: _records, ...rest } = entry;
  return hash("sha1", JSON.stringify(sorted(rest)), "base64");
}

/** The order of keys may change on the way through a file; their values may not. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return Object.fromEntries(keys.sort().map((key) => [key, sorted(value[key])]));
}

interface Compared {
  skeleton: Skeleton;
  /** By position in the skeleton: the record, and the place in the stream. */
  records: number[];
  matched: (number | undefined)[];
  besides: { position: number; wanted: Beside }[];
  changed: number[];
  /** Places in the stream of entries that name a record which has no such entry. */
  strangers: number[];
  usages: Map<string, Usage>;
  turns: (string | undefined)[];
  header: Header;
  isEnveloped: boolean;
  total: number;
  lastSaying: number;
}

async function compared(stream: Stream, wanted: WantedEntries, last: number): Promise<Compared> {
  const builder = skeletonBuilder();
  const header = headerOf(stream.header);
  const lists = { records: [], matched: [], besides: [], changed: [], strangers: [], turns: [] };
  const facts = { usages: new Map<string, Usage>(), isEnveloped: true, total: 0, lastSaying: -1 };
  const found: Omit<Compared, "skeleton" | "header"> = { ...lists, ...facts };
  let head: Extract<Folded, { type: "head" }> | undefined;
  for await (const replayed of replay(stream)) {
    const { record, value, folded } = replayed;
    found.total++;
    if (recordOf(value) && !(isObject(value) && isObject(value.payload))) found.isEnveloped = false;
    if (folded.some(({ type }) => type === "entry")) found.lastSaying = record.index;
    for (const one of folded) {
      if (one.type === "entry") header.entry(one.entry);
      else if (one.type === "header") header.patch(one.patch);
      else if (one.type === "usage") found.usages.set(one.turn, one.usage);
    }
    if (record.index > last) continue;
    for (const one of folded) {
      if (one.type === "entry") builder.add(one.entry, one.keepsRun);
      else if (one.type === "link") builder.link(one.id, one.parent, one.alias);
      else if (one.type === "head") head = one;
    }
    compareRecord(replayed, wanted.entries.get(record.index) ?? [], found);
  }
  for (const [record, entries] of wanted.entries)
    if (record >= found.total) found.strangers.push(...entries.map(({ at }) => at));
  const skeleton = builder.finish(head?.id, head?.unlessFollowed);
  const isLast = skeleton.head === skeleton.length - 1;
  const headId = isLast ? undefined : skeleton.id(skeleton.head);
  return { ...found, skeleton, header: header.finish(found.usages, headId) };
}

function headerOf({ source }: Header) {
  const ref = { agent: "codex", originalId: source.originalId ?? "", path: "", files: [] };
  return headerBuilder("codex", ref, "openai");
}

function compareRecord(
  { record, folded }: Replayed,
  wanted: readonly Wanted[],
  found: Omit<Compared, "skeleton" | "header">,
): void {
  const left = [...wanted];
  for (const entry of entriesOf(folded)) {
    const at = left.findIndex(({ id, type }) => id === entry.id && type === entry.type);
    const [one] = at === -1 ? [] : left.splice(at, 1);
    if (one) found.besides.push({ position: found.records.length, wanted: one.beside });
    found.records.push(record.index);
    found.matched.push(one?.at);
    found.turns.push(entry.turn);
    if (one && one.mark !== markOf(entry)) found.changed.push(record.index);
  }
  found.strangers.push(...left.map(({ at }) => at));
}

function branchOf(skeleton: Skeleton): Set<number> {
  const branch = new Set<number>();
  for (let at = skeleton.head; at !== -1 && !branch.has(at); at = skeleton.parent(at)) branch.add(at);
  return branch;
}

function ignored(entry: string | undefined, detail: string): Loss {
  return loss("edit_ignored", entry === undefined ? {} : { entry }, detail);
}

/** Fields of the header that come from many records, or from outside of them. The project is written. */
function headerEdits(header: Header, recorded: Header, { skeleton }: Compared): Loss[] {
  const losses: Loss[] = [];
  for (const field of ["title", "summary", "model", "links"] as const)
    if (!isDeepStrictEqual(plain(header[field]), plain(recorded[field])))
      losses.push(ignored(undefined, field));
  for (const field of ["created", "tokens", "cost"] as const)
    if (!isDeepStrictEqual(plain(header.metadata[field]), plain(recorded.metadata[field])))
      losses.push(ignored(undefined, `metadata.${field}`));
  const newest = skeleton.id(skeleton.head);
  if (header.head !== undefined && header.head !== newest) losses.push(ignored(header.head, "head"));
  return losses;
}

/** As it stands in a file, without fields that are not set. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : sorted(JSON.parse(JSON.stringify(value)));
}

/** What other records tell of an entry: whom it follows, which message it is of, and what that cost. */
function entryEdits({ besides, skeleton, usages, turns }: Compared): Loss[] {
  const lastOfTurn = new Map<string, number>();
  for (const [position, turn] of turns.entries()) if (turn !== undefined) lastOfTurn.set(turn, position);
  return besides.flatMap(({ position, wanted }) => {
    const id = skeleton.id(position);
    const turn = turns[position];
    const parent = skeleton.parent(position);
    const usage = turn !== undefined && lastOfTurn.get(turn) === position ? usages.get(turn) : undefined;
    const names: string[] = [];
    const follows = parent === -1 ? null : skeleton.id(parent);
    if (wanted.parent !== undefined && wanted.parent !== follows) names.push("parent");
    if (wanted.turn !== undefined && wanted.turn !== turn) names.push("turn");
    if (wanted.usage !== undefined && !isDeepStrictEqual(plain(wanted.usage), plain(usage)))
      names.push("usage");
    return names.length === 0 ? [] : [ignored(id, names.join(", "))];
  });
}

/** Records stay in their order, whatever the order of the entries. */
function moved({ matched, skeleton }: Compared): Loss[] {
  const isAscending = (places: readonly (number | undefined)[]) => {
    const known = places.filter((place) => place !== undefined);
    return known.every((place, at) => at === 0 || place > (known[at - 1] as number));
  };
  if (isAscending(matched)) return [];
  const inThread = visiblePositions(skeleton, { history: "full" }).map((position) => matched[position]);
  return isAscending(inThread) ? [] : [ignored(undefined, "the order of the entries")];
}
