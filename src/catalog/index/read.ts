// Reads a session for the catalog, in one pass: what a list shows, the tokens of each message, the words of every
// text, and what the model does not see any more. Where reading stopped is a cursor; a file that grew is read from
// there on. A large session comes in several pieces, each of which can be stored by itself.
import type { Reader, SessionRef } from "../../adapters/adapter.ts";
import type { Listing } from "../../adapters/glance.ts";
import { type HeaderState, headerBuilder } from "../../adapters/header.ts";
import { conclude, type Reading } from "../../adapters/open.ts";
import type { Loss } from "../../session/losses.ts";
import type { Entry, Header } from "../../session/session.ts";
import type { HeaderPatch } from "../../session/source.ts";
import { type Position, START } from "../../storage/position.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { problemsIn } from "../scan.ts";
import { newBeside } from "./beside.ts";
import { newOrder, plainOrder, seenWhole } from "./order.ts";
import { filesOf, textsOf, toolOf } from "./texts.ts";
import { type MessageUsage, newUsages, type UsageState } from "./usages.ts";

/** A text on its way into the index. */
export interface Doc {
  position: number;
  /** The entry's id. */
  entry: string;
  scope: number;
  tool?: string | undefined;
  file?: string | undefined;
  /** The native record. */
  record: number;
  offset: number;
  length: number;
  /** As UTF-8. */
  text: Uint8Array;
  /** Of a record that is not complete yet and will be read again. */
  passing: boolean;
}

/** Plain JSON. */
export interface Cursor {
  at: Position;
  state: unknown;
  header: HeaderState;
  /** How many entries came before. */
  entries: number;
  /** Calls without a result so far: their tool and files. */
  calls: [id: string, tool: string, file?: string | null][];
  usages: UsageState;
  /** Names of files beside the session whose words are in the index. */
  outputs: string[];
  problems: string[];
  /** Problems that only the order of all entries shows; absent = nobody has looked. */
  structure?: string[];
  /** What stands before it in the file, to know the file again. */
  print?: string;
}

export interface Piece {
  docs: Doc[];
  usages: MessageUsage[];
  /** Undefined when nothing could be read, or the session will be read as a whole again. */
  cursor: Cursor | undefined;
  /** Whether it goes on from what was stored before; otherwise it takes its place. */
  isContinued: boolean;
  /** Once the end is reached. */
  end?: {
    header: Header;
    problems: string[];
    /** See `cost_place` in schema.ts. */
    costPlace?: number | undefined;
    /** See `hidden` in schema.ts; undefined = as it was. */
    hidden: Uint8Array | null | undefined;
    /** Whether the header's tokens are those of the whole session, not of what was read now. */
    isWhole: boolean;
    /** False when it is worth trying again, although its files have not changed. */
    isLasting?: boolean;
    /** It could not be read: what is known of it from before stays. */
    isUnread?: true;
  };
}

export interface IndexOptions {
  /** Whether words are wanted; a list needs none, and reads faster without. */
  words: boolean;
  begun?: Cursor | undefined;
  /** Whether the catalog has nothing of it. */
  isNew?: boolean;
  /** Keeps a text until its piece is stored. */
  put(text: string): Uint8Array;
}

/** So many characters make a piece. */
const PIECE = 4 << 20;
const OPEN_CALLS = 200;
const LISTED_PROBLEMS = 20;
const NEWLINE = 10;
/** Nobody else is heard while a session is glanced at, and its words wait until all of it is read. */
const LARGEST_GLANCE = 32 << 20;

export async function* readSession(
  adapter: Reader,
  ref: SessionRef,
  { words, begun, isNew = false, put }: IndexOptions,
): AsyncGenerator<Piece> {
  const reading = await adapter.reading(ref);
  const kept = words ? put : undefined;
  const glanced = isNew ? glanceAt(adapter.id, reading, kept) : undefined;
  const from = reading.goesOn && !glanced ? begun : undefined;
  const pass = glanced ?? newPass(adapter.id, reading, from, kept, newOrder(from !== undefined));
  let isContinued = from !== undefined;
  if (!glanced)
    for await (const batch of reading.read({ from: from?.at ?? START, shrink: !words, valuesOnly: !words })) {
      for (const record of batch) pass.record(record);
      if (pass.size() >= PIECE) {
        yield { ...pass.take(), isContinued };
        isContinued = true;
      }
    }
  const { header, order, provisional, costPlace } = pass.finish();
  const concluded = await conclude(reading, header);
  const piece = pass.take();
  const { hidden, structure } = await seenWhole(adapter, ref, order, from?.structure);
  piece.cursor.structure = structure.slice(0, LISTED_PROBLEMS);
  const problems = new Set([
    ...piece.cursor.problems,
    ...problemsIn(reading.extra?.losses ?? []),
    ...structure,
    ...problemsIn([...provisional, ...concluded.losses]),
  ]);
  // Nothing will ever go on from where reading cannot, nor from where only a list was wanted of a new session.
  const isEnd = !reading.goesOn || (glanced !== undefined && !words);
  yield {
    ...piece,
    ...(isEnd && { cursor: undefined }),
    isContinued,
    end: {
      header: concluded.header,
      hidden,
      costPlace,
      problems: [...problems].slice(0, LISTED_PROBLEMS),
      isWhole: from === undefined,
    },
  };
}

/**
 * A pass over a new session without waiting; undefined where it takes more to read it. For a list it ends at the first
 * problem: what it may mean is for `read` to tell.
 */
function glanceAt(
  agent: string,
  reading: Reading<unknown>,
  put: IndexOptions["put"] | undefined,
): ReturnType<typeof newPass> | undefined {
  const isWhole = put !== undefined;
  // Files beside the session are named by whole results.
  if (!reading.glance || (isWhole && reading.ref.files.some(({ role }) => role === "tool_result")))
    return undefined;
  const pass = newPass(agent, reading, undefined, put, isWhole ? newOrder(false) : plainOrder());
  const largest = isWhole ? PIECE : LARGEST_GLANCE;
  return reading.glance(pass.value, { isWhole, largest }) ? pass : undefined;
}

/** `put`: absent when no words are wanted. */
function newPass(
  agent: string,
  reading: Reading<unknown>,
  from: Cursor | undefined,
  put: IndexOptions["put"] | undefined,
  order: ReturnType<typeof newOrder>,
) {
  const { fold, ref } = reading;
  const state = from?.state ?? fold.initial(ref);
  const header = headerBuilder(agent, ref, reading.provider, reading.extra, from?.header);
  const usages = newUsages(reading.provider, from?.usages);
  const beside = newBeside(ref, from?.outputs);
  const texts = newTexts(beside, put, from?.calls);
  const problems = from?.problems ?? [];
  /** Of records that are not complete yet: they are read again. */
  const provisional: Loss[] = [];
  let entries = from?.entries ?? 0;
  let at: Position = from?.at ?? START;
  let cursor: Cursor | undefined;

  /** Of things that go on changing: whoever keeps it for longer takes a copy. */
  const snapshot = (): Cursor => ({
    at,
    state,
    header: header.state(),
    entries,
    calls: texts.calls(),
    usages: usages.state(),
    outputs: beside.names(),
    problems: problems.slice(0, LISTED_PROBLEMS),
  });
  const note = (found: Loss) => {
    if (cursor) provisional.push(found);
    else if (problems.length < LISTED_PROBLEMS) problems.push(...problemsIn([found]));
  };
  const addEntry = (entry: Entry, record: Place) => {
    header.entry(entry);
    usages.entry(entry);
    if (texts.isOrphan(entry)) order.doubt();
    texts.add(entry, entries, record, cursor !== undefined);
    entries++;
  };
  const patch = (facts: HeaderPatch) => {
    header.patch(facts);
    usages.note(facts);
  };
  const step = (record: NativeRecord) => {
    for (const folded of fold.step(state, record)) {
      if (folded.type === "loss") note(folded.loss);
      else if (folded.type === "usage") usages.add(folded);
      else if (folded.type === "header") patch(folded.patch);
      else order.add(folded);
      if (folded.type === "entry") addEntry(folded.entry, record);
    }
  };
  /** The record that is being glanced at. */
  let place: Place = { index: 0, offset: 0, length: 0 };
  const listing: Listing = {
    isWhole: put !== undefined,
    entry(entry) {
      order.add({ type: "entry", entry });
      addEntry(entry, place);
    },
    alias: (id, entry) => order.add({ type: "link", id, parent: entry, alias: true }),
    usage: usages.add,
    patch,
  };

  return {
    size: texts.size,
    record(record: NativeRecord) {
      // What comes behind a line that is still being written is read again with it, so the cursor stays before it.
      if (!record.terminated) cursor ??= structuredClone(snapshot());
      usages.at(record.index);
      for (const found of record.losses) note(found);
      step(record);
      at = behind(record);
    },
    /** A record at a glance; false when there is a problem that a glance cannot tell. */
    value(value: unknown, index: number, offset: number, length: number): boolean {
      usages.at(index);
      place = { index, offset, length };
      if (!fold.glance?.(state, value, index, listing)) step(recordOf(value, place, put !== undefined));
      at = { offset: offset + length, index: index + 1, line: index + 2 };
      return put !== undefined || (problems.length === 0 && order.isPlain());
    },
    /** The cursor has to be stored before the next record. */
    take: () => ({ docs: texts.take(), usages: usages.take(), cursor: cursor ?? snapshot() }),
    finish() {
      texts.addBeside();
      if (cursor) cursor.outputs = beside.names();
      const found = order.finish(reading);
      const { costPlace } = usages.state();
      return { header: header.finish(usages.all(), found.head), order: found, provisional, costPlace };
    },
  };
}

type Place = Pick<NativeRecord, "index" | "offset" | "length">;

const NO_BYTES = Buffer.alloc(0);

function recordOf(value: unknown, { index, offset, length }: Place, whole: boolean): NativeRecord {
  const line = index + 1;
  return { index, line, offset, length, value, whole, terminated: true, losses: [], bytes: NO_BYTES };
}

function behind({ offset, length, index, line, bytes }: NativeRecord): Position {
  const isLine = bytes.at(-1) === NEWLINE;
  return { offset: offset + length, index: index + 1, line: line + (isLine ? 1 : 0) };
}

/** Texts with the tool and the files that they are about: a result does not say, its call does. */
function newTexts(
  beside: ReturnType<typeof newBeside>,
  put: IndexOptions["put"] | undefined,
  open: Cursor["calls"] = [],
) {
  const calls = new Map<string, About>(
    open.map(([id, tool, file]) => [id, { tool, file: file ?? undefined }]),
  );
  let docs: Doc[] = [];
  let size = 0;
  return {
    size: () => size,
    calls: (): Cursor["calls"] =>
      [...calls].slice(-OPEN_CALLS).map(([id, { tool, file }]) => [id, tool, file]),
    /** Whether it may be a result without a call: none that waits for one is known. */
    isOrphan: (entry: Entry) => entry.type === "tool_result" && !calls.has(entry.callId),
    add(entry: Entry, position: number, { index, offset, length }: Place, passing: boolean) {
      // A list only wants to know which calls have been made.
      if (entry.type === "tool_call") calls.set(entry.id, put ? aboutOf(entry) : NOTHING);
      const about = calls.get(callOf(entry) ?? "");
      // A record that is read again may be the result once more.
      if (entry.type === "tool_result" && !passing) calls.delete(entry.callId);
      if (!put) return;
      const { id } = entry;
      const { tool, file } = about ?? NO_CALL;
      if (beside.isOpen) beside.entry(entry, { position, entry: id, tool, passing });
      for (const { scope, text: said } of textsOf(entry)) {
        const text = put(said);
        docs.push({ position, entry: id, scope, tool, file, record: index, offset, length, text, passing });
        size += said.length;
      }
    },
    addBeside() {
      for (const doc of put ? beside.docs(put) : []) {
        docs.push(doc);
        size += doc.text.length;
      }
    },
    take(): Doc[] {
      const taken = docs;
      docs = [];
      size = 0;
      return taken;
    },
  };
}

interface About {
  tool: string;
  file: string | undefined;
}

const NOTHING: About = { tool: "", file: undefined };
const NO_CALL: Partial<About> = {};

function aboutOf(call: Extract<Entry, { type: "tool_call" }>): About {
  return { tool: toolOf(call), file: filesOf(call) };
}

function callOf(entry: Entry): string | undefined {
  if (entry.type === "tool_call") return entry.id;
  return entry.type === "tool_result" ? entry.callId : undefined;
}
