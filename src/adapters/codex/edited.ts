// What was changed in a session since Codex recorded it, gathered so that its records can be written with it.
import { isDeepStrictEqual } from "node:util";
import { type Loss, loss } from "../../session/losses.ts";
import type { Entry, ToolCall, ToolResult } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import type { Target, WrittenRecord } from "../adapter.ts";
import { newWriting, replacementItems } from "./compose.ts";
import { type Change, type ChangedCall, type Displays, displaysOf } from "./displays.ts";
import { isObject, type JsonObject, recordOf } from "./native.ts";
import { entriesOf, replay } from "./replay.ts";
import { type Rewriting, translating } from "./rewrite.ts";
import type { Survey } from "./survey.ts";

export interface Edits extends Rewriting {
  /** Whether there may be other prompts than before. */
  touchesPrompts: boolean;
  /** What a touched record says now. */
  entries(record: number): readonly Entry[];
  /** Entries without a record, by the record they come after; -1 for those that come first. */
  added: ReadonlyMap<number, Entry[]>;
  /** An event as it has to be now; null when it goes, undefined when it stays. */
  shown(index: number, payload: JsonObject): JsonObject | null | undefined;
  /** What rewriting has met since the last time. */
  drained(): Loss[];
  files(): WrittenRecord[];
}

export async function editsOf(stream: Stream, target: Target, survey: Survey): Promise<Edits> {
  const isEdited = survey.touched.size > 0 || survey.added.size > 0;
  const { entries, added } = isEdited ? await gathered(stream, survey) : NONE;
  const { changes, calls } = isEdited ? await changed(stream, survey, entries) : NOTHING;
  const losses: Loss[] = [];
  const files: WrittenRecord[] = [];
  const writing = newWriting(stream, target, {
    id: target.originalId,
    file: "main",
    meta: {},
    agents: new Map(),
  });
  const displays = displaysOf(changes, calls, target.cwd);
  if (changes.length > 0) await look(stream, displays);
  return {
    ...translating({ target }, (made) => {
      losses.push(...made.losses);
      files.push(...made.files);
    }),
    touchesPrompts: isEdited,
    entries: (record) => entries.get(record) ?? [],
    added,
    resultOf: (callId) => calls.get(callId)?.result,
    itemsFor: (entry) => replacementItems(writing, entry),
    shown: (index, payload) => (isEdited ? displays.again(index, payload) : undefined),
    drained: () => losses.splice(0),
    files: () => files.splice(0),
  };
}

const NONE = { entries: new Map<number, Entry[]>(), added: new Map<number, Entry[]>() };
const NOTHING = { changes: [], calls: new Map<string, ChangedCall>() };

async function gathered(stream: Stream, { touched, added }: Survey): Promise<typeof NONE> {
  const found: typeof NONE = { entries: new Map(), added: new Map() };
  const put = (list: Map<number, Entry[]>, key: number, entry: Entry) =>
    list.set(key, [...(list.get(key) ?? []), entry]);
  let at = 0;
  let last = -1;
  for await (const entry of stream.entries()) {
    const record = entry.records?.at(-1);
    if (added.has(at++) || record === undefined) {
      put(found.added, last, entry);
      continue;
    }
    last = Math.max(last, record);
    if (touched.has(record)) put(found.entries, record, entry);
  }
  return found;
}

/** The touched entries as they were, and the calls that they are about. */
async function changed(stream: Stream, { touched }: Survey, entries: ReadonlyMap<number, readonly Entry[]>) {
  const changes: Change[] = [];
  const calls = new Map<string, ChangedCall>();
  for await (const { record, folded } of replay(stream)) {
    if (!touched.has(record.index)) continue;
    for (const old of entriesOf(folded)) {
      const now = entries.get(record.index)?.find(({ id }) => id === old.id);
      changes.push({ record: record.index, old, now });
      const call = old.type === "tool_call" ? old.id : old.type === "tool_result" ? old.callId : undefined;
      if (call !== undefined) calls.set(call, { call: undefined, result: undefined });
    }
  }
  if (calls.size === 0) return { changes, calls };
  for await (const entry of stream.entries()) {
    if (entry.type === "tool_call")
      Object.assign(calls.get(entry.id) ?? {}, { call: entry satisfies ToolCall });
    if (entry.type === "tool_result")
      Object.assign(calls.get(entry.callId) ?? {}, { result: entry satisfies ToolResult });
  }
  return { changes, calls };
}

async function look(stream: Stream, displays: Displays): Promise<void> {
  for await (const { record, value, folded } of replay(stream)) {
    const native = recordOf(value);
    const payload = native?.type === "event_msg" ? native.payload : undefined;
    displays.see(record.index, payload, entriesOf(folded));
  }
}

/** Known from elsewhere, or no more than a name. */
const ASIDE: ReadonlySet<string> = new Set(["id", "records", "turn", "parent", "usage", "note"]);
/** The native form of a call, which is another one once the call is. */
const NATIVE: ReadonlySet<string> = new Set(["originalTool", "originalInput"]);

/** What the rewritten record does not say although the session does. */
export function unhonoured(old: readonly Entry[], now: readonly Entry[], made: readonly Entry[]): Loss[] {
  const losses: Loss[] = [];
  for (const [at, wanted] of now.entries()) {
    const before = fieldsOf(old.find(({ id }) => id === wanted.id));
    const after = fieldsOf(made[at]);
    const names = differing(fieldsOf(wanted), before, after);
    const outdated = names.filter((name) => isOutdated(name, fieldsOf(wanted), before, after));
    const ignored = names.filter((name) => !outdated.includes(name));
    if (ignored.length > 0) losses.push(loss("edit_ignored", { entry: wanted.id }, ignored.join(", ")));
    if (outdated.length > 0) {
      const detail = `${outdated.join(", ")}: told by the output that was replaced`;
      losses.push(loss("outcome_dropped", { entry: wanted.id }, detail));
    }
  }
  if (made.length > now.length)
    losses.push(loss("edit_ignored", { entry: old.at(-1)?.id }, "it cannot be taken out alone"));
  return losses;
}

function fieldsOf(entry: Entry | undefined): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(entry ?? {}));
  return isObject(plain) ? plain : {};
}

function differing(wanted: JsonObject, before: JsonObject, after: JsonObject): string[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(after)]);
  return [...names].filter((name) => {
    if (ASIDE.has(name) || isDeepStrictEqual(wanted[name], after[name])) return false;
    if (name === "parts" && after.parts === undefined && isPlain(wanted)) return false;
    if (name === "replacement" && isDeepStrictEqual(toldIn(wanted.replacement), toldIn(after.replacement)))
      return false;
    if (name === "input" && makesSameChanges(wanted.input, after.input)) return false;
    return !NATIVE.has(name) || !isDeepStrictEqual(wanted[name], before[name]);
  });
}

/** How a call ended is read from its output, unless an event tells: it went with the old text. */
function isOutdated(name: string, wanted: JsonObject, before: JsonObject, after: JsonObject): boolean {
  if (name !== "success" && name !== "details") return false;
  const isReplaced = wanted.output === after.output && wanted.output !== before.output;
  return isReplaced && isDeepStrictEqual(wanted[name], before[name]);
}

/** A list of parts that is one text says no more than the text. */
function isPlain({ parts, output, content }: JsonObject): boolean {
  return isDeepStrictEqual(parts, [{ type: "text", text: output ?? content }]);
}

/** What a compaction left, without who said it: a summary is told from a prompt by how it begins. */
function toldIn(replacement: unknown): unknown[] {
  return (Array.isArray(replacement) ? replacement : []).filter(isObject).map((entry) => {
    const isTold = (name: string) =>
      name !== "injected" && !ASIDE.has(name) && !(name === "parts" && isPlain(entry));
    return Object.fromEntries(Object.entries(entry).filter(([name]) => isTold(name)));
  });
}

/** The text of a patch follows from its changes. */
function makesSameChanges(wanted: unknown, after: unknown): boolean {
  if (!isObject(wanted) || !isObject(after) || wanted.changes === undefined) return false;
  return isDeepStrictEqual({ ...wanted, patch: "" }, { ...after, patch: "" });
}
