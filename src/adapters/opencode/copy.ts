// OpenCode's own sessions, row by row: what nobody changed is copied with everything in it, under new ids where the
// session gets one. A changed entry is written into the part it came from; one that is gone takes its part along.
import { loss } from "../../session/losses.ts";
import type { Entry, SessionRecord } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import { entryText } from "../../session/text.ts";
import { memberText, withMember, withoutMembers } from "../../storage/json-text.ts";
import { type RowLine, rowLine, storedLine } from "../../storage/rows.ts";
import type { Target, Written } from "../adapter.ts";
import { newWriting, placeColumns, projectLine, slugOf } from "./begin.ts";
import { asWritten, rewrittenParts } from "./changed.ts";
import { grouped, type Writing, writeGroup } from "./compose.ts";
import { type Clock, newClock, newSessionId } from "./ids.ts";
import type { Says } from "./lines.ts";
import { isObject, isoTime, type JsonObject, lineOf, objectOf, word } from "./native.ts";
import { fold } from "./read.ts";
import type { OpenCodeState } from "./state.ts";
import { databaseOf, isProvenSchema, type Project, projectOf } from "./store.ts";

interface Copying {
  target: Target;
  file: string;
  /** Whether it keeps its id, and all others with it. */
  isSame: boolean;
  clock: Clock;
  ids: Map<string, string>;
  project: Project;
  state: OpenCodeState;
  writing: Writing;
  /** By the old id: the sessions of subagents. */
  subagents: Map<string, string>;
}

export async function* copySession(stream: Stream, target: Target, file: string): AsyncGenerator<Written> {
  const project = projectOf(target);
  const copying: Copying = {
    target,
    file,
    isSame: target.originalId === stream.header.source.originalId,
    clock: newClock(target.now),
    ids: new Map(),
    project,
    state: fold.initial({ path: "", originalId: target.originalId }),
    writing: newWriting(stream, target, file, project),
    subagents: new Map(),
  };
  copying.writing.clock = copying.clock;
  if (!project.known && !copying.isSame)
    yield { type: "record", file, bytes: `${projectLine(project, target)}\n`, says: [] };
  yield* merged(stream, copying);
  for await (const child of stream.children()) yield* copyChild(child, copying);
}

async function* copyChild(child: Stream, { target, isSame, subagents }: Copying): AsyncGenerator<Written> {
  const old = child.header.source.originalId ?? child.header.id;
  const id = isSame ? old : (subagents.get(old) ?? newSessionId());
  const title = child.header.title === undefined ? {} : { title: child.header.title };
  yield* copySession(
    child,
    { ...target, ...title, originalId: id, parent: { originalId: target.originalId } },
    id,
  );
}

/** Entries and records side by side: an entry belongs to the record it names, a new one comes where it stands. */
async function* merged(stream: Stream, copying: Copying): AsyncGenerator<Written> {
  const entries = stream.entries()[Symbol.asyncIterator]();
  let next = await entries.next();
  /** Records without entries, which follow what stays and go with what is gone. */
  let held: Written[] = [];
  for await (const record of stream.records?.() ?? []) {
    const line = lineOf(JSON.parse(textOf(record)));
    if (!line) continue;
    const texts = textsIn(line, textOf(record));
    const old = entriesIn(copying, record, line);
    const kept: Entry[] = [];
    const added: Entry[] = [];
    const behind: Entry[] = [];
    while (!next.done && indexOf(next.value) <= record.index) {
      const isKept = indexOf(next.value) === record.index;
      (isKept ? kept : kept.length > 0 ? behind : added).push(next.value);
      next = await entries.next();
    }
    if (added.length > 0) yield* composedEntries(copying, added);
    if (line.table === "session") yield* sessionRecord(copying, line, textOf(record));
    else if (old.length === 0) {
      // A new session gets no message that cannot be read; reading has reported it.
      if (copying.isSame || isObject(line.data)) held.push(messageRecord(copying, line, texts, []));
    } else if (kept.length > 0) {
      yield* held;
      held = [];
      yield* keptRecord(copying, line, texts, old, kept);
    }
    if (behind.length > 0) yield* composedEntries(copying, behind);
  }
  const rest: Entry[] = [];
  for (; !next.done; next = await entries.next()) rest.push(next.value);
  if (rest.length > 0) yield* composedEntries(copying, rest);
  else if (copying.isSame) yield* held;
}

/** By the row: its data as it was written. Rows that were changed are others. */
type Texts = ReadonlyMap<unknown, string>;

function textsIn(line: RowLine, json: string): Texts {
  const { data, rows = [] } = storedLine(json);
  return new Map(
    [[line, data] as const, ...rows.map((row, at) => [line.rows?.[at], row.data] as const)].flatMap(
      ([row, text]) => (typeof text === "string" ? [[row, text] as const] : []),
    ),
  );
}

function indexOf(entry: Entry): number {
  return entry.records?.[0] ?? -1;
}

function textOf({ raw, encoding }: SessionRecord): string {
  return encoding === "base64" ? Buffer.from(raw, "base64").toString("utf8") : raw;
}

function entriesIn({ state }: Copying, { index }: SessionRecord, value: RowLine): Entry[] {
  const native = { index, line: index + 1, offset: 0, length: 0, value, whole: true, terminated: true };
  const folded = fold.step(state, { ...native, losses: [], bytes: Buffer.alloc(0) });
  return folded.flatMap((found) => (found.type === "entry" ? [found.entry] : []));
}

async function* composedEntries({ writing }: Copying, entries: readonly Entry[]): AsyncGenerator<Written> {
  for await (const group of grouped(each(entries))) yield* writeGroup(writing, group);
}

async function* each(entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}

function* keptRecord(
  copying: Copying,
  line: RowLine,
  texts: Texts,
  old: readonly Entry[],
  kept: readonly Entry[],
): Generator<Written> {
  const isWhole = old.length === kept.length && old.every((entry, at) => says(entry) === says(kept[at]!));
  const changed = isWhole ? undefined : rewrittenParts(line, old, kept);
  for (const found of changed?.losses ?? []) yield { type: "loss", loss: found };
  const written = changed ? asWritten(changed.rows, kept) : kept;
  const saying = written.map((entry) => [entry.type, entryText(entry)] as const);
  yield messageRecord(copying, line, texts, saying, changed?.rows);
}

/** What an entry says, as far as a part can say it. */
function says(entry: Entry): string {
  const input = entry.type === "tool_call" ? entry.input : null;
  const made = entry.type === "switch" ? entry.switch : null;
  return JSON.stringify([entry.id, entry.type, entryText(entry), input, entry.parts ?? null, made]);
}

function* sessionRecord(copying: Copying, line: RowLine, text: string): Generator<Written> {
  const { target, file, isSame, project } = copying;
  const isImported = isSame || !isProvenSchema(databaseOf(target), target.version);
  // The list of tasks that the CLI shows is in the calls as well, and its import does not take it apart.
  if (isImported && line.rows?.length)
    yield { type: "loss", loss: loss("facts_dropped", {}, "the list of tasks; the calls that made it stay") };
  if (isSame) {
    yield textRecord(file, text.trimEnd(), []);
    return;
  }
  const shown = isImported ? [] : (line.rows ?? []);
  const todos = shown.map((todo) => ({
    ...todo,
    row: { ...todo.row, session_id: target.originalId },
  }));
  const row = {
    ...columnsOf(line),
    id: target.originalId,
    ...placeColumns(target, project),
    parent_id: target.parent?.originalId ?? null,
    slug: slugOf(target.originalId),
    ...(target.title !== undefined && { title: target.title }),
    // What went back is not copied, and a copy is shared with nobody.
    revert: null,
    share_url: null,
    time_updated: target.now.getTime(),
  };
  yield recordOf(file, { table: "session", row, ...(todos.length > 0 && { rows: todos }) }, []);
}

/** Of a session that came from a file: the columns that say the same. */
function columnsOf({ row, data }: RowLine): JsonObject {
  if (!isObject(data)) return row as JsonObject;
  const time = objectOf(data.time);
  const version = word(data.version) ?? "unknown";
  return { title: data.title, version, time_created: time.created, permission: data.permission ?? null };
}

function messageRecord(
  copying: Copying,
  line: RowLine,
  texts: Texts,
  saying: Says,
  parts: readonly RowLine[] = line.rows ?? [],
): Written {
  const { file, isSame, target, clock } = copying;
  const text = (row: RowLine) => texts.get(row) ?? JSON.stringify(row.data);
  if (isSame) {
    const inner = parts.map((part) => rowLine(part.table, { ...part.row, data: text(part) }));
    return textRecord(file, rowLine(line.table, { ...line.row, data: text(line) }, inner), saying);
  }
  const data = objectOf(line.data);
  const time = clock.at(isoTime(line.row.time_created) ?? isoTime(objectOf(data.time).created) ?? "");
  const id = newIdOf(copying, String(line.row.id), "msg");
  if (data.role === "user") copying.writing.prompt = id;
  const columns = { session_id: target.originalId, time_created: time, time_updated: time };
  // The CLI fails on a part that is damaged; reading has reported it.
  const sound = parts.filter((part) => isObject(part.data));
  const inner = sound.map((part) => {
    const row = { id: newIdOf(copying, String(part.row.id), "prt"), message_id: id, ...columns };
    return rowLine("part", { ...row, data: partText(copying, part.data, text(part)) });
  });
  const own = messageText(copying, data, isObject(line.data) ? text(line) : "{}", time);
  return textRecord(file, rowLine("message", { id, ...columns, data: own }, inner), saying);
}

function newIdOf({ ids, clock }: Copying, old: string, prefix: "msg" | "prt"): string {
  const id = ids.get(old) ?? clock.id(prefix);
  ids.set(old, id);
  return id;
}

/** As it was written, with its own time, and the ids of others in place of theirs. */
function messageText({ ids }: Copying, data: JsonObject, text: string, time: number): string {
  const parent = word(data.parentID);
  const rest = withoutMembers(text, ["id", "sessionID"]);
  const child =
    parent === undefined ? rest : withMember(rest, "parentID", JSON.stringify(ids.get(parent) ?? parent));
  if (objectOf(data.time).created === time) return child;
  const times = isObject(data.time) ? (memberText(child, "time") ?? "{}") : "{}";
  return withMember(child, "time", withMember(times, "created", String(time)));
}

function partText(copying: Copying, data: unknown, text: string): string {
  if (!isObject(data)) return text;
  const rest = withoutMembers(text, ["id", "sessionID", "messageID"]);
  const tail = word(data.tail_start_id);
  if (tail !== undefined)
    return withMember(rest, "tail_start_id", JSON.stringify(copying.ids.get(tail) ?? tail));
  const child = word(objectOf(objectOf(data.state).metadata).sessionId);
  if (child === undefined) return rest;
  const sessionId = copying.subagents.get(child) ?? newSessionId();
  copying.subagents.set(child, sessionId);
  const state = memberText(rest, "state") ?? "{}";
  const metadata = withMember(memberText(state, "metadata") ?? "{}", "sessionId", JSON.stringify(sessionId));
  return withMember(rest, "state", withMember(state, "metadata", metadata));
}

function recordOf(file: string, line: RowLine, saying: Says): Written {
  return textRecord(file, JSON.stringify(line), saying);
}

function textRecord(file: string, line: string, says: Says): Written {
  return { type: "record", file, bytes: `${line}\n`, says };
}
