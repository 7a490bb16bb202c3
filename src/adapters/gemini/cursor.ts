// Walks the records of a session once, hands out each message when it is asked for, and lets everything pass that
// is no message.
import { hash } from "node:crypto";
import type { SessionRecord } from "../../session/session.ts";
import { isObject, type Json } from "../json.ts";
import { oneLine } from "./compose.ts";
import { compactedEntries, entriesOf, isUnknown } from "./entries.ts";
import { type LogRecord, listIn, type Message, membersOf, recordOf } from "./native.ts";
import { nativeOf, type Original } from "./original.ts";
import { isAll, membersUntil } from "./rulings.ts";

/** A message as it was recorded. */
export interface Recorded {
  message: Message;
  /** The line it stands on, if it has one of its own. */
  raw?: string;
  /** The ids of its entries. */
  entries: readonly string[];
}

/** The line of a compaction. */
export interface Listed {
  list: Json;
  /** Messages up to this place took the place of the history; those behind it were there before. */
  until: number;
}

export interface Cursor {
  /** The message that an entry stands in, or the line of a compaction. */
  find(entry: string, record: number): Promise<Recorded | Listed | undefined>;
  /** Lines that are no messages and came before what was found last. */
  passed(): Passed[];
  /** Reads on to the end. */
  finish(): Promise<void>;
  /** How many lines had nothing to hand on. */
  dropped(): number;
}

export type Passed = { type: "metadata"; metadata: Json } | { type: "line"; raw: string };

export function newCursor(records: AsyncIterable<SessionRecord>, { rulings }: Original): Cursor {
  const lines = records[Symbol.asyncIterator]();
  const waiting = new Map<string, Recorded | Listed>();
  const passed: Passed[] = [];
  const place = { record: 0, time: "", answered: [], before: [] };
  let dropped = 0;
  let read = -1;
  let isEnd = false;

  const hold = (message: Message, raw?: string) => {
    const entries = entriesOf(message, place).map(({ id }) => id);
    const recorded = { message, entries, ...(raw !== undefined && { raw }) };
    for (const id of entries) waiting.set(id, recorded);
  };

  /** A message of a kind that is not known here stays a line, once however many lists repeat it. */
  const strangers = new Map<string, string>();
  const pass = ({ id }: Message, raw: string) => {
    const print = hash("sha256", raw.trim(), "base64");
    if (strangers.get(id) !== print) passed.push({ type: "line", raw });
    strangers.set(id, print);
  };

  const take = (line: SessionRecord) => {
    const { value } = nativeOf(line);
    const record = recordOf(value);
    const ruling = rulings.get(line.index);
    const held = record && listIn(record);
    if (record?.type === "metadata" && !held) passed.push({ type: "metadata", metadata: record.metadata });
    else if (record?.type === "message" && isUnknown(record.message)) pass(record.message, line.raw);
    else if (record?.type === "message" && !ruling?.skip) hold(record.message, line.raw);
    else if (held && record) {
      for (const [at, message] of membersOf(held.list))
        if (ruling?.members?.has(at)) hold(message);
        // The line of a compaction is copied with all that it holds.
        else if (isUnknown(message) && !ruling?.compactions) pass(message, oneLine(JSON.stringify(message)));
      for (const own of ruling?.compactions ?? []) {
        compactedEntries(membersUntil(held.list, own), place, isAll(own));
        waiting.set(own.id, { list: record.type === "set" ? record.set : {}, until: own.until });
      }
    } else if (isPassing(record, value)) passed.push({ type: "line", raw: line.raw });
    else dropped++;
  };

  const next = async () => {
    const { done, value } = await lines.next();
    isEnd = done === true;
    if (done) return;
    read = value.index;
    take(value);
  };

  return {
    async find(entry, record) {
      while (!isEnd && read < record) await next();
      const found = waiting.get(entry);
      if (found && "entries" in found) for (const id of found.entries) waiting.delete(id);
      else waiting.delete(entry);
      return found;
    },
    passed: () => passed.splice(0),
    async finish() {
      while (!isEnd) await next();
    },
    dropped: () => dropped,
  };
}

/** Facts of the session other than its id, and records of a kind that is not known here. */
function isPassing(record: LogRecord | undefined, value: unknown): boolean {
  if (record?.type === "set") return !("sessionId" in record.set);
  return record === undefined && isObject(value);
}
