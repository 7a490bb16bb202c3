// The fold: one native record at a time becomes entries and facts of the session. Response items are what the
// model sees, so they alone make entries; events repeat them for display and add facts about calls.
import { loss } from "../../session/losses.ts";
import type { Compaction, Entry, SystemEntry } from "../../session/session.ts";
import type { Folded, HeaderPatch } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { Fold } from "../adapter.ts";
import { switchIn } from "../switched.ts";
import type { Odd } from "./content.ts";
import { cwdOf, isContext, requestOf } from "./context.ts";
import { glance } from "./glance.ts";
import { entryOf, type ItemContext, type PlainEntry } from "./items.ts";
import { metaFolded } from "./meta.ts";
import {
  type CodexRecord,
  isObject,
  type JsonObject,
  objects,
  recordOf,
  SILENT_EVENTS,
  SILENT_ITEMS,
  SILENT_RECORDS,
  SWITCH_EVENT,
  text,
  word,
} from "./native.ts";
import { addRuns, factsOf, ranOf } from "./outcome.ts";
import { passes } from "./passing.ts";
import { callNamed } from "./shown.ts";
import {
  type CodexState,
  factsFor,
  initialState,
  isFirst,
  LONGEST_NAME,
  openTurn,
  rememberAgent,
  rememberPrompt,
  takeFacts,
} from "./state.ts";
import { foldCount, foldUsage } from "./usage.ts";

export const fold: Fold<CodexState> = {
  initial: (ref) => initialState(ref.originalId),
  passes,
  glance,
  step(state, record) {
    if (record.value === undefined) return NOTHING;
    const native = recordOf(record.value);
    if (!native) return malformed(record, "not a record of a rollout");
    const out: Folded[] = [];
    if (!noteTime(state, native) && isFirst(state, "timestamp_missing"))
      out.push({ type: "loss", loss: loss("timestamp_missing", at(record), "the first of possibly many") });
    foldRecord(state, record, native, out);
    return out;
  },
};

const NOTHING: Folded[] = [];

function at(record: NativeRecord) {
  return { record: record.index, line: record.line };
}

function malformed(record: NativeRecord, detail: string): Folded[] {
  return [{ type: "loss", loss: loss("record_malformed", at(record), detail) }];
}

function noteTime(state: CodexState, native: CodexRecord): boolean {
  const time = word(native.timestamp);
  if (time === undefined) return false;
  state.time = time.slice(0, 40);
  return true;
}

function foldRecord(state: CodexState, record: NativeRecord, native: CodexRecord, out: Folded[]): void {
  const { type, payload } = native;
  switch (type) {
    case "response_item":
      foldItem(state, record, payload, out, markOf(native));
      break;
    case "event_msg":
      foldEvent(state, record, payload, out);
      break;
    case "session_meta":
      metaFolded(state, record, payload, out);
      break;
    case "turn_context":
      foldContext(state, payload, out);
      break;
    case "compacted":
      foldCompaction(state, record, payload, out);
      break;
    case "token_usage_record":
      foldUsage(state, record, payload, out);
      break;
    case "inter_agent_communication":
      foldItem(state, record, asAgentMessage(payload), out);
      break;
    default:
      if (!SILENT_RECORDS.has(type)) unknown(state, record, type, out);
  }
}

/** Reported once per type: a new release may write thousands of a new kind. */
function unknown(state: CodexState, record: NativeRecord, type: string, out: Folded[]): void {
  if (!isFirst(state, type)) return;
  const detail = `${type.slice(0, 80)}, the first of possibly many`;
  out.push({ type: "loss", loss: loss("record_unknown", at(record), detail) });
}

/** A mark of ours: whether it is context, where its role would say otherwise. */
function markOf({ metadata }: CodexRecord): boolean | undefined {
  const mark = isObject(metadata) ? metadata.injected : undefined;
  return typeof mark === "boolean" ? mark : undefined;
}

function foldItem(
  state: CodexState,
  record: NativeRecord,
  item: JsonObject,
  out: Folded[],
  injected?: boolean,
): void {
  const type = String(item.type);
  if (SILENT_ITEMS.has(type)) return;
  const context: ItemContext = {
    id: `r${record.index}`,
    timestamp: state.time,
    index: record.index,
    whole: record.whole,
    model: state.model,
    ...(injected !== undefined && { injected }),
    odd: oddIn(state, record, out),
    factsOf: (callId) => takeFacts(state, callId),
  };
  const entry = entryOf(item, context);
  if (typeof entry === "string") {
    if (entry === "unknown") unknown(state, record, `response_item/${type}`, out);
    else out.push(...malformed(record, `a ${type.slice(0, 80)} item lacks a field it needs`));
    return;
  }
  if (isFromModel(entry)) entry.turn = state.turn ??= openTurn(state, context.id);
  else state.turn = undefined;
  if (item.type === "custom_tool_call" && item.name === "exec") state.script = word(item.call_id) ?? "";
  if (entry.type === "tool_result" && entry.callId === state.script) state.script = undefined;
  if (entry.type === "system" && entry.subtype === "context") foldSurroundings(state, entry.content, out);
  if (entry.type === "user") foldPrompt(state, entry, item, out);
  push(state, entry, out);
}

function oddIn(state: CodexState, record: NativeRecord, out: Folded[]): Odd {
  return (kind, what) => {
    if (kind === "unknown") unknown(state, record, what, out);
    else out.push(...malformed(record, what));
  };
}

function isFromModel(entry: PlainEntry): boolean {
  return entry.type === "assistant" || entry.type === "tool_call";
}

function foldPrompt(
  state: CodexState,
  entry: Extract<Entry, { type: "user" }>,
  item: JsonObject,
  out: Folded[],
): void {
  if (entry.injected && item.type !== "agent_message") return;
  rememberPrompt(state, entry.id);
  const request = requestOf(entry.content);
  // Rank zero: anything that the user or the agent chose as a title wins.
  if (request && isFirst(state, "title"))
    out.push({ type: "header", patch: { title: request, titleRank: 0 } });
}

/** The oldest rollouts name their folder nowhere else. */
function foldSurroundings(state: CodexState, context: string, out: Folded[]): void {
  if (state.placed || (!state.own && state.others.length > 0)) return;
  const cwd = cwdOf(context);
  if (cwd !== undefined) place(state, { cwd }, out);
}

function place(state: CodexState, patch: HeaderPatch, out: Folded[]): void {
  state.placed = true;
  out.push({ type: "header", patch });
}

/** Adds an entry to the current branch. */
function push(state: CodexState, entry: Entry, out: Folded[]): void {
  if (state.follows !== undefined) {
    entry.parent = state.follows;
    state.follows = undefined;
  }
  out.push({ type: "entry", entry });
  const name = nameOf(entry, out);
  state.last = name;
  const isPlain = entry.type !== "user" && entry.type !== "system";
  if (isPlain || !entry.injected) state.solid = name;
  if (state.rewound) out.push({ type: "head", id: entry.id });
}

/** A call's id is whatever the model's server chose; the state remembers a short name for a long one. */
function nameOf(entry: Entry, out: Folded[]): string {
  if (entry.id.length <= LONGEST_NAME) return entry.id;
  const name = `r${entry.records?.[0]}`;
  out.push({ type: "link", id: name, parent: entry.id, alias: true });
  return name;
}

function asAgentMessage(payload: JsonObject): JsonObject {
  const content = text(payload.content);
  return { ...payload, type: "agent_message", content: content === undefined ? [] : [{ text: content }] };
}

function foldContext(state: CodexState, payload: JsonObject, out: Folded[]): void {
  const model = word(payload.model)?.slice(0, 200);
  const effort = word(payload.effort)?.slice(0, 40);
  const cwd = word(payload.cwd);
  if (!state.placed && state.own && cwd !== undefined) place(state, { cwd }, out);
  if (model === undefined || (model === state.model && effort === state.effort)) return;
  state.model = model;
  if (effort !== undefined) state.effort = effort;
  out.push({ type: "header", patch: { model, ...(effort !== undefined && { config: { effort } }) } });
}

function foldCompaction(state: CodexState, record: NativeRecord, payload: JsonObject, out: Folded[]): void {
  state.turn = undefined;
  const id = `r${record.index}`;
  const message = text(payload.message) ?? "";
  const entry: Compaction = { id, timestamp: state.time, records: [record.index], type: "compaction" };
  if (Array.isArray(payload.replacement_history)) {
    state.replaced = state.prompts.length;
    const replacement = replacementOf(state, record, payload.replacement_history, out);
    push(state, { ...entry, ...(message !== "" && { summary: message }), replacement }, out);
    return;
  }
  // Before there was a replacement, the CLI kept the user's prompts and put the summary after them.
  const keeps = state.prompts.slice(state.replaced).flatMap(([prompt]) => (prompt === "" ? [] : [prompt]));
  push(state, { ...entry, keeps, replacement: [] }, out);
  const content = message === "" ? "(no summary available)" : message;
  const shared = { timestamp: state.time, records: [record.index], content, injected: true };
  const summary: Entry = { ...shared, id: `${id}.1`, type: "user" };
  // To the CLI the summary is a prompt like any other, unless it opens as its own summaries do.
  rememberPrompt(state, isContext(content) ? "" : summary.id);
  push(state, summary, out);
  state.solid = summary.id;
}

function replacementOf(
  state: CodexState,
  record: NativeRecord,
  items: readonly unknown[],
  out: Folded[],
): PlainEntry[] {
  const odd = oddIn(state, record, out);
  return items.flatMap((item, number) => {
    const type = isObject(item) ? String(item.type).slice(0, 80) : "item that is no object";
    if (isObject(item) && SILENT_ITEMS.has(type)) return [];
    const id = `r${record.index}.${number}`;
    const { index, whole } = record;
    const context = { id, timestamp: state.time, index, whole, model: state.model, odd };
    const entry = isObject(item) ? entryOf(item, context) : "malformed";
    if (typeof entry !== "string") return [entry];
    odd(entry, `replacement_history/${type}`);
    return [];
  });
}

function foldEvent(state: CodexState, record: NativeRecord, event: JsonObject, out: Folded[]): void {
  const type = String(event.type);
  switch (type) {
    case "token_count":
      foldCount(state, record, event, out);
      break;
    case "item_completed":
    case "exec_command_end":
    case "patch_apply_end":
    case "mcp_tool_call_end":
    case "collab_agent_spawn_end":
    case "sub_agent_activity":
      foldFacts(state, event, out);
      break;
    case "task_started":
    case "turn_started":
      state.turn = undefined;
      state.task = word(event.turn_id)?.slice(0, 40);
      break;
    case "task_complete":
    case "turn_complete":
      state.turn = undefined;
      if (isObject(event.error)) note(state, record, "error", text(event.error.message) ?? "", out);
      break;
    case "error":
      note(state, record, "error", text(event.message) ?? "", out);
      break;
    case "turn_aborted":
      note(state, record, "turn_aborted", text(event.reason) ?? "", out);
      break;
    case "thread_rolled_back":
      rewind(state, record, event, out);
      break;
    case SWITCH_EVENT:
      foldSwitch(state, record, event, out);
      break;
    default:
      if (!SILENT_EVENTS.has(type) && !type.startsWith("collab_") && !type.startsWith("realtime_"))
        unknown(state, record, `event_msg/${type}`, out);
  }
}

function foldSwitch(state: CodexState, record: NativeRecord, event: JsonObject, out: Folded[]): void {
  const made = switchIn(event);
  if (!made) return;
  state.turn = undefined;
  const { index } = record;
  push(
    state,
    { id: `r${index}`, timestamp: state.time, records: [index], type: "switch", switch: made },
    out,
  );
}

/** A note to the user that no model saw. */
function note(state: CodexState, record: NativeRecord, subtype: string, content: string, out: Folded[]) {
  state.turn = undefined;
  const entry: SystemEntry = {
    id: `r${record.index}`,
    timestamp: state.time,
    records: [record.index],
    type: "system",
    subtype,
    content,
    note: true,
    ...(subtype === "turn_aborted" && { interrupted: true }),
  };
  push(state, entry, out);
}

/** Drops the newest prompts and what followed them, with the context that was put in for them. */
function rewind(state: CodexState, record: NativeRecord, event: JsonObject, out: Folded[]): void {
  const turns = typeof event.num_turns === "number" ? Math.min(event.num_turns, state.prompts.length) : 0;
  const first = turns > 0 ? state.prompts[state.prompts.length - turns] : undefined;
  if (!first) return;
  const before = first[1];
  state.prompts.length -= turns;
  state.replaced = Math.min(state.replaced, state.prompts.length);
  state.follows = before;
  state.last = before;
  state.solid = before;
  state.rewound = true;
  state.turn = undefined;
  const id = `r${record.index}`;
  out.push({ type: "link", id, parent: before }, { type: "head", id });
}

function foldFacts(state: CodexState, event: JsonObject, out: Folded[]): void {
  const item = isObject(event.item) ? event.item : event;
  const noted = factsOf(event);
  if (!noted) return;
  linkAgents(state, item, noted.id, out);
  const isOfScript = state.script !== undefined && noted.id.startsWith("exec-");
  if (isOfScript) addRuns(factsFor(state, state.script as string), ranOf(event));
  else if (Object.keys(noted.facts).length > 0) Object.assign(factsFor(state, noted.id), noted.facts);
}

/** A spawned agent has a thread of its own; this is where the parent's file names it. */
function linkAgents(state: CodexState, item: JsonObject, callId: string, out: Folded[]): void {
  const spawned = Array.isArray(item.receiver_thread_ids) ? item.receiver_thread_ids : [];
  const isSpawn = item.tool === "spawn_agent" || item.kind === "started";
  for (const thread of [...spawned, item.agent_thread_id, item.new_thread_id]) {
    if (typeof thread !== "string" || (!isSpawn && thread !== item.new_thread_id)) continue;
    if (!rememberAgent(state, thread)) continue;
    const [agent] = objects(item.receiver_agents);
    const label = word(item.agent_path) ?? word(agent?.agent_nickname) ?? word(item.new_agent_nickname);
    const entry = callNamed(callId);
    const link = { type: "subagent" as const, session: `codex:${thread}`, ...(entry && { entry }) };
    out.push({ type: "header", patch: { link: { ...link, ...(label !== undefined && { label }) } } });
  }
}
