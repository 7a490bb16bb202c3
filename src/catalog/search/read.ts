// The texts of one native record, for a snippet: from its bytes in the session's file, through the adapter where the
// session is no file of lines, from the archive where the file is gone.
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { Adapter, FileRef, SessionRef } from "../../adapters/adapter.ts";
import { BatonError } from "../../session/error.ts";
import { readArchived } from "../archive/read.ts";
import { BESIDE } from "../index/beside.ts";
import { textsOf } from "../index/texts.ts";

/** They are asked for only where a file's own bytes are not enough. */
export type LoadAdapters = () => Promise<readonly Adapter[]>;

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
  /** Of the entry in the session. */
  position: number;
  record: number;
  offset: number;
  length: number;
  /** The file that the text is about, or in which it stands beside the session. */
  file: string | null;
}

/** The strings of the record; then, for whom they are not the text that was indexed, what the adapter makes of it. */
export async function* textsAt(
  place: RecordPlace,
  adapters: LoadAdapters,
  batonHome: string,
): AsyncGenerator<Iterable<string>> {
  if (place.record === BESIDE && place.file !== null && !place.isGone) yield [besideAt(place, place.file)];
  else if (place.isGone) yield stringsIn(await archived(place, batonHome));
  else {
    if (place.path.endsWith(".jsonl")) yield linesAt(place);
    yield* throughAdapter(place, adapters);
  }
}

/** Longer records are looked through in pieces, because no more than that is parsed for one line of text. */
const WHOLE = 4 << 20;
const OVERLAP = 4 << 10;

function* linesAt({ path, offset, length }: RecordPlace): Generator<string> {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    for (let at = 0; at < length; at += WHOLE - OVERLAP) {
      const bytes = Buffer.allocUnsafe(Math.min(WHOLE, length - at));
      const read = readSync(file, bytes, 0, bytes.length, offset + at);
      yield* length > WHOLE
        ? [unescaped(bytes.toString("utf8", 0, read))]
        : stringsIn(bytes.subarray(0, read));
      if (at + bytes.length >= length) return;
    }
  } finally {
    closeSync(file);
  }
}

function besideAt({ offset, length }: RecordPlace, path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, length, offset));
  } finally {
    closeSync(file);
  }
}

/** A piece of JSON as nearly the text that it says. */
function unescaped(json: string): string {
  return json.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code: string | undefined, character: string) =>
    code !== undefined
      ? String.fromCharCode(Number.parseInt(code, 16))
      : /[nrtbf]/.test(character)
        ? " "
        : character,
  );
}

function* stringsIn(bytes: Buffer): Generator<string> {
  const text = bytes.toString("utf8");
  const value = parsed(text);
  // A damaged line is still text.
  if (value === undefined) yield unescaped(text);
  else yield* strings(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever asks takes it as text then.
    return undefined;
  }
}

const DEEPEST = 200;

function* strings(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") {
    // Arguments and outputs may be JSON once more.
    const inner = /^\s*[{[]/.test(value) ? parsed(value) : undefined;
    if (inner !== undefined && depth < DEEPEST) yield* strings(inner, depth + 1);
    yield value;
  } else if (typeof value === "number") yield String(value);
  else if (typeof value === "object" && value !== null && depth < DEEPEST)
    for (const inner of Object.values(value)) yield* strings(inner, depth + 1);
}

async function* throughAdapter(place: RecordPlace, adapters: LoadAdapters): AsyncGenerator<Iterable<string>> {
  const adapter = (await adapters()).find(({ id }) => id === place.agent);
  if (!adapter) return;
  const ref = refOf(place);
  const bytes = await recordOf(await adapter.reading(ref), place);
  if (bytes) yield stringsIn(bytes);
  // A few texts stand in no record: the adapter knows that the agent adds them.
  if ((ref.files[0]?.size ?? 0) > WHOLE) return;
  const { position } = place;
  const source = await adapter.open(ref);
  for await (const entry of source.entries({ from: position, to: position + 1 }))
    yield textsOf(entry).map(({ text }) => text);
}

async function recordOf(
  { read }: Awaited<ReturnType<Adapter["reading"]>>,
  { record: index, offset }: RecordPlace,
): Promise<Buffer | undefined> {
  for await (const [record] of read({ from: { index, offset, line: index + 1 }, raw: true, single: true }))
    if (record) return Buffer.from(record.bytes);
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

async function archived(place: RecordPlace, batonHome: string): Promise<Buffer> {
  const { agent, originalId, path, offset, length } = place;
  if (length > WHOLE)
    throw new BatonError("unsupported", "The text is too long to be shown from the archive.", "");
  return readArchived(batonHome, { agent, originalId, path, offset, length });
}
