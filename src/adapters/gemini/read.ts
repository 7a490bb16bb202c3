// The fold: one line of the log to entries and facts. With what the survey said of a line it knows which version
// of a message counts; without, it takes every message as it comes.
import { loss } from "../../session/losses.ts";
import type { Entry } from "../../session/session.ts";
import type { Folded } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { Fold } from "../adapter.ts";
import { filled, type Json, objects, text } from "../json.ts";
import { strangeIn } from "./content.ts";
import { compactedEntries, entriesOf, isAside, isUnknown, type Place, timeOf, usageOf } from "./entries.ts";
import { glance } from "./glance.ts";
import { type LogRecord, listIn, type Message, membersOf, recordOf, SHOWN, toolCallsOf } from "./native.ts";
import { passes } from "./passing.ts";
import {
  type CompactionRuling,
  endOf,
  firstOf,
  isAll,
  type MessageRuling,
  membersUntil,
  Ruled,
  type Ruling,
} from "./rulings.ts";
import { EPOCH, initialState, type State } from "./state.ts";

const MOST_REPORTED = 50;

export const fold: Fold<State> = {
  initial: initialState,
  step(state, native) {
    const { value, ruling, isRuled } = unwrapped(native.value);
    const record = recordOf(value);
    if (!record) return value === undefined ? [] : unknown(state, native, "a line that is no record");
    const step: Step = { state, native, isRuled, found: [] };
    if (record.type === "set" || record.type === "metadata") facts(record, step);
    const held = listIn(record);
    if (held) list(held.list, held.replaces, ruling, step);
    else if (record.type === "message" && (!ruling?.skip || isUnknown(record.message)))
      message(record.message, ruling?.message ?? {}, step);
    if (ruling?.isEmptied)
      step.found.push({ type: "link", id: NOTHING, parent: null }, { type: "head", id: NOTHING });
    return step.found;
  },
  passes,
  glance,
};

/** What is followed when all messages were taken back. */
const NOTHING = "nothing";

interface Step {
  state: State;
  native: NativeRecord;
  isRuled: boolean;
  found: Folded[];
}

function unwrapped(value: unknown): { value: unknown; ruling: Ruling | undefined; isRuled: boolean } {
  if (value instanceof Ruled) return { value: value.value, ruling: value.ruling, isRuled: true };
  return { value, ruling: undefined, isRuled: false };
}

function unknown(state: State, { index, line }: NativeRecord, what: string): Folded[] {
  if (state.reported.includes(what) || state.reported.length >= MOST_REPORTED) return [];
  state.reported.push(what);
  return [{ type: "loss", loss: loss("record_unknown", { record: index, line }, what) }];
}

/** Facts of the session as a whole. */
function facts(record: Extract<LogRecord, { type: "set" | "metadata" }>, { state, found }: Step): void {
  const said = record.type === "set" ? record.set : record.metadata;
  for (const field of ["startTime", "lastUpdated"]) {
    const time = timeOf({ timestamp: said[field] });
    if (time === undefined) continue;
    found.push({ type: "header", patch: { timestamp: time } });
    if (state.time === EPOCH) state.time = time;
  }
  const summary = filled(said.summary);
  if (summary !== undefined) found.push({ type: "header", patch: { title: summary, titleRank: 2, summary } });
  const [folder] = Array.isArray(said.directories) ? said.directories : [];
  if (typeof folder === "string" && folder !== "") found.push({ type: "header", patch: { cwd: folder } });
  const from = filled(said.continuedFrom);
  if (from !== undefined)
    found.push({ type: "header", patch: { link: { type: "continued_from", session: from } } });
}

function list(items: unknown[], replaces: boolean, ruling: Ruling | undefined, step: Step): void {
  for (const [place, one] of membersOf(items)) {
    const own = ruling?.members?.get(place);
    if (own || isUnknown(one) || (!step.isRuled && !replaces)) message(one, own ?? {}, step);
  }
  for (const own of ruling?.compactions ?? []) compaction(items, own, step);
}

function message(one: Message, ruling: MessageRuling, step: Step): void {
  const { state, native, found } = step;
  if (isUnknown(one)) {
    found.push(...unknown(state, native, `a message of type ${String(one.type).slice(0, 80)}`));
    return;
  }
  const entries = entriesOf(one, placeOf(state, native));
  // As the survey passes over what says nothing new.
  if (entries.length === 0) return;
  if (timeOf(one) === undefined) found.push(timeless(native, one.id));
  found.push(...strange(one, entries, native));
  state.time = timeOf(one) ?? state.time;
  const [first] = entries;
  if (first && ruling.after !== undefined) first.parent = ruling.after;
  for (const entry of entries) found.push({ type: "entry", entry });
  aliases(one.id, entries, ruling, found);
  if (one.type === "gemini") replyFacts(one, step);
}

function placeOf({ time, answered, before }: State, { index }: NativeRecord): Place {
  return { record: index, time, answered, before };
}

/** Pieces that Baton does not know stay in the record only. */
function strange(one: Message, [first]: readonly Entry[], { index, line }: NativeRecord): Folded[] {
  const results = toolCallsOf(one).flatMap(({ result }) => strangeIn(result));
  const fields = [...new Set([...strangeIn(one.content), ...results])];
  if (fields.length === 0) return [];
  const detail = `not understood in a message: ${fields.join(", ").slice(0, 200)}`;
  const at = { record: index, line, ...(first && { entry: first.id }) };
  return [{ type: "loss", loss: loss("record_malformed", at, detail) }];
}

function timeless({ index, line }: NativeRecord, entry: string): Folded {
  return { type: "loss", loss: loss("timestamp_missing", { entry, record: index, line }, "a message") };
}

/** Other names of a message's first and last entry, for those that follow it. */
function aliases(id: string, entries: readonly Entry[], ruling: MessageRuling, found: Folded[]): void {
  const [first, last] = [entries[0], entries.at(-1)];
  if (ruling.isNamed && first && last) {
    found.push({ type: "link", id: firstOf(id), parent: first.id, alias: true });
    found.push({ type: "link", id: endOf(id), parent: last.id, alias: true });
  }
  if (ruling.isHead) found.push({ type: "head", id: endOf(id) });
}

function replyFacts(one: Message, { state, found }: Step): void {
  const usage = usageOf(one);
  const model = filled(one.model);
  if (usage) found.push({ type: "usage", turn: one.id, usage, message: one.id, ...(model && { model }) });
  if (model !== undefined && model !== state.model) {
    state.model = model.slice(0, 200);
    found.push({ type: "header", patch: { model } });
  }
  for (const call of toolCallsOf(one)) {
    const link = agentLink(call);
    if (link) found.push({ type: "header", patch: { link } });
  }
}

/** A call that was handed to a subagent names it. */
function agentLink({ agentId, id, args }: Json) {
  const agent = filled(agentId);
  if (agent === undefined) return undefined;
  const entry = filled(id)?.replace(SHOWN, "");
  const label = text(objects([args])[0]?.agent_name);
  return {
    type: "subagent" as const,
    session: `gemini:${agent}`,
    ...(entry !== undefined && { entry }),
    ...(label !== undefined && { label }),
  };
}

/** A list whose beginning is new: that is what the model now knows of all that was before. */
function compaction(items: unknown[], ruling: CompactionRuling, { state, native, found }: Step): void {
  const replacement = compactedEntries(
    membersUntil(items, ruling),
    placeOf(state, native),
    isAll(ruling),
  ).filter((one) => !isAside(one));
  const summary = summaryIn(replacement.filter(({ type }) => type !== "system"));
  const entry: Entry = {
    id: ruling.id,
    timestamp: state.time,
    type: "compaction",
    ...(summary !== undefined && { summary }),
    replacement: replacement as Extract<Entry, { type: "compaction" }>["replacement"],
    records: [native.index],
    ...(ruling.after !== undefined && { parent: ruling.after }),
  };
  found.push({ type: "entry", entry, ...(ruling.keeps && { keepsRun: ruling.keeps }) });
  if (ruling.isHead) found.push({ type: "head", id: ruling.id });
}

const THANKS = "Got it. Thanks for the additional context!";

/** The CLI compresses to a prompt with what was so far, for which the model thanks; a list may also be cut only. */
function summaryIn([first, second]: readonly Entry[]): string | undefined {
  if (first?.type !== "user") return undefined;
  const isThanked = second?.type === "assistant" && second.content === THANKS;
  return isThanked || first.injected || first.content.startsWith("<state_snapshot>")
    ? first.content
    : undefined;
}
