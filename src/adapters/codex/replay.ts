// Runs the raw records of a session through the fold once more, each with the bytes it stands in.
import type { Entry, SessionRecord } from "../../session/session.ts";
import type { Folded, Stream } from "../../session/source.ts";
import { entryText } from "../../session/text.ts";
import type { Says } from "./lines.ts";
import { valuesOf } from "./one-file.ts";
import { fold } from "./read.ts";
import type { CodexState } from "./state.ts";

export interface Replayed {
  record: SessionRecord;
  bytes: Uint8Array | string;
  value: unknown;
  folded: Folded[];
  /** What the fold knows after it. */
  state: CodexState;
}

export async function* replay(stream: Stream): AsyncGenerator<Replayed> {
  const state = fold.initial({ path: "", originalId: stream.header.source.originalId ?? "" });
  const values = await oneFile(stream);
  for await (const record of stream.records?.() ?? []) {
    const bytes = bytesOf(record);
    const value = values ? values[record.index] : parsed(bytes);
    yield { record, bytes, value, folded: foldAt(state, record.index, value), state };
  }
}

/** The records of a session in one object are pieces of it, and no JSON each. */
async function oneFile(stream: Stream): Promise<unknown[] | undefined> {
  const raws: (Uint8Array | string)[] = [];
  for await (const record of stream.records?.() ?? []) {
    raws.push(bytesOf(record));
    if (raws.length === 1 && !/"items"\s*:\s*\[\s*$/.test(record.raw.slice(-200))) return undefined;
  }
  return valuesOf(raws);
}

function bytesOf({ encoding, raw }: SessionRecord): Uint8Array | string {
  return encoding === "base64" ? Buffer.from(raw, "base64") : raw;
}

export function foldAt(state: CodexState, index: number, value: unknown): Folded[] {
  const native = { index, line: index + 1, offset: 0, length: 0, value, whole: true, terminated: true };
  return fold.step(state, { ...native, losses: [], bytes: EMPTY });
}

const EMPTY = Buffer.alloc(0);

function parsed(bytes: Uint8Array | string): unknown {
  const text = typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("utf8");
  try {
    return JSON.parse(text.replace(/^\uFEFF|[\0\s]+$/g, ""));
  } catch {
    // Damage is copied only where everything is.
    return undefined;
  }
}

export function entriesOf(folded: readonly Folded[]): Entry[] {
  return folded.flatMap((found) => (found.type === "entry" ? [found.entry] : []));
}

export function sayingOf(entry: Entry): Says[number] {
  return [entry.type, entryText(entry)];
}
