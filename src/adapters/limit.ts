// Whether an account has reached a limit, by what the newest sessions ended with: what came last in any of them counts,
// a refusal or an answer.
import { jsonIn } from "../session/json.ts";
import { endingOf } from "../storage/ending.ts";
import type { FileRef, Limit } from "./adapter.ts";
import { isObject, type Json } from "./json.ts";

/** How a request ended. */
export interface Outcome {
  /** In milliseconds since 1970. */
  at: number;
  /** What the agent said when it was refused; absent = it was answered. */
  said?: string;
  until?: number | undefined;
}

/** `outcomeIn` looks at the records of one file, the newest first, and takes as many as it needs. */
export function limitIn(
  files: Iterable<FileRef>,
  now: Date,
  outcomeIn: (records: Iterable<Json>) => Outcome | undefined,
): Limit | undefined {
  const outcomes = newest(files, now).flatMap((file) => outcomeIn(recordsOf(file)) ?? []);
  return limitOf(outcomes, now);
}

/** Without a stated end a limit is believed for as long as most of the short ones last. */
const BELIEVED_MS = 3_600_000;
const LONGEST_SAID = 300;

export function limitOf(outcomes: readonly Outcome[], now: Date): Limit | undefined {
  const last = outcomes.reduce<Outcome | undefined>((a, b) => (a && a.at > b.at ? a : b), undefined);
  if (last?.said === undefined) return undefined;
  const { at, until } = last;
  const said = last.said.replace(/\s+/g, " ").trim().slice(0, LONGEST_SAID);
  if (until === undefined || !isTime(until)) return now.getTime() - at < BELIEVED_MS ? { said } : undefined;
  return until > now.getTime() ? { said, until: new Date(until).toISOString() } : undefined;
}

function isTime(time: number): boolean {
  return !Number.isNaN(new Date(time).getTime());
}

const MOST_FILES = 5;
/** A limit may be one of a week. */
export const OLDEST_MS = 8 * 86_400_000;

function newest(files: Iterable<FileRef>, now: Date): FileRef[] {
  return [...files]
    .filter(({ mtimeMs }) => now.getTime() - mtimeMs < OLDEST_MS)
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
    .slice(0, MOST_FILES);
}

const ENDING = 256 << 10;

function* recordsOf({ path }: FileRef): Generator<Json> {
  for (const line of endOf(path)) {
    const value = line === "" ? undefined : jsonIn(line);
    if (isObject(value)) yield value;
  }
}

function endOf(path: string): string[] {
  try {
    return endingOf(path, ENDING);
  } catch {
    // Gone, or not ours to read: then it says nothing of a limit.
    return [];
  }
}

/** When a record was written; undefined = it does not say. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
