// Gives a session back to Claude Code: records that nobody touched are copied byte for byte, what changed is
// written anew in its place, what was left out is left out, and the chain is closed where that tore it.
import type { Entry, SessionRecord } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { Written, WrittenRecord } from "../adapter.ts";
import { compose } from "./compose.ts";
import { type Draft, newDraft } from "./draft.ts";
import { line, type Thread } from "./lines.ts";
import { filled, isObject, type Json } from "./native.ts";
import { fold } from "./read.ts";
import { rewritten } from "./rewrite.ts";
import { signature } from "./signature.ts";
import type { ClaudeState } from "./state.ts";

export interface Recorded extends Stream {
  records(): AsyncIterable<SessionRecord>;
}

/** Sessions that Claude Code itself recorded, with their records at hand. */
export function isRecorded(stream: Stream): stream is Recorded {
  return stream.header.source.cli === "claude" && stream.records !== undefined;
}

/** What the stream still holds of each record. */
interface Survey {
  /** By record: the sum of its entries' signatures. */
  kept: Map<number, number>;
  /** Entries without a record, by the record they come after; END for those that come last. */
  added: Map<number, Entry[]>;
}

const END = Number.POSITIVE_INFINITY;

interface Copying {
  stream: Recorded;
  survey: Survey;
  thread: Thread;
  draft: Draft;
  state: ClaudeState;
  /** Records that are left out, with the one they followed. */
  gone: Map<string, string | null>;
  /** Records that others now follow in place of another. */
  instead: Map<string, string>;
  touched: boolean;
  /** The record that says the newest entry of the current branch, where that is not the last one. */
  head: string | undefined;
  /** Whether the last line has its newline. */
  closed: boolean;
}

export async function* copy(stream: Recorded, thread: Thread): AsyncGenerator<Written> {
  const { originalId } = stream.header.source;
  const copying: Copying = {
    stream,
    survey: await surveyOf(stream),
    thread,
    draft: newDraft(thread, stream.header),
    state: fold.initial({ path: thread.file, originalId: originalId ?? thread.target.originalId }),
    gone: new Map(),
    instead: new Map(),
    touched: false,
    head: undefined,
    closed: true,
  };
  yield* added(copying, -1);
  for await (const record of stream.records()) {
    yield* copyRecord(copying, record);
    yield* added(copying, record.index);
  }
  yield* added(copying, END);
  yield* ending(copying);
}

async function surveyOf(stream: Recorded): Promise<Survey> {
  const survey: Survey = { kept: new Map(), added: new Map() };
  let last = -1;
  let additions: Entry[] = [];
  for await (const entry of stream.entries()) {
    const own = entry.records?.at(-1);
    if (own === undefined) {
      additions.push(entry);
      continue;
    }
    if (additions.length > 0) survey.added.set(last, [...(survey.added.get(last) ?? []), ...additions]);
    additions = [];
    for (const index of entry.records ?? []) if (!survey.kept.has(index)) survey.kept.set(index, 0);
    survey.kept.set(own, (survey.kept.get(own) ?? 0) + signature(entry));
    last = Math.max(last, own);
  }
  if (additions.length > 0) survey.added.set(END, additions);
  return survey;
}

async function* copyRecord(copying: Copying, raw: SessionRecord): AsyncGenerator<Written> {
  const value = parsed(raw);
  const entries = foldedAt(copying, raw, value);
  const own = entries.filter((entry) => entry.records?.at(-1) === raw.index);
  const kept = copying.survey.kept.get(raw.index);
  const wanted = isWanted(copying, value, own.length > 0, kept !== undefined);
  if (own.some(({ id }) => id === copying.stream.header.head)) copying.head = filled(value?.uuid);
  if (!wanted) leaveOut(copying, value);
  else if (value && own.length > 0 && kept !== sum(own)) {
    const changed = await entriesOf(copying.stream, raw.index);
    copying.touched = true;
    yield write(copying, `${JSON.stringify(relinked(copying, rewritten(value, changed)))}\n`, value, changed);
  } else yield write(copying, relinkedBytes(copying, raw, value), value, entries);
}

function isWanted(copying: Copying, value: Json | undefined, hasEntries: boolean, isKept: boolean): boolean {
  if (isKept) return true;
  // A boundary at the very end has no entry yet, and means nothing to the CLI either.
  if (isBoundary(value)) return !copying.touched;
  return !hasEntries && staysBeside(copying, value);
}

function parsed({ raw, encoding }: SessionRecord): Json | undefined {
  if (encoding !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(raw.replace(/^[\uFEFF\0\s]+|[\0\s]+$/g, ""));
    return isObject(value) ? value : undefined;
  } catch {
    // Damaged lines are copied as they are.
    return undefined;
  }
}

function foldedAt({ state }: Copying, { index }: SessionRecord, value: Json | undefined): Entry[] {
  const place = { index, line: index + 1, offset: index, length: 0, bytes: Buffer.alloc(0) };
  const record: NativeRecord = { ...place, value, whole: true, terminated: true, losses: [] };
  return fold.step(state, record).flatMap((folded) => (folded.type === "entry" ? [folded.entry] : []));
}

function isBoundary(value: Json | undefined): boolean {
  return value?.type === "system" && value.subtype === "compact_boundary";
}

function sum(entries: readonly Entry[]): number {
  return entries.reduce((total, entry) => total + signature(entry), 0);
}

/** Records without entries stay, unless what they are about is gone. */
function staysBeside({ gone }: Copying, value: Json | undefined): boolean {
  const about =
    value?.type === "last-prompt" || value?.type === "summary" ? value.leafUuid : value?.parentUuid;
  return typeof about !== "string" || !gone.has(about);
}

function leaveOut(copying: Copying, value: Json | undefined): void {
  copying.touched = true;
  const uuid = filled(value?.uuid);
  const before = filled(value?.logicalParentUuid) ?? filled(value?.parentUuid) ?? null;
  if (uuid !== undefined) copying.gone.set(uuid, before);
}

/** What a record that named `parent` follows now. */
function parentNow({ gone, instead }: Copying, parent: string): string | null {
  let now: string | null = parent;
  for (let hops = 0; now !== null && gone.has(now) && hops <= gone.size; hops++) now = gone.get(now) ?? null;
  return now === null ? null : (instead.get(now) ?? now);
}

function relinked(copying: Copying, value: Json): Json {
  const parent = filled(value.parentUuid);
  return parent === undefined ? value : { ...value, parentUuid: parentNow(copying, parent) };
}

/** The bytes as they were, but for the name of a parent that is gone. */
function relinkedBytes(
  copying: Copying,
  { raw, encoding }: SessionRecord,
  value: Json | undefined,
): string | Uint8Array {
  if (encoding !== undefined) return Buffer.from(raw, encoding);
  const parent = filled(value?.parentUuid);
  const now = parent === undefined ? undefined : parentNow(copying, parent);
  if (now === undefined || now === parent) return raw;
  const before = `"parentUuid":${JSON.stringify(parent)}`;
  const after = `"parentUuid":${JSON.stringify(now)}`;
  return raw.includes(before)
    ? raw.replace(before, () => after)
    : `${JSON.stringify({ ...value, parentUuid: now })}\n`;
}

async function entriesOf(stream: Recorded, index: number): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of stream.entries()) if (entry.records?.at(-1) === index) found.push(entry);
  return found;
}

function write(
  copying: Copying,
  bytes: string | Uint8Array,
  value: Json | undefined,
  entries: readonly Entry[],
): WrittenRecord {
  const uuid = filled(value?.uuid);
  const inThread = copying.state.subagent || value?.isSidechain !== true;
  if (uuid !== undefined && value?.parentUuid !== undefined && inThread) copying.thread.parent = uuid;
  copying.closed = typeof bytes === "string" ? bytes.endsWith("\n") : bytes.at(-1) === 10;
  const says = entries.map((entry): WrittenRecord["says"][number] => [entry.type, textOf(entry)]);
  return { type: "record", file: copying.thread.file, bytes, says };
}

function textOf(entry: Entry): string {
  switch (entry.type) {
    case "tool_result":
      return entry.output;
    case "compaction":
      return entry.summary ?? "";
    case "tool_call":
    case "switch":
      return "";
    default:
      return entry.content;
  }
}

/** Entries that came from elsewhere, at their place; what followed the record before them follows them now. */
async function* added(copying: Copying, after: number): AsyncGenerator<Written> {
  const entries = copying.survey.added.get(after);
  if (!entries) return;
  const { thread, draft, stream } = copying;
  if (after === END && copying.head !== undefined) thread.parent = copying.head;
  const before = thread.parent;
  copying.touched = true;
  copying.head = undefined;
  if (!copying.closed) yield close(copying);
  const additions: Stream = { ...stream, entries: () => from(entries) };
  yield* compose(additions, draft);
  if (before !== null && thread.parent !== null) copying.instead.set(before, thread.parent);
}

async function* from(entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}

function close(copying: Copying): WrittenRecord {
  copying.closed = true;
  return { type: "record", file: copying.thread.file, bytes: "\n", says: [] };
}

/** Names the newest message where it is another one now. */
function* ending(copying: Copying): Generator<Written> {
  const { thread, draft, stream, touched } = copying;
  const { originalId: sessionId, title } = thread.target;
  const retitled = title !== undefined && title !== stream.header.title && !copying.state.subagent;
  if (!copying.closed && (touched || retitled)) yield close(copying);
  if (retitled) yield line(thread.file, { type: "custom-title", customTitle: title, sessionId });
  if (!touched || thread.parent === null || copying.state.subagent) return;
  const prompt = draft.lastPrompt === "" ? {} : { lastPrompt: draft.lastPrompt.slice(0, 200) };
  const leafUuid = copying.head ?? thread.parent;
  yield line(thread.file, { type: "last-prompt", ...prompt, leafUuid, sessionId });
}
