// Takes a Codex session back into Codex: records that nobody touched are copied byte for byte, what changed is
// written anew in its place, what was left out is left out. Under a new id the line that names the thread is new.
import { type Loss, loss } from "../../session/losses.ts";
import type { Entry } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import type { Target, Written, WrittenRecord } from "../adapter.ts";
import { type Additions, additions } from "./additions.ts";
import { type Bases, basesFor } from "./bases.ts";
import { type Edits, editsOf, unhonoured } from "./edited.ts";
import { lines } from "./lines.ts";
import { namesIn } from "./names.ts";
import { type CodexRecord, count, isObject, type JsonObject, recordOf, word } from "./native.ts";
import { codexHome } from "./paths.ts";
import { fold } from "./read.ts";
import { entriesOf, foldAt, type Replayed, replay, sayingOf } from "./replay.ts";
import { rewritten } from "./rewrite.ts";
import type { CodexState } from "./state.ts";
import type { Survey } from "./survey.ts";

interface Copying {
  stream: Stream;
  target: Target;
  survey: Survey;
  edits: Edits;
  /** The session keeps its id, and with it everything that nobody understands. */
  isSame: boolean;
  /** What reading the new file would know by now. */
  state: CodexState;
  added: Additions;
  bases: Bases;
  written: number;
  /** How many records were read again, those of other files too. */
  read: number;
  /** The ordinal that was written last. */
  ordinal: number;
  isPaginated: boolean;
  /** The turn that is open. */
  turn: string | undefined;
  /** For each prompt of the new file: how many of the old one came before it. */
  prompts: number[];
  /** Whether the last line has its newline. */
  closed: boolean;
}

export async function* copied(stream: Stream, target: Target, survey: Survey): AsyncGenerator<Written> {
  const name = namesIn(codexHome(target.home)).get(target.originalId);
  // A name stands in Codex's own index, and may be there already.
  for (const found of survey.losses)
    if (found.detail !== "title" || name !== stream.header.title) yield lost(found);
  const edits = await editsOf(stream, target, survey);
  const copying: Copying = {
    stream,
    target,
    survey,
    edits,
    isSame: stream.header.source.originalId === target.originalId,
    state: fold.initial({ path: "", originalId: target.originalId }),
    added: additions(stream, target, survey, edits.added),
    bases: basesFor(target),
    written: 0,
    read: 0,
    ordinal: -1,
    isPaginated: false,
    turn: undefined,
    prompts: [],
    closed: true,
  };
  let before = 0;
  for await (const replayed of replay(stream)) {
    const { record, value } = replayed;
    if (record.index >= survey.limit) break;
    const native = recordOf(value);
    if (native && isPlaceFor(native, replayed)) yield* addedHere(copying, before);
    if (copying.isSame && record.file !== undefined) yield* standing(copying, replayed, record.file);
    else for (const written of copyRecord(copying, replayed, native)) yield written;
    copying.added.passed(record.index);
    before = replayed.state.prompts.length;
  }
  yield* addedHere(copying, before);
  yield* ending(copying);
}

function lost(found: Loss): Written {
  return { type: "loss", loss: found };
}

/** What was put in between comes before the next turn, or the next entry. */
function isPlaceFor({ payload }: CodexRecord, { folded }: Replayed): boolean {
  if (payload.type === "task_started" || payload.type === "turn_started") return true;
  return folded.some(({ type }) => type === "entry");
}

function* copyRecord(
  copying: Copying,
  replayed: Replayed,
  native: CodexRecord | undefined,
): Generator<Written> {
  const { isSame } = copying;
  const { bytes, value } = replayed;
  if (!native) {
    // Damage is nothing that a thread of another name needs.
    if (isSame) yield write(copying, bytes, value).record;
    return;
  }
  if (
    !isSame &&
    ((native.type === "session_meta" && copying.written > 0) ||
      isForeignSetting(native.payload, copying.target))
  )
    return;
  if (native.type === "session_meta") {
    yield* copyMeta(copying, replayed, native);
    return;
  }
  const now = valueNow(copying, replayed, native);
  yield* copying.edits.drained().map(lost);
  yield* copying.edits.files();
  if (now === null) return;
  copying.turn = turnAfter(copying.turn, native.payload);
  yield* now === undefined ? untouched(copying, replayed, native) : changed(copying, replayed, now);
}

/** A record of a file that the thread goes on from; it is as it is. */
async function* standing(copying: Copying, replayed: Replayed, file: string): AsyncGenerator<Written> {
  const { record, value, folded, state } = replayed;
  follow(copying, value, state.prompts.length - 1);
  const written = await copying.bases.record(file, replayed);
  if (written) yield written;
  if (!copying.survey.touched.has(record.index)) return;
  for (const { id } of entriesOf(folded))
    yield lost(loss("edit_ignored", { entry: id }, "it stands in the file of another thread"));
}

/** Undefined when the record stays as it is, null when it goes. */
function valueNow(
  { survey, edits, prompts }: Copying,
  { record, value, folded, state }: Replayed,
  { type, payload }: CodexRecord,
): JsonObject | null | undefined {
  if (!isObject(value)) return undefined;
  if (payload.type === "thread_rolled_back") {
    const turns = prompts.filter((place) => place >= state.prompts.length).length;
    if (!edits.touchesPrompts || turns === payload.num_turns) return undefined;
    return turns === 0 ? null : { ...value, payload: { ...payload, num_turns: turns } };
  }
  if (survey.touched.has(record.index)) {
    const now = edits.entries(record.index);
    return now.length === 0 ? null : rewritten(value, entriesOf(folded), now, edits);
  }
  const shown = type === "event_msg" ? edits.shown(record.index, payload) : undefined;
  return shown ? { ...value, payload: shown } : shown;
}

/** The ordinal of a record; one that was put in before may have taken its own. */
function ordinalFor(copying: Copying, given: number | undefined): number | undefined {
  const ordinal = given === undefined || given > copying.ordinal ? given : copying.ordinal + 1;
  copying.ordinal = ordinal ?? copying.ordinal;
  return ordinal;
}

function* untouched(copying: Copying, replayed: Replayed, { ordinal }: CodexRecord): Generator<Written> {
  const given = count(ordinal);
  const next = ordinalFor(copying, given);
  const bytes = copying.isSame ? replayed.bytes : ended(replayed.bytes);
  const now = next === given ? bytes : numbered(bytes, replayed.value, next);
  yield write(copying, now, replayed.value, replayed.state).record;
}

function numbered(bytes: Uint8Array | string, value: unknown, ordinal: number | undefined): string {
  const text = typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("utf8");
  const renumbered = text.replace(/^(\s*\{(?:"timestamp":"[^"\\]*",)?"ordinal":)\d+/, `$1${ordinal}`);
  if (renumbered !== text) return renumbered;
  return `${JSON.stringify({ ...(isObject(value) ? value : {}), ordinal })}\n`;
}

function* changed(copying: Copying, replayed: Replayed, value: JsonObject): Generator<Written> {
  const { record, folded, state } = replayed;
  const ordinal = ordinalFor(copying, count(value.ordinal));
  const now = ordinal === undefined ? value : { ...value, ordinal };
  const made = write(copying, `${JSON.stringify(now)}\n`, now, state);
  yield made.record;
  if (copying.survey.touched.has(record.index))
    yield* unhonoured(entriesOf(folded), copying.edits.entries(record.index), made.entries).map(lost);
}

/** A line of the main file, and what reading it will yield. */
function write(
  copying: Copying,
  bytes: Uint8Array | string,
  value: unknown,
  old?: CodexState,
): { record: WrittenRecord; entries: Entry[] } {
  const entries = follow(copying, value, old === undefined ? undefined : old.prompts.length - 1);
  const says = entries.map(sayingOf);
  copying.written++;
  copying.closed = typeof bytes === "string" ? bytes.endsWith("\n") : bytes.at(-1) === 10;
  return { record: { type: "record", file: "main", bytes, says }, entries };
}

/** Reads what the file says now, as Codex will. */
function follow(copying: Copying, value: unknown, place: number | undefined): Entry[] {
  const before = copying.state.prompts.length;
  const entries = entriesOf(foldAt(copying.state, copying.read++, value));
  const now = copying.state.prompts.length;
  if (now > before && place !== undefined) copying.prompts.push(place);
  else if (now < before) copying.prompts.length = now;
  return entries;
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

/** The turn that is open behind an event. */
export function turnAfter(turn: string | undefined, payload: JsonObject): string | undefined {
  if (payload.type === "task_started" || payload.type === "turn_started") return word(payload.turn_id);
  const isEnd = ["task_complete", "turn_complete", "turn_aborted"].includes(String(payload.type));
  return isEnd ? undefined : turn;
}

function* copyMeta(copying: Copying, replayed: Replayed, native: CodexRecord): Generator<Written> {
  const { payload } = native;
  copying.isPaginated ||= payload.history_mode === "paginated";
  if (copying.isSame) {
    const placed = projectNow(copying, payload);
    const now = belowNow(copying.target, placed ?? payload) ?? placed;
    yield* now
      ? changed(copying, replayed, { ...(replayed.value as JsonObject), payload: now })
      : untouched(copying, replayed, native);
    return;
  }
  const record = metaRecord(payload, native.timestamp, copying.target);
  copying.ordinal = 0;
  yield write(copying, `${JSON.stringify(record)}\n`, record).record;
}

/** The thread's own line with the folder and the commit that the session names now. */
function projectNow({ survey, target }: Copying, payload: JsonObject): JsonObject | undefined {
  const { project } = survey;
  if (!project || payload.id !== target.originalId) return undefined;
  const { branch, commit, remote } = project.git ?? {};
  const git = isObject(payload.git) ? payload.git : {};
  const named = { commit_hash: commit, branch, repository_url: remote };
  return {
    ...payload,
    cwd: project.path,
    ...((project.git ?? payload.git) !== undefined && { git: { ...git, ...named } }),
  };
}

/** The line of a subagent whose parent goes by another id now. */
function belowNow({ parent, originalId }: Target, payload: JsonObject): JsonObject | undefined {
  const old = payload.parent_thread_id;
  if (!parent || payload.id !== originalId || typeof old !== "string" || old === parent.originalId)
    return undefined;
  const renamed: unknown = JSON.parse(JSON.stringify(payload), (key, value) =>
    value === old && PARENT.has(key) ? parent.originalId : value,
  );
  return isObject(renamed) ? renamed : undefined;
}

const PARENT: ReadonlySet<string> = new Set(["session_id", "parent_thread_id", "forked_from_id"]);

/** Fields that tie a thread to other files or to a parent. */
const TIES = [
  "history_base",
  "forked_from_ordinal_exclusive",
  "parent_thread_id",
  "thread_source",
  "subagent_history_start_ordinal",
];

/** The line as it was, about the new thread, which is whole in itself. */
function metaRecord(old: JsonObject, timestamp: unknown, target: Target): JsonObject {
  const ties = isProvider(old.model_provider, target) ? TIES : [...TIES, "model_provider"];
  const kept = Object.fromEntries(Object.entries(old).filter(([key]) => !ties.includes(key)));
  const id = target.originalId;
  const payload = { ...kept, session_id: id, id, forked_from_id: old.id, cwd: target.cwd, source: "cli" };
  const ordinal = old.history_mode === "paginated" ? { ordinal: 0 } : {};
  return { timestamp, ...ordinal, type: "session_meta", payload };
}

/** Entries that came from elsewhere, at their place. */
async function* addedHere(copying: Copying, prompts: number): AsyncGenerator<Written> {
  if (copying.added.isEmpty()) return;
  if (!copying.closed) yield write(copying, "\n", undefined).record;
  const { isPaginated, ordinal, turn } = copying;
  for await (const written of copying.added.write({ isPaginated, ordinal, turn })) {
    if (written.type === "record" && written.file === "main") {
      copying.written++;
      const value: unknown = JSON.parse(String(written.bytes));
      if (isPaginated) copying.ordinal++;
      follow(copying, value, prompts - 0.5);
    }
    yield written;
  }
}

/** A copy that ends inside a turn closes it, or the view would show it as going on. */
function* ending({ turn, isPaginated, isSame, target, ordinal }: Copying): Generator<Written> {
  if (isSame || turn === undefined || !isPaginated) return;
  const out = lines("main", target.originalId, target.now, ordinal + 1);
  yield out.line("event_msg", { type: "task_complete", turn_id: turn, last_agent_message: null });
}
