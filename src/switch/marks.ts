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
  let hash = ENTRY_MARKS[type];
  const length = Math.min(text.length, MARKED_LENGTH);
  for (let at = 0; at < length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

/** Of a text that stays in its file (storage/reference.ts) more is not at hand. */
const MARKED_LENGTH = 2000;
const ENTRY_MARKS: Record<EntryType, number> = {
  user: 1,
  assistant: 2,
  tool_call: 3,
  tool_result: 4,
  system: 5,
  switch: 6,
  compaction: 7,
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
