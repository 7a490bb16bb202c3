// The texts of a hit, for its line: those that were indexed. The native record is folded once more by itself; it comes
// from its bytes in the session's file, through the reader where the session is no file of lines, from the archive
// where the file is gone.
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { FileRef, Reader, SessionRef } from "../../adapters/adapter.ts";
import { BatonError } from "../../session/error.ts";
import { jsonIn } from "../../session/json.ts";
import type { Entry } from "../../session/session.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { readArchived } from "../archive/read.ts";
import { BESIDE } from "../index/beside.ts";
import { textsOf } from "../index/texts.ts";
import { isSpreadInArchive, withLaidOut } from "./archived.ts";
import { stringsIn, unescaped } from "./strings.ts";

/** They are asked for only when there is something to show. */
export type LoadReaders = () => Promise<readonly Reader[]>;

/** Where a text comes from. */
export interface RecordPlace {
  agent: string;
  originalId: string;
  thread: string;
  path: string;
  /** JSON of FileRef[]. */
  files: string;
  parent: string | null;
  isGone: boolean;
  /** The entry's id, and its place in the session. */
  entry: string;
  position: number;
  /** Which of the entry's texts. */
  scope: number;
  record: number;
  offset: number;
  length: number;
  /** The file that the text is about, or in which it stands beside the session. */
  file: string | null;
}

/** The text that was indexed, as surely as it can be had cheaply; then, for whom it is not that, by other ways. */
export async function* textsAt(
  place: RecordPlace,
  readers: LoadReaders,
  batonHome: string,
): AsyncGenerator<Iterable<string>> {
  if (place.record === BESIDE && place.file !== null) {
    yield [await besideAt(place, place.file, batonHome)];
    return;
  }
  const reader = (await readers()).find(({ id }) => id === place.agent);
  if (reader) yield* place.isGone ? fromArchive(place, reader, batonHome) : fromStore(place, reader);
}

async function* fromStore(place: RecordPlace, reader: Reader): AsyncGenerator<Iterable<string>> {
  const { path, offset, length } = place;
  const isLine = path.endsWith(".jsonl") && !(await reader.isSpread?.(path));
  if (isLine && length > WHOLE) {
    yield piecesAt(place);
    return;
  }
  const bytes = isLine ? stretchOf(path, offset, length) : undefined;
  if (bytes) yield told(reader, place, recordOf(place, bytes));
  yield* throughReader(place, reader, bytes === undefined);
  if (bytes) yield stringsIn(bytes);
}

async function* fromArchive(
  place: RecordPlace,
  reader: Reader,
  batonHome: string,
): AsyncGenerator<Iterable<string>> {
  const { agent, originalId, path, offset, length } = place;
  const isWhole = length <= WHOLE && !(await isSpreadInArchive(batonHome, place));
  const bytes = isWhole
    ? await readArchived(batonHome, { agent, originalId, path, offset, length })
    : undefined;
  // What is no JSON does not stand there: the session was no file of lines.
  const record = bytes && recordOf(place, bytes);
  if (record) yield told(reader, place, record);
  const texts = await withLaidOut(batonHome, place, (ref) => {
    const there = { path: ref.path, files: JSON.stringify(ref.files), thread: ref.thread ?? "" };
    return Array.fromAsync(throughReader({ ...place, ...there }, reader, bytes === undefined));
  });
  yield* texts ?? [];
  if (record?.value !== undefined) yield stringsIn(record.bytes);
  if (!texts && !isWhole)
    throw new BatonError("unsupported", "The text is too long to be shown from the archive.", "");
}

/** Longer records are looked through in pieces, because no more than that is parsed for one line of text. */
const WHOLE = 4 << 20;
const OVERLAP = 4 << 10;

function* piecesAt({ path, offset, length }: RecordPlace): Generator<string> {
  for (let at = 0; ; at += WHOLE - OVERLAP) {
    yield unescaped(stretchOf(path, offset + at, Math.min(WHOLE, length - at)).toString("utf8"));
    if (at + WHOLE >= length) return;
  }
}

async function besideAt(
  { agent, isGone, offset, length }: RecordPlace,
  path: string,
  batonHome: string,
): Promise<string> {
  const bytes = isGone
    ? await readArchived(batonHome, { agent, path, offset, length })
    : stretchOf(path, offset, length);
  return bytes.toString("utf8");
}

/** Shorter where the file ends before. */
function stretchOf(path: string, offset: number, length: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset));
  } finally {
    closeSync(file);
  }
}

/** Undefined for what is damaged: a reader knows more of that. */
function recordOf({ record: index, offset, length }: RecordPlace, bytes: Buffer): NativeRecord {
  const value = jsonIn(bytes.toString("utf8"));
  return { index, line: index + 1, offset, length, value, whole: true, terminated: true, losses: [], bytes };
}

/** What the record says by itself; nothing when it takes others to know which entries it has. */
function told({ fold }: Reader, place: RecordPlace, record: NativeRecord): string[] {
  const { path, originalId, thread, entry } = place;
  const state: unknown = fold.initial({ path, originalId, ...(thread !== "" && { thread }) });
  const found = fold.step(state, record);
  return found.flatMap((one) =>
    one.type === "entry" && one.entry.id === entry ? textsIn(one.entry, place) : [],
  );
}

/** Whether a text is context may depend on what came before, so there may be none of the scope. */
function textsIn(entry: Entry, place: RecordPlace): string[] {
  const texts = textsOf(entry);
  const own = texts.filter(({ scope }) => scope === place.scope);
  return (own.length > 0 ? own : texts).map(({ text }) => text);
}

async function* throughReader(
  place: RecordPlace,
  reader: Reader,
  isFirst: boolean,
): AsyncGenerator<Iterable<string>> {
  const ref = refOf(place);
  const reading = await reader.reading(ref);
  const record = await recordIn(reading, place, true);
  if (record) yield told(reader, place, record);
  // Some texts need what stands before them, and a few stand in no record: the agent adds them.
  if ((ref.files[0]?.size ?? 0) <= WHOLE) {
    const { position } = place;
    const source = await reader.open(ref);
    for await (const entry of source.entries({ from: position, to: position + 1 }))
      yield textsIn(entry, place);
  }
  const whole = isFirst ? await recordIn(reading, place, false) : undefined;
  if (whole) yield stringsIn(whole.bytes);
}

async function recordIn(
  { read }: Awaited<ReturnType<Reader["reading"]>>,
  { record: index, offset }: RecordPlace,
  valuesOnly: boolean,
): Promise<NativeRecord | undefined> {
  for await (const [record] of read({ from: { index, offset, line: index + 1 }, single: true, valuesOnly }))
    if (record) return { ...record, bytes: Buffer.from(record.bytes) };
  return undefined;
}

export function refOf({ agent, originalId, thread, path, files, parent }: RecordPlace): SessionRef {
  return {
    agent,
    originalId,
    path,
    files: JSON.parse(files) as FileRef[],
    ...(thread !== "" && { thread }),
    ...(parent !== null && { parent }),
  };
}
