// Whether an account has reached a limit, by what the newest sessions ended with: what came last in any of them counts,
// a refusal or an answer.
import { jsonIn } from "../session/json.ts";
import { endingOf } from "../storage/ending.ts";
import type { FileRef, Limit } from "./adapter.ts";
import { isObject, type Json } from "./json.ts";
import { type SwitchEntry, switchIn } from "./switched.ts";

/** How a request ended. */
export interface Outcome {
  /** In milliseconds since 1970. */
  at: number;
  /** What the agent said when it was refused; absent = it was answered. */
  said?: string;
  until?: number | undefined;
}

/** How the files of an agent tell. */
interface Telling {
  /** The agent's, by which the marks of switches name it. */
  badge: string;
  /** Looks at the agent's own records of one file, the newest first, and takes as many as it needs. */
  outcomeIn(records: Iterable<Json>): Outcome | undefined;
  /** The switch that a record bears, where its mark is not in the record itself. */
  switchOf?(record: Json): Switch | undefined;
  /** False for a file that holds nothing of the agent's own, though no mark says so. */
  isOwn?(file: FileRef): boolean;
}

type Switch = SwitchEntry["switch"];

export function limitIn(files: Iterable<FileRef>, now: Date, telling: Telling): Limit | undefined {
  const { badge, outcomeIn, switchOf = switchIn, isOwn = () => true } = telling;
  const outcomes = newest(files, now, isOwn).flatMap(
    (file) => outcomeIn(ownRecords(recordsOf(file), badge, switchOf)) ?? [],
  );
  return limitOf(outcomes, now);
}

/** Of records, the newest first: what stands before a switch to the agent is another's, back to one from it. */
export function* ownRecords<Item>(
  records: Iterable<Item>,
  badge: string,
  switchOf: (record: Item) => Switch | undefined,
): Generator<Item> {
  let isOwn = true;
  for (const record of records) {
    const made = switchOf(record);
    if (made?.toProvider === badge) isOwn = false;
    else if (made?.fromProvider === badge) isOwn = true;
    else if (isOwn) yield record;
  }
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

function newest(files: Iterable<FileRef>, now: Date, isOwn: (file: FileRef) => boolean): FileRef[] {
  const recent = [...files].filter(({ mtimeMs }) => now.getTime() - mtimeMs < OLDEST_MS);
  recent.sort((a, b) => b.mtimeMs - a.mtimeMs);
  return recent.values().filter(isOwn).take(MOST_FILES).toArray();
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
