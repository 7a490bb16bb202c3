// A session of Gemini CLI's own comes back as it was: under its own id the same bytes, under another one the same
// messages. What was changed since is written into its message, what is new is made anew.
import { loss } from "../../session/losses.ts";
import type { Entry } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import { entryText } from "../../session/text.ts";
import type { Target, Written, WrittenRecord } from "../adapter.ts";
import type { Json } from "../json.ts";
import { changed } from "./changed.ts";
import { compose, oneLine } from "./compose.ts";
import { type Listed, newCursor, type Passed, type Recorded } from "./cursor.ts";
import { entriesOf, isAside } from "./entries.ts";
import { membersOf } from "./native.ts";
import { digestOf, isUntouched, nativeOf, type Original, originalOf } from "./original.ts";
import { hashOf } from "./paths.ts";
import { folderOf } from "./plan.ts";
import { fold } from "./read.ts";
import { settled } from "./settle.ts";

/** Undefined when it has to be written anew, because it is of the first generation. */
export async function copied(stream: Stream, target: Target): Promise<AsyncIterable<Written> | undefined> {
  const original = await originalOf(stream);
  const isOwnId = stream.header.source.originalId === target.originalId;
  if (isOwnId && (await isUntouched(stream, original)))
    return withFolder(verbatim(stream), stream, target, original);
  if (original.isOneFile) return undefined;
  return withFolder(log(stream, target, original, isOwnId), stream, target, original);
}

/** Which project a session is of stands in the store, which a file outside of it does not have. */
async function* withFolder(
  written: AsyncIterable<Written>,
  { header }: Stream,
  target: Target,
  { folder }: Original,
): AsyncGenerator<Written> {
  const { path } = header.project;
  if (target.documents !== undefined && path !== "" && path !== folder)
    yield { type: "loss", loss: loss("facts_dropped", {}, `the folder ${path}, which the store knows`) };
  yield* written;
}

async function* verbatim(stream: Stream): AsyncGenerator<Written> {
  const says = teller();
  for await (const record of stream.records?.() ?? []) {
    const { bytes } = nativeOf(record);
    yield { type: "record", file: "main", bytes: record.encoding ? bytes : record.raw, says: says(bytes) };
  }
}

/** What a line says to whoever reads the file without a survey, as reading back does. */
function teller(): (bytes: string | Uint8Array) => WrittenRecord["says"] {
  const state = fold.initial({ path: "", originalId: "" });
  let index = 0;
  return (bytes) =>
    fold
      .step(state, nativeOf({ index: index++, raw: Buffer.from(bytes as string).toString("utf8") }))
      .flatMap((folded) =>
        folded.type === "entry" ? [[folded.entry.type, entryText(folded.entry)] as const] : [],
      );
}

/** Versions that count no more, and results that stand there twice, stay behind: they would be sent twice. */
async function* log(
  stream: Stream,
  target: Target,
  original: Original,
  isOwnId: boolean,
): AsyncGenerator<Written> {
  const cursor = newCursor(stream.records?.() ?? none(), original);
  const says = teller();
  const line = (bytes: string): WrittenRecord => ({ type: "record", file: "main", bytes, says: says(bytes) });
  const known: Known = { original, seen: new Set(), changed: new Map() };
  let isBegun = false;
  const passing = function* (passed: readonly Passed[]): Generator<Written> {
    for (const one of passed)
      if (one.type === "line") yield line(ended(one.raw));
      else if (!isBegun) {
        isBegun = true;
        yield line(jsonLine(isOwnId ? one.metadata : renewed(one.metadata, target)));
      }
  };
  for await (const group of groupsOf(stream.entries(), original)) {
    const [first] = group;
    if (!first) continue;
    const found = original.digests.has(first.id)
      ? await cursor.find(first.id, first.records?.[0] ?? 0)
      : undefined;
    yield* passing(cursor.passed());
    note(group, known);
    if (!found) yield* newMessages(stream, target, group, first.id);
    else if ("list" in found) yield line(jsonLine({ $set: listed(found, group, known, target) }));
    else for (const one of linesOf(found, group, original, target)) yield line(ended(one));
  }
  await cursor.finish();
  yield* passing(cursor.passed());
  if (!isOwnId) yield line(jsonLine({ $set: { lastUpdated: target.now.toISOString() } }));
  const count = cursor.dropped();
  const detail = `${count} lines that say nothing, that a later one took the place of, or that were damaged`;
  if (count > 0) yield { type: "loss", loss: loss("records_dropped", {}, detail) };
}

/** What has passed of the session: later lists of the log may repeat it. */
interface Known {
  original: Original;
  seen: Set<string>;
  /** By id: the entries that say something else than their records. */
  changed: Map<string, Entry>;
}

function note(group: readonly Entry[], { original, seen, changed }: Known): void {
  for (const entry of group) {
    seen.add(entry.id);
    if (original.digests.get(entry.id) !== digestOf(entry)) changed.set(entry.id, entry);
  }
}

async function* none(): AsyncGenerator<never> {
  // A session without records.
}

const jsonLine = (value: Json): string => `${oneLine(JSON.stringify(value))}\n`;
const ended = (raw: string): string => (raw.endsWith("\n") ? raw : `${raw}\n`);

function renewed(metadata: Json, target: Target): Json {
  const now = target.now.toISOString();
  const projectHash = hashOf(folderOf(target.cwd));
  return { ...metadata, sessionId: target.originalId, projectHash, startTime: now, lastUpdated: now };
}

/** Entries of one message, as far as they stand together. */
async function* groupsOf(entries: AsyncIterable<Entry>, { digests }: Original): AsyncGenerator<Entry[]> {
  let group: Entry[] = [];
  for await (const entry of entries) {
    if (group.length > 0 && !isTogether(group, entry, digests)) {
      yield group;
      group = [];
    }
    group.push(entry);
  }
  yield group;
}

function isTogether(group: readonly Entry[], entry: Entry, digests: ReadonlyMap<string, string>): boolean {
  const isNew = (one: Entry) => !digests.has(one.id);
  const [first] = group;
  if (!first || isNew(first) !== isNew(entry)) return false;
  if (isNew(entry)) return true;
  const sameRecord = first.records?.[0] === entry.records?.[0];
  if (entry.type === "tool_result")
    return sameRecord && group.some((one) => one.type === "tool_result" || one.id === entry.callId);
  return sameRecord && entry.turn !== undefined && entry.turn === first.turn;
}

async function* newMessages(
  stream: Stream,
  target: Target,
  group: readonly Entry[],
  salt: string,
): AsyncGenerator<Written> {
  const part: Stream = {
    ...stream,
    async *entries() {
      yield* group;
    },
  };
  const made = compose(part, target, { id: target.originalId, file: "main", agents: new Map(), salt });
  for await (const batch of made) yield* batch;
}

/** The line as it was, unless something in it was changed or taken out, or would be sent twice. */
function linesOf(
  found: Recorded,
  group: readonly Entry[],
  original: Original,
  target: Target,
): readonly string[] {
  const isSame =
    group.length === found.entries.length &&
    group.every((entry) => original.digests.get(entry.id) === digestOf(entry));
  if (isSame) {
    const messages = settled(found.message);
    if (messages.length === 1) return [found.raw ?? JSON.stringify(found.message)];
    return messages.map((message) => oneLine(JSON.stringify(message)));
  }
  return changed(found, group, target).map((message) => oneLine(JSON.stringify(message)));
}

/** A list in which every result stands once, and what was changed or taken out is as it is in the session. */
function listed({ list, until }: Listed, group: readonly Entry[], known: Known, target: Target): Json {
  const [compaction] = group;
  const left = new Map<string, Entry>(
    compaction?.type === "compaction" ? compaction.replacement?.map((one) => [one.id, one as Entry]) : [],
  );
  const keeps = new Set(compaction?.type === "compaction" ? compaction.keeps : []);
  const answered: string[] = [];
  const messages = membersOf(list.messages).flatMap(([at, message]): Json[] => {
    const before = entriesOf(message, { record: 0, time: "", answered, before: [] });
    if (message.type === "user" && before.length === 0) return [];
    const now = before.flatMap((entry) => {
      if (isAside(entry)) return [entry];
      if (at < until) return left.get(entry.id) ?? [];
      return isGone(entry, keeps, known) ? [] : [known.changed.get(entry.id) ?? entry];
    });
    const isSame = now.length === before.length && now.every((entry, place) => isLike(entry, before[place]));
    if (isSame) return settled(message);
    const recorded = { message, entries: before.map(({ id }) => id) };
    return now.length === 0 ? [] : changed(recorded, now, target);
  });
  return { ...list, messages };
}

/** A message that stays in a list is gone from it when it is gone from the session; a result goes with its call. */
function isGone(entry: Entry, keeps: ReadonlySet<string>, { seen, original }: Known): boolean {
  const id = entry.type === "tool_result" ? entry.callId : entry.id;
  return original.digests.has(id) && !seen.has(id) && !keeps.has(id);
}

/** Whether two entries say the same, whenever that was. */
function isLike(one: Entry, other: Entry | undefined): boolean {
  return other !== undefined && digestOf({ ...one, timestamp: "" }) === digestOf({ ...other, timestamp: "" });
}
