// The fold: one record, a session or a message with its parts, to entries. What the CLI would send again when it
// resumes decides what is visible (README.md).
import { loss } from "../../session/losses.ts";
import type { Compaction, Entry } from "../../session/session.ts";
import type { Folded, HeaderPatch } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { RowLine } from "../../storage/rows.ts";
import type { Fold } from "../adapter.ts";
import { glance } from "./glance.ts";
import { foldOldMessage, foldOldSession } from "./go-era.ts";
import { assistantEntries, errorNote, isFailed, userEntries } from "./messages.ts";
import {
  columnObject,
  isObject,
  isoTime,
  type JsonObject,
  lineOf,
  objectOf,
  partsOf,
  QUESTION,
  unreadableParts,
  why,
  word,
} from "./native.ts";
import { isNew, newState, type OpenCodeState } from "./state.ts";
import { isDefaultTitle } from "./titles.ts";
import { usagesOf } from "./usage.ts";

export const fold: Fold<OpenCodeState> = { initial: newState, step, glance };

function step(state: OpenCodeState, record: NativeRecord): Folded[] {
  const out: Folded[] = [];
  const line = lineOf(record.value);
  if (!line) {
    if (record.value !== undefined) malformed(record, "it is no row", out);
    return out;
  }
  switch (line.table) {
    case "session":
      foldSession(state, line, out);
      break;
    case "message":
      foldMessage(state, record, line, out);
      break;
    case "sessions":
      foldOldSession(state, line.row, out);
      break;
    case "messages":
      foldOldMessage(state, record, line, out);
      break;
    default:
      if (isNew(state, line.table)) out.push(unknown(record, `rows of ${line.table.slice(0, 80)}`));
  }
  return out;
}

/** A row of the database, or the object that the JSON tree and exported files hold. */
function foldSession(state: OpenCodeState, { row, data }: RowLine, out: Folded[]): void {
  const info = isObject(data) ? data : {};
  const time = objectOf(info.time);
  const title = word(row.title) ?? word(info.title);
  const version = word(row.version) ?? word(info.version);
  const cwd = word(row.directory) ?? word(info.directory);
  const created = isoTime(row.time_created) ?? isoTime(time.created);
  const parent = word(row.parent_id) ?? word(info.parentID);
  const model = { ...columnObject(row.model), ...objectOf(info.model) };
  const patch: HeaderPatch = {
    ...(title !== undefined && !isDefaultTitle(title) && { title, titleRank: 2 }),
    ...(version !== undefined && { cliVersion: version }),
    ...(cwd !== undefined && { cwd }),
    ...(created !== undefined && { timestamp: created }),
    ...(word(model.id) !== undefined && { model: String(model.id) }),
    ...(word(model.providerID) !== undefined && { provider: String(model.providerID) }),
  };
  out.push({ type: "header", patch });
  if (parent !== undefined)
    out.push({ type: "header", patch: { link: { type: "parent", session: `opencode:${parent}` } } });
  if (created !== undefined) state.time = created;
  const revert = revertOf(row.revert) ?? revertOf(info.revert);
  if (revert) state.revert = revert;
}

/** The column holds a diff as well, which a pass over structure cuts: only its beginning is looked at. */
function revertOf(value: unknown): OpenCodeState["revert"] {
  const start = isObject(value)
    ? JSON.stringify({ ...value, diff: undefined })
    : typeof value === "string"
      ? value
      : "";
  const message = /"messageID":\s*"([^"]+)"/.exec(start.slice(0, 500))?.[1];
  const part = /"partID":\s*"([^"]+)"/.exec(start.slice(0, 500))?.[1];
  return message === undefined ? undefined : { message, ...(part !== undefined && { part }) };
}

function foldMessage(state: OpenCodeState, record: NativeRecord, line: RowLine, out: Folded[]): void {
  const { data } = line;
  const id = word(line.row.id);
  if (!isObject(data) || id === undefined) {
    malformed(record, `a message lacks its data${why(line.row)}`, out);
    return;
  }
  state.time = isoTime(line.row.time_created) ?? isoTime(objectOf(data.time).created) ?? state.time;
  const { revert } = state;
  if (revert?.message === id && revert.part === undefined) goBack(state, out);
  const all = partsOf(line);
  for (const what of unreadableParts(line)) malformed(record, what, out);
  const stop = revert?.message === id && revert.part ? all.findIndex((part) => part.id === revert.part) : -1;
  const context = { id, index: record.index, whole: record.whole, time: state.time, data };
  const odd = (type: string) => {
    if (isNew(state, type)) out.push(unknown(record, `a part of the type ${type.slice(0, 80)}`));
  };
  if (data.role === "user") foldUser(state, context, all, odd, out);
  else if (data.role === "assistant") {
    if (isSummary(state, data)) {
      foldSummary(state, context, all, out);
      return;
    }
    const parts = stop === -1 ? all : all.slice(0, stop);
    foldAssistant(state, context, parts, odd, out);
    // What was taken back has been paid for.
    out.push(...usagesOf(context, all));
    if (stop === -1) return;
    goBack(state, out);
    for (const entry of assistantEntries(context, all.slice(stop), odd).entries) push(state, entry, out);
  } else malformed(record, "a message has no role that is known", out);
}

type Context = Parameters<typeof userEntries>[0];
type Parts = Parameters<typeof userEntries>[1];
type Odd = (type: string) => void;

function foldUser(state: OpenCodeState, context: Context, parts: Parts, odd: Odd, out: Folded[]): void {
  const compaction = parts.find(({ data }) => data.type === "compaction");
  if (compaction) {
    const tail = word(compaction.data.tail_start_id);
    const before = state.last === undefined ? {} : { before: state.last };
    state.compacting = { message: context.id, ...before, ...(tail !== undefined && { tail }) };
  }
  const asked = objectOf(context.data.model);
  if (word(asked.modelID) !== undefined) state.isAsked = true;
  noteModel(state, asked, out);
  add(state, context.id, userEntries(context, parts, odd), out);
}

function foldAssistant(state: OpenCodeState, context: Context, parts: Parts, odd: Odd, out: Folded[]): void {
  const { data } = context;
  // The CLI goes on with the model of the last prompt, whoever replied to it.
  if (!state.isAsked) noteModel(state, data, out);
  const { entries, subagents } = assistantEntries(context, parts, odd);
  const failed = isFailed(data, parts);
  const shown = failed ? entries.map((entry): Entry => ({ ...entry, note: true })) : entries;
  const note = errorNote(context);
  add(state, context.id, note ? [...shown, note] : shown, out);
  for (const { session, entry } of subagents)
    out.push({
      type: "header",
      patch: { link: { type: "subagent", session: `opencode:${session}`, entry } },
    });
}

/** The reply to a compaction; before September 2025 replies named no prompt, and a summary stood alone. */
function isSummary({ compacting }: OpenCodeState, data: JsonObject): boolean {
  if (data.summary !== true) return false;
  if (data.parentID === undefined) return objectOf(data.time).completed !== undefined;
  return isFinished(data) && compacting?.message === data.parentID;
}

function isFinished({ finish, error }: JsonObject): boolean {
  return Boolean(finish) && !error;
}

/** The model sees a question and the summary as its answer, then the messages that stay, then what came after. */
function foldSummary(state: OpenCodeState, context: Context, parts: Parts, out: Folded[]): void {
  const { before, tail } = state.compacting ?? {};
  delete state.compacting;
  const { entries } = assistantEntries(context, parts, () => undefined);
  const summary = entries.flatMap((entry) => (entry.type === "assistant" ? [entry] : []));
  const shared = { timestamp: state.time, records: [context.index] };
  const entry: Compaction = {
    ...shared,
    id: context.id,
    type: "compaction",
    summary: summary.map(({ content }) => content).join("\n\n"),
    replacement: [
      ...(context.data.parentID === undefined
        ? []
        : [{ ...shared, id: `${context.id}.0`, type: "user" as const, content: QUESTION, injected: true }]),
      ...summary.map((one, at) => ({ ...one, id: `${context.id}.${at + 1}` })),
    ],
  };
  const run = before !== undefined && tail !== undefined ? { from: tail, to: before } : undefined;
  out.push({ type: "entry", entry, ...(run && { keepsRun: run }) });
  state.last = entry.id;
  out.push(...usagesOf(context, parts));
}

/** Other records may name the message, whatever its first entry is called. */
function add(state: OpenCodeState, message: string, entries: readonly Entry[], out: Folded[]): void {
  for (const entry of entries) push(state, entry, out);
  const [first] = entries;
  if (first && first.id !== message) out.push({ type: "link", id: message, parent: first.id, alias: true });
}

function push(state: OpenCodeState, entry: Entry, out: Folded[]): void {
  // Gone back before anything else was said: nothing of it is seen again.
  if (state.reverted && state.last === undefined) entry.note = true;
  out.push({ type: "entry", entry });
  if (!state.reverted) state.last = entry.id;
}

function goBack(state: OpenCodeState, out: Folded[]): void {
  state.reverted = true;
  if (state.last !== undefined) out.push({ type: "head", id: state.last });
}

function noteModel(state: OpenCodeState, { modelID, providerID }: JsonObject, out: Folded[]): void {
  const model = word(modelID)?.slice(0, 200);
  const provider = word(providerID)?.slice(0, 200);
  if (model === undefined || (model === state.model && provider === state.provider)) return;
  state.model = model;
  if (provider !== undefined) state.provider = provider;
  out.push({ type: "header", patch: { model, ...(provider !== undefined && { provider }) } });
}

function unknown({ index, line }: NativeRecord, what: string): Folded {
  return { type: "loss", loss: loss("record_unknown", { record: index, line }, what) };
}

function malformed({ index, line }: NativeRecord, what: string, out: Folded[]): void {
  out.push({ type: "loss", loss: loss("record_malformed", { record: index, line }, what) });
}
