// A pass over the records of a session: gathers what the catalog wants of them, and knows where it can go on later.
import type { Listing } from "../../adapters/glance.ts";
import { type HeaderState, headerBuilder } from "../../adapters/header.ts";
import type { Reading } from "../../adapters/open.ts";
import type { Loss } from "../../session/losses.ts";
import type { Entry } from "../../session/session.ts";
import type { Folded, HeaderPatch } from "../../session/source.ts";
import { type Position, START } from "../../storage/position.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { problemsIn } from "../scan.ts";
import { newBeside } from "./beside.ts";
import { newDocs, type OpenCall, type Place, type Put } from "./docs.ts";
import type { newOrder } from "./order.ts";
import { newUsages, type UsageState } from "./usages.ts";

/** Plain JSON. */
export interface Cursor {
  at: Position;
  state: unknown;
  header: HeaderState;
  /** How many entries came before. */
  entries: number;
  calls: OpenCall[];
  usages: UsageState;
  /** Names of files beside the session whose words are in the index. */
  outputs: string[];
  problems: string[];
  /** Problems that only the order of all entries shows; absent = nobody has looked. */
  structure?: string[];
  /** What stands before it in the file, to know the file again. */
  print?: string;
}

export const LISTED_PROBLEMS = 20;
const NEWLINE = 10;

export type Pass = ReturnType<typeof newPass>;

/** `put`: absent when no words are wanted. */
export function newPass(
  agent: string,
  reading: Reading<unknown>,
  from: Cursor | undefined,
  put: Put | undefined,
  order: Order,
) {
  const { fold } = reading;
  const state = from?.state ?? fold.initial(reading.ref);
  const gathered = newGathered(agent, reading, from, put, order);
  const { header, usages, beside, docs } = gathered;
  const problems = from?.problems ?? [];
  /** Of records that are not complete yet: they are read again. */
  const provisional: Loss[] = [];
  let at: Position = from?.at ?? START;
  let cursor: Cursor | undefined;

  /** Of things that go on changing: whoever keeps it for longer takes a copy. */
  const snapshot = (): Cursor => ({
    at,
    state,
    header: header.state(),
    entries: gathered.entries(),
    calls: docs.calls(),
    usages: usages.state(),
    outputs: beside.names(),
    problems: problems.slice(0, LISTED_PROBLEMS),
  });
  const note = (found: Loss) => {
    if (cursor) provisional.push(found);
    else if (problems.length < LISTED_PROBLEMS) problems.push(...problemsIn([found]));
  };
  const step = (record: NativeRecord) => {
    for (const folded of fold.step(state, record))
      if (folded.type === "loss") note(folded.loss);
      else gathered.add(folded);
  };

  return {
    size: docs.size,
    record(record: NativeRecord) {
      // What comes behind a line that is still being written is read again with it, so the cursor stays before it.
      if (!record.terminated) cursor ??= structuredClone(snapshot());
      gathered.begin(record, cursor !== undefined);
      for (const found of record.losses) note(found);
      step(record);
      at = behind(record);
    },
    /** A record at a glance; false when there is a problem that a glance cannot tell. */
    value(value: unknown, index: number, offset: number, length: number): boolean {
      const place = { index, offset, length };
      gathered.begin(place, false);
      if (!fold.glance?.(state, value, index, gathered.listing))
        step(recordOf(value, place, put !== undefined));
      at = { offset: offset + length, index: index + 1, line: index + 2 };
      return put !== undefined || (problems.length === 0 && order.isPlain());
    },
    /** The cursor has to be stored before the next record. */
    take: () => ({ docs: docs.take(), usages: usages.take(), cursor: cursor ?? snapshot() }),
    finish() {
      docs.addBeside();
      if (cursor) cursor.outputs = beside.names();
      const found = order.finish(reading);
      const { costPlace } = usages.state();
      return { header: header.finish(usages.all(), found.head), order: found, provisional, costPlace };
    },
  };
}

type Order = ReturnType<typeof newOrder>;

/** What records say, whether they are folded or glanced at. */
function newGathered(
  agent: string,
  { ref, provider, extra }: Reading<unknown>,
  from: Cursor | undefined,
  put: Put | undefined,
  order: Order,
) {
  const header = headerBuilder(agent, ref, provider, extra, from?.header);
  const usages = newUsages(provider, from?.usages);
  const beside = newBeside(ref, from?.outputs);
  const docs = newDocs(beside, put, from?.calls);
  let entries = from?.entries ?? 0;
  let place: Place = NOWHERE;
  let isPassing = false;
  const patch = (facts: HeaderPatch) => {
    header.patch(facts);
    usages.note(facts);
  };
  const addEntry = (entry: Entry) => {
    header.entry(entry);
    usages.entry(entry);
    if (docs.isOrphan(entry)) order.doubt();
    docs.add(entry, entries, place, isPassing);
    entries++;
  };
  const listing: Listing = {
    isWhole: put !== undefined,
    entry(entry) {
      order.add({ type: "entry", entry });
      addEntry(entry);
    },
    alias: (id, entry) => order.add({ type: "link", id, parent: entry, alias: true }),
    usage: usages.add,
    patch,
  };
  return {
    ...{ header, usages, beside, docs, listing },
    entries: () => entries,
    /** The record that what follows is from, and whether it will be read again. */
    begin(record: Place, passing: boolean) {
      place = record;
      isPassing = passing;
      usages.at(record.index);
    },
    add(folded: Exclude<Folded, { type: "loss" }>) {
      if (folded.type === "usage") usages.add(folded);
      else if (folded.type === "header") patch(folded.patch);
      else order.add(folded);
      if (folded.type === "entry") addEntry(folded.entry);
    },
  };
}

const NOWHERE: Place = { index: 0, offset: 0, length: 0 };
const NO_BYTES = Buffer.alloc(0);

function recordOf(value: unknown, { index, offset, length }: Place, whole: boolean): NativeRecord {
  const line = index + 1;
  return { index, line, offset, length, value, whole, terminated: true, losses: [], bytes: NO_BYTES };
}

function behind({ offset, length, index, line, bytes }: NativeRecord): Position {
  const isLine = bytes.at(-1) === NEWLINE;
  return { offset: offset + length, index: index + 1, line: line + (isLine ? 1 : 0) };
}
