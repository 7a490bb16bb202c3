// Gives a session back to Claude Code: records that nobody touched are copied byte for byte, what changed is
// written anew in its place, what was left out is left out, and the chain is closed where that tore it.

import { type Loss, loss } from "../../session/losses.ts";
import type { Entry, Header, SessionRecord, Usage } from "../../session/session.ts";
import { type SkeletonBuilder, skeletonBuilder } from "../../session/skeleton.ts";
import type { Folded, Stream } from "../../session/source.ts";
import { entryText } from "../../session/text.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { Written, WrittenRecord } from "../adapter.ts";
import { headerBuilder } from "../header.ts";
import { compose } from "./compose.ts";
import { type Draft, newDraft } from "./draft.ts";
import { editedFields, newPlaces, notePlace, type Places } from "./edits.ts";
import { line, type Thread } from "./lines.ts";
import { filled, isShallow, type Json } from "./native.ts";
import { fold } from "./read.ts";
import { asWritten, rewritten } from "./rewrite.ts";
import { signature } from "./signature.ts";
import type { ClaudeState } from "./state.ts";
import { END, parsed, type Recorded, type Survey, surveyOf } from "./survey.ts";

/** Sessions that Claude Code itself recorded, with their records at hand. */
export function isRecorded(stream: Stream): stream is Recorded {
  return stream.header.source.cli === "claude" && stream.records !== undefined;
}

/** A subagent whose records stand in the file of its session; undefined for others. */
export function threadInside(stream: Stream): string | undefined {
  const { originalId = "" } = stream.header.source;
  const at = originalId.indexOf(THREAD);
  return isRecorded(stream) && at !== -1 ? originalId.slice(at + THREAD.length) : undefined;
}

const THREAD = "/thread-";

interface Copying {
  stream: Recorded;
  survey: Survey;
  thread: Thread;
  draft: Draft;
  state: ClaudeState;
  /** Subagents inside the file, each with what its reader remembers. */
  inside: readonly { stream: Stream; state: ClaudeState }[];
  /** The session as its records tell it. */
  native: { header: ReturnType<typeof headerBuilder>; skeleton: SkeletonBuilder; head?: Head };
  places: Places;
  losses: Loss[];
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

type Head = Extract<Folded, { type: "head" }>;

export async function* copy(
  stream: Recorded,
  thread: Thread,
  children: readonly Stream[] = [],
): AsyncGenerator<Written> {
  const copying = await newCopying(stream, thread, children);
  yield* added(copying, -1);
  for await (const record of stream.records()) {
    yield* copyRecord(copying, record);
    yield* added(copying, record.index);
  }
  yield* added(copying, END);
  yield* ending(copying);
  for (const found of [...copying.survey.losses, ...copying.losses]) yield { type: "loss", loss: found };
}

async function newCopying(stream: Recorded, thread: Thread, children: readonly Stream[]): Promise<Copying> {
  const originalId = stream.header.source.originalId ?? thread.target.originalId;
  const ref = { agent: "claude", path: thread.file, originalId, files: [] };
  const inside = children.flatMap((child) => {
    const name = threadInside(child);
    return name === undefined ? [] : [{ stream: child, state: fold.initial({ ...ref, thread: name }) }];
  });
  return {
    stream,
    survey: await surveyOf(
      stream,
      inside.map((one) => one.stream),
    ),
    thread,
    draft: newDraft(thread, stream.header),
    state: fold.initial(ref),
    inside,
    native: { header: headerBuilder("claude", ref, "anthropic"), skeleton: skeletonBuilder() },
    places: newPlaces(),
    losses: [],
    gone: new Map(),
    instead: new Map(),
    touched: false,
    head: undefined,
    closed: true,
  };
}

async function* copyRecord(copying: Copying, raw: SessionRecord): AsyncGenerator<Written> {
  const value = parsed(raw);
  const { main, all } = foldedAt(copying, raw, value);
  const isOwn = (entry: Entry) => entry.records?.at(-1) === raw.index;
  const own = all.filter(isOwn);
  notePlace(copying.places, value, own);
  if (own.some(({ id }) => id === copying.stream.header.head)) copying.head = filled(value?.uuid);
  if (!isWanted(copying, raw, value, own.length > 0)) {
    leaveOut(copying, value);
    return;
  }
  const changed = value && (await changedRecord(copying, raw, value, own));
  if (!changed) {
    yield write(copying, relinkedBytes(copying, raw, value), value, main);
    return;
  }
  const said = changed.entries && main.some(isOwn) ? changed.entries : main;
  yield write(copying, `${JSON.stringify(relinked(copying, changed.value))}\n`, value, said);
}

interface Changed {
  value: Json;
  /** What it says now, where that is something else. */
  entries?: Entry[];
}

/** The record with all edits, or undefined when there are none that it can express. */
async function changedRecord(
  copying: Copying,
  { index }: SessionRecord,
  value: Json,
  own: readonly Entry[],
): Promise<Changed | undefined> {
  const { survey, places, state, losses, stream } = copying;
  const isReworded = own.length > 0 && survey.kept.get(index) !== sum(own);
  const entries = isReworded ? await entriesOf(copying, index) : [];
  const reworded = isReworded && isShallow(value) ? rewritten(value, own, entries, losses) : undefined;
  if (isReworded && !reworded) ignored(copying, entries[0]?.id, "this kind of record cannot say it");
  const context = { survey, places, state, path: stream.header.project.path, losses };
  const fields = editedFields(reworded ?? value, index, own, context);
  if (fields && !isShallow(value)) return ignored(copying, own[0]?.id, "a record that is nested too deeply");
  if (reworded) copying.touched = true;
  if (!reworded && !fields) return undefined;
  const now = { ...(reworded ?? value), ...fields };
  return { value: now, ...(reworded && { entries: asWritten(now, entries) }) };
}

function ignored(copying: Copying, entry: string | undefined, detail: string): undefined {
  copying.losses.push(loss("edit_ignored", entry === undefined ? {} : { entry }, detail));
}

function isWanted(
  copying: Copying,
  raw: SessionRecord,
  value: Json | undefined,
  hasEntries: boolean,
): boolean {
  const { survey, gone } = copying;
  if (survey.kept.has(raw.index)) return true;
  // A boundary at the very end has no entry yet, and means nothing to the CLI either until something follows.
  if (isBoundary(value)) return raw.entries === false && gone.size === 0 && survey.added.size === 0;
  return !hasEntries && staysBeside(copying, value);
}

/** The entries of a record: those of the session itself, and with those of subagents in the same file. */
function foldedAt(
  copying: Copying,
  { index }: SessionRecord,
  value: Json | undefined,
): { main: Entry[]; all: Entry[] } {
  const { native } = copying;
  const place = { index, line: index + 1, offset: index, length: 0, bytes: Buffer.alloc(0) };
  const record: NativeRecord = { ...place, value, whole: true, terminated: true, losses: [] };
  const main: Entry[] = [];
  for (const folded of fold.step(copying.state, record)) {
    if (folded.type === "header") native.header.patch(folded.patch);
    else if (folded.type === "link") native.skeleton.link(folded.id, folded.parent, folded.alias);
    else if (folded.type === "head") native.head = folded;
    else if (folded.type === "entry") {
      native.header.entry(folded.entry);
      native.skeleton.add(folded.entry, folded.keepsRun);
      main.push(folded.entry);
    }
  }
  const others = copying.inside.flatMap(({ state }) => fold.step(state, record));
  return { main, all: [...main, ...others.flatMap((one) => (one.type === "entry" ? [one.entry] : []))] };
}

function isBoundary(value: Json | undefined): boolean {
  return value?.type === "system" && value.subtype === "compact_boundary" && filled(value.uuid) !== undefined;
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

async function entriesOf({ stream, inside }: Copying, index: number): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const one of [stream, ...inside.map((child) => child.stream)])
    for await (const entry of one.entries()) if (entry.records?.at(-1) === index) found.push(entry);
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
  const says = entries.map((entry): WrittenRecord["says"][number] => [entry.type, entryText(entry)]);
  return { type: "record", file: copying.thread.file, bytes, says };
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
  for await (const batch of compose(additions, draft)) yield* batch;
  if (before !== null && thread.parent !== null) copying.instead.set(before, thread.parent);
}

async function* from(entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}

function close(copying: Copying): WrittenRecord {
  copying.closed = true;
  return { type: "record", file: copying.thread.file, bytes: "\n", says: [] };
}

/** Names the title and the newest message where they are others now. */
function* ending(copying: Copying): Generator<Written> {
  const { thread, draft } = copying;
  const { originalId: sessionId } = thread.target;
  if (copying.state.subagent) return;
  const { title, leaf } = newEnding(copying);
  if (!copying.closed && (title !== undefined || leaf !== undefined)) yield close(copying);
  if (title !== undefined) yield line(thread.file, { type: "custom-title", customTitle: title, sessionId });
  if (leaf === undefined) return;
  const prompt = draft.lastPrompt === "" ? {} : { lastPrompt: draft.lastPrompt.slice(0, 200) };
  yield line(thread.file, { type: "last-prompt", ...prompt, leafUuid: leaf, sessionId });
}

function newEnding(copying: Copying): { title: string | undefined; leaf: string | undefined } {
  const { thread, stream, native, touched } = copying;
  const skeleton = native.skeleton.finish(native.head?.id, native.head?.unlessFollowed);
  const isLast = skeleton.head === skeleton.length - 1;
  const before = native.header.finish(NO_USAGE, isLast ? undefined : skeleton.id(skeleton.head));
  reportHeader(copying, before);
  const asked = thread.target.title;
  const title = asked !== undefined && asked !== stream.header.title ? asked : stream.header.title;
  const leaf = touched ? (copying.head ?? thread.parent) : newLeaf(copying, before.head);
  return { title: title === before.title ? undefined : title, leaf: leaf ?? undefined };
}

const NO_USAGE: ReadonlyMap<string, Usage> = new Map();

/** The record that is to be the newest one, where nothing but that was changed. */
function newLeaf(copying: Copying, before: string | undefined): string | undefined {
  const { stream, thread, head, places } = copying;
  const wanted = stream.header.head;
  if (wanted === before) return undefined;
  if (wanted === undefined) return thread.parent ?? undefined;
  if (head === undefined) return ignored(copying, wanted, "the newest entry is none of the file's");
  // The CLI goes on from the last record when that is below the one named.
  if (head === thread.parent) return head;
  for (let at = thread.parent; at !== null; at = places.parents.get(at) ?? null)
    if (at === head)
      return ignored(copying, wanted, "the newest entry has others below it; fork there instead");
  return head;
}

/** What the file says through its records only. */
function reportHeader(copying: Copying, before: Header): void {
  const { header } = copying.stream;
  const models = [...copying.survey.facts.values()].map(({ model }) => model);
  if (header.model.model !== before.model.model && !models.includes(header.model.model))
    ignored(copying, undefined, `the model of the session, ${header.model.model}: no message names it`);
  if (header.project.git?.branch !== before.project.git?.branch)
    ignored(copying, undefined, "the branch of the project");
  if (header.summary !== before.summary) ignored(copying, undefined, "the summary of the session");
}
