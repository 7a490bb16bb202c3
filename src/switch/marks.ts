// Tells whether a file says what it was meant to say: a mark for each entry, made from what the writer means
// and from what reading the file yields.
import type { Fold } from "../adapters/adapter.ts";
import type { EntryType } from "../session/session.ts";
import { entryText } from "../session/text.ts";
import { type ReadOptions, readRecords } from "../storage/records.ts";

export interface StagedFile {
  path: string;
  staged: string;
  originalId: string;
}

/** A number rather than text, because a slice would keep the whole string it was cut from in memory. */
export function markOf(type: EntryType, text: string): number {
  const length = Math.min(text.length, MARKED_LENGTH);
  let hash = ENTRY_MARKS[type] + length;
  const tail = length - CLOSELY;
  for (let at = 0; at < length; at += at < CLOSELY || at >= tail ? 1 : Math.min(STRIDE, tail - at))
    hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

/** Of a text that stays in its file (storage/reference.ts) more is not at hand. */
const MARKED_LENGTH = 2000;
/** Both ends are looked at closely, every so many characters between them. */
const CLOSELY = 64;
const STRIDE = 13;
const ENTRY_MARKS: Record<EntryType, number> = {
  user: 10_000,
  assistant: 20_000,
  tool_call: 30_000,
  tool_result: 40_000,
  system: 50_000,
  switch: 60_000,
  compaction: 70_000,
};

/** The marks of all entries in a file that will be at `path` and is at `staged` now. Every byte is parsed. */
export async function marksIn(
  fold: Fold<unknown>,
  { staged, ...ref }: StagedFile,
  grown?: ReadOptions["grown"],
): Promise<number[]> {
  const state = fold.initial(ref);
  const marks: number[] = [];
  for await (const batch of readRecords(staged, grown ? { grown } : {}))
    for (const record of batch)
      for (const folded of fold.step(state, record))
        if (folded.type === "entry") marks.push(markOf(folded.entry.type, entryText(folded.entry)));
  return marks;
}
