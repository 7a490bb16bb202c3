// Takes a Codex session back into Codex: its own records, byte for byte, as long as what they say is what the
// stream says. Only the line that names the thread is made anew.
import { createHash } from "node:crypto";
import type { Entry, SessionRecord } from "../../session/session.ts";
import { skeletonBuilder } from "../../session/skeleton.ts";
import type { Folded, Source, Stream } from "../../session/source.ts";
import { thread, visible } from "../../transform/visible.ts";
import type { Target, Written, WrittenRecord } from "../adapter.ts";
import { lines, NOTHING, type Says } from "./lines.ts";
import { count, isObject, type JsonObject, recordOf, word } from "./native.ts";
import { fold } from "./read.ts";

/** The session's own file as it was, under its own id. */
export async function* restored(stream: Stream, target: Target): AsyncGenerator<Written> {
  for await (const { record, bytes, says } of replay(stream, target.originalId))
    if (record.file === undefined) yield { type: "record", file: "main", bytes, says };
}

/** How many of the records say exactly what the stream says; undefined when they cannot. */
export async function copyableRecords(stream: Stream): Promise<number | undefined> {
  const wanted: string[] = [];
  let last = -1;
  for await (const entry of stream.entries()) {
    if (!entry.records || entry.records.length === 0) return undefined;
    wanted.push(markOf(entry));
    last = Math.max(last, ...entry.records);
  }
  const { source, isEnveloped, total, lastSaying } = await sourceOf(stream, last);
  if (!isEnveloped || last === -1) return undefined;
  const isSame = (await says(thread(source), wanted)) || (await says(visible(source), wanted));
  if (!isSame) return undefined;
  // What comes after the last entry is about that entry: counts, and the end of its turn.
  return lastSaying <= last ? total : last + 1;
}

async function says(stream: Stream, wanted: readonly string[]): Promise<boolean> {
  let at = 0;
  for await (const entry of stream.entries()) if (markOf(entry) !== wanted[at++]) return false;
  return at === wanted.length;
}

/** Equal for entries with the same content; what is known from other records only is left aside. */
function markOf(entry: Entry): string {
  const { parent: _parent, usage: _usage, note: _note, ...rest } = entry;
  return createHash("sha256")
    .update(JSON.stringify(sorted(rest)))
    .digest("base64")
    .slice(0, 20);
}

/** The order of keys may change on the way through a file; their values may not. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return Object.fromEntries(keys.sort().map((key) => [key, sorted(value[key])]));
}

/** The session as it stood after a record, from the records alone. Entries are kept as marks, not as text. */
async function sourceOf(stream: Stream, last: number) {
  const builder = skeletonBuilder();
  let head: Extract<Folded, { type: "head" }> | undefined;
  let total = 0;
  let lastSaying = -1;
  let isEnveloped = true;
  for await (const { record, value, folded } of replay(stream, stream.header.source.originalId ?? "")) {
    total++;
    if (recordOf(value) && !(isObject(value) && isObject(value.payload))) isEnveloped = false;
    for (const found of folded) {
      if (found.type === "entry") lastSaying = record.index;
      if (record.index > last) continue;
      if (found.type === "entry") builder.add(found.entry, found.keepsRun);
      else if (found.type === "link") builder.link(found.id, found.parent, found.alias);
      else if (found.type === "head") head = found;
    }
  }
  const skeleton = builder.finish(head?.id, head?.unlessFollowed);
  const source: Source = {
    header: stream.header,
    losses: [],
    skeleton,
    entries: (range = {}) => entriesOf(stream, range.from ?? 0, range.to ?? skeleton.length),
    children: none,
  };
  return { source, isEnveloped, total, lastSaying };
}

async function* none(): AsyncGenerator<Source> {
  // Subagents are threads of their own and stay where they are.
}

async function* entriesOf(stream: Stream, from: number, to: number): AsyncGenerator<Entry> {
  let position = 0;
  for await (const { folded } of replay(stream, stream.header.source.originalId ?? ""))
    for (const found of folded) {
      if (found.type !== "entry") continue;
      if (position >= to) return;
      if (position >= from) yield found.entry;
      position++;
    }
}

interface Replayed {
  record: SessionRecord;
  bytes: Uint8Array | string;
  value: unknown;
  folded: Folded[];
  says: Says;
}

/** The raw records once more through the fold. */
async function* replay(stream: Stream, originalId: string): AsyncGenerator<Replayed> {
  const state = fold.initial({ path: "", originalId });
  for await (const record of stream.records?.() ?? []) {
    const bytes = record.encoding === "base64" ? Buffer.from(record.raw, "base64") : record.raw;
    const value = parsed(bytes);
    const { index } = record;
    const native = { index, line: index + 1, offset: 0, length: 0, value, whole: true, terminated: true };
    const folded = fold.step(state, { ...native, losses: [], bytes: EMPTY });
    const said = folded.flatMap((found) => (found.type === "entry" ? [sayingOf(found.entry)] : []));
    yield { record, bytes, value, folded, says: said.length === 0 ? NOTHING : said };
  }
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

function sayingOf(entry: Entry): Says[number] {
  switch (entry.type) {
    case "user":
    case "assistant":
    case "system":
      return [entry.type, entry.content];
    case "tool_result":
      return [entry.type, entry.output];
    case "compaction":
      return [entry.type, entry.summary ?? ""];
    default:
      return [entry.type, ""];
  }
}

/** The first records of the session as a thread of its own. */
export async function* copied(stream: Stream, target: Target, limit: number): AsyncGenerator<Written> {
  let turn: string | undefined;
  let ordinal = -1;
  let written = 0;
  let isPaginated = false;
  for await (const { record, bytes, value, says: said } of replay(stream, target.originalId)) {
    if (record.index >= limit) break;
    const native = recordOf(value);
    // Damage, the lines that name other threads, and settings that no longer hold stay behind.
    if (!native || (native.type === "session_meta" && written > 0)) continue;
    if (isForeignSetting(native.payload, target)) continue;
    ordinal = count(native.ordinal) ?? ordinal;
    turn = turnAfter(turn, native.payload);
    if (native.type !== "session_meta") {
      yield { type: "record", file: "main", bytes: ended(bytes), says: said };
      written++;
      continue;
    }
    isPaginated = native.payload.history_mode === "paginated";
    yield metaLine(native.payload, native.timestamp, target);
    written++;
  }
  if (turn === undefined || !isPaginated) return;
  const out = lines("main", target.originalId, target.now, ordinal + 1);
  yield out.line("event_msg", { type: "task_complete", turn_id: turn, last_agent_message: null });
}

/** Codex refuses a thread whose newest settings name a provider that is not set up (0.166.0). */
function isForeignSetting(payload: JsonObject, target: Target): boolean {
  if (payload.type !== "thread_settings_applied" || !isObject(payload.thread_settings)) return false;
  return !isProvider(payload.thread_settings.model_provider_id, target);
}

function isProvider(name: unknown, target: Target): boolean {
  return name === undefined || name === (target.configuration.provider ?? "openai");
}

function ended(bytes: Uint8Array | string): Uint8Array | string {
  if (typeof bytes === "string") return bytes.endsWith("\n") ? bytes : `${bytes}\n`;
  return bytes.at(-1) === 10 ? bytes : Buffer.concat([bytes, Buffer.from("\n")]);
}

function turnAfter(turn: string | undefined, payload: JsonObject): string | undefined {
  if (payload.type === "task_started" || payload.type === "turn_started") return word(payload.turn_id);
  const isEnd = ["task_complete", "turn_complete", "turn_aborted"].includes(String(payload.type));
  return isEnd ? undefined : turn;
}

/** Fields that tie a thread to other files or to a parent. */
const TIES = [
  "history_base",
  "forked_from_ordinal_exclusive",
  "parent_thread_id",
  "thread_source",
  "subagent_history_start_ordinal",
];

/** The line as it was, about the new thread, which is whole in itself. */
function metaLine(old: JsonObject, timestamp: unknown, target: Target): WrittenRecord {
  const ties = isProvider(old.model_provider, target) ? TIES : [...TIES, "model_provider"];
  const kept = Object.fromEntries(Object.entries(old).filter(([key]) => !ties.includes(key)));
  const id = target.originalId;
  const payload = { ...kept, session_id: id, id, forked_from_id: old.id, cwd: target.cwd, source: "cli" };
  const ordinal = old.history_mode === "paginated" ? { ordinal: 0 } : {};
  const record = { timestamp, ...ordinal, type: "session_meta", payload };
  return { type: "record", file: "main", bytes: `${JSON.stringify(record)}\n`, says: NOTHING };
}
