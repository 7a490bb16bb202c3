// The events that show what was changed: those of a message are found by the text they show, those of a call by
// its id. An event about something that is gone goes with it; the others show what is said now.
import type { Entry, ToolCall, ToolResult } from "../../session/session.ts";
import { nativeCall } from "./calls.ts";
import { isObject, type JsonObject, objects, text, word } from "./native.ts";
import { shownCall } from "./shown.ts";

/** A message that was changed; without `now` it is gone. */
export interface Change {
  record: number;
  old: Entry;
  now: Entry | undefined;
}

/** Calls that were changed, or whose result was. */
export interface ChangedCall {
  call: ToolCall | undefined;
  result: ToolResult | undefined;
}

export interface Displays {
  /** Looks at every record once, in order, before anything is written. */
  see(index: number, payload: JsonObject | undefined, entries: readonly Entry[]): void;
  /** The event as it has to be now; null when it goes, undefined when it stays as it is. */
  again(index: number, payload: JsonObject): JsonObject | null | undefined;
}

export function displaysOf(
  changes: readonly Change[],
  calls: ReadonlyMap<string, ChangedCall>,
  cwd: string,
): Displays {
  const places = new Map<string, { entries: number[]; events: number[] }>();
  for (const { old } of changes) for (const key of keysOf(old)) places.set(key, { entries: [], events: [] });
  let shows: Map<number, Change> | undefined;
  return {
    see(index, payload, entries) {
      for (const entry of entries) for (const key of keysOf(entry)) places.get(key)?.entries.push(index);
      const shown = payload && shownText(payload);
      if (shown) places.get(keyOf(...shown))?.events.push(index);
    },
    again(index, payload) {
      shows ??= paired(changes, places);
      const change = shows.get(index);
      if (change) return showing(payload, change);
      if (payload.type === "task_complete") return endShowing(index, payload, changes);
      const id = callOf(payload);
      const changed = id === undefined ? undefined : calls.get(id);
      return changed && callShown(payload, changed, cwd);
    },
  };
}

/** Events and messages of the same text come in the same order; where some are missing, the nearest belongs. */
function paired(
  changes: readonly Change[],
  places: ReadonlyMap<string, { entries: readonly number[]; events: readonly number[] }>,
): Map<number, Change> {
  const shows = new Map<number, Change>();
  for (const change of changes)
    for (const key of keysOf(change.old)) {
      const { entries = [], events = [] } = places.get(key) ?? {};
      const rank = entries.indexOf(change.record);
      const near = events.toSorted((a, b) => Math.abs(a - change.record) - Math.abs(b - change.record));
      const event = entries.length === events.length ? events[rank] : near.find((at) => !shows.has(at));
      if (event !== undefined) shows.set(event, change);
    }
  return shows;
}

type Kind = "user" | "agent" | "thought";

function keyOf(kind: Kind, shown: string): string {
  return `${kind} ${shown.trim()}`;
}

/** What events would show of an entry. */
function keysOf(entry: Entry): string[] {
  if (entry.type === "user" && !entry.injected) return [keyOf("user", entry.content)];
  if (entry.type !== "assistant") return [];
  const thoughts = thoughtsOf(entry).flatMap((thought) => [thought, ...thought.split("\n\n")]);
  const said = entry.content === "" ? [] : [keyOf("agent", entry.content)];
  return [...new Set([...said, ...thoughts.map((thought) => keyOf("thought", thought))])];
}

function thoughtsOf(entry: Entry): string[] {
  return (entry.parts ?? []).flatMap((part) =>
    part.type === "thinking" && part.text !== "" ? [part.text] : [],
  );
}

const LEGACY: ReadonlyMap<unknown, readonly [Kind, string]> = new Map([
  ["user_message", ["user", "message"]],
  ["agent_message", ["agent", "message"]],
  ["agent_reasoning", ["thought", "text"]],
  ["agent_reasoning_raw_content", ["thought", "text"]],
]);

function shownText(payload: JsonObject): [Kind, string] | undefined {
  const [kind, field] = LEGACY.get(payload.type) ?? [];
  if (kind !== undefined && field !== undefined) return [kind, text(payload[field]) ?? ""];
  if (payload.type !== "item_completed" || !isObject(payload.item)) return undefined;
  const { item } = payload;
  const words = objects(item.content).flatMap((part) => text(part.text) ?? []);
  if (item.type === "UserMessage") return ["user", words.join("\n")];
  if (item.type === "AgentMessage") return ["agent", words.join("\n")];
  if (item.type !== "Reasoning" || !Array.isArray(item.summary_text)) return undefined;
  return ["thought", item.summary_text.map(String).join("\n\n")];
}

function showing(payload: JsonObject, { now }: Change): JsonObject | null {
  if (now?.type !== "user" && now?.type !== "assistant") return null;
  const [kind] = shownText(payload) ?? [];
  const words = kind === "thought" ? thoughtsOf(now).join("\n\n") : now.content;
  const [, field] = LEGACY.get(payload.type) ?? [];
  if (field !== undefined) return { ...payload, [field]: words };
  return { ...payload, item: itemShowing(isObject(payload.item) ? payload.item : {}, words) };
}

/** The end of a turn repeats the model's last words. */
function endShowing(index: number, payload: JsonObject, changes: readonly Change[]): JsonObject | undefined {
  const last = text(payload.last_agent_message);
  const change = changes.findLast(
    ({ record, old }) => record < index && old.type === "assistant" && old.content === last,
  );
  if (!change || last === undefined || last === "") return undefined;
  const now = change.now?.type === "assistant" ? change.now.content : null;
  return now === last ? undefined : { ...payload, last_agent_message: now };
}

function itemShowing(item: JsonObject, words: string): JsonObject {
  if (item.type === "Reasoning") return { ...item, summary_text: words === "" ? [] : [words] };
  const others = objects(item.content).filter((part) => text(part.text) === undefined);
  const part = item.type === "AgentMessage" ? { type: "Text", text: words } : { type: "text", text: words };
  const elements = item.type === "AgentMessage" ? {} : { text_elements: [] };
  return { ...item, content: [{ ...part, ...elements }, ...others] };
}

function callOf(payload: JsonObject): string | undefined {
  const item = payload.type === "item_completed" && isObject(payload.item) ? payload.item : payload;
  return word(item.call_id) ?? word(item.id);
}

/** Progress of a call that was changed says nothing true any more; its end says how it ended. */
function callShown(payload: JsonObject, changed: ChangedCall, cwd: string): JsonObject | null {
  const { call, result } = changed;
  if (!call || !result) return null;
  if (payload.type === "item_completed" && isObject(payload.item)) {
    const native = nativeCall(call, result, call.id, true);
    const shown = shownCall({ ...native, result, cwd, thread: String(payload.thread_id ?? "") });
    return shown.type === payload.item.type ? { ...payload, item: { ...payload.item, ...shown } } : null;
  }
  if (payload.type === "exec_command_end") return commandEnd(payload, call, result);
  return payload.type === "mcp_tool_call_end" || payload.type === "patch_apply_end"
    ? { ...payload, ...endOf(payload, result) }
    : null;
}

function commandEnd(payload: JsonObject, call: ToolCall, result: ToolResult): JsonObject {
  const { output } = result;
  const { exitCode } = result.details ?? {};
  const command = call.tool === "bash" ? ["bash", "-lc", String(call.input.command)] : payload.command;
  return {
    ...payload,
    command,
    ...("parsed_cmd" in payload && { parsed_cmd: [] }),
    ...{ stdout: output, stderr: "", aggregated_output: output, formatted_output: output },
    exit_code: typeof exitCode === "number" ? exitCode : result.success ? 0 : 1,
    ...("status" in payload && { status: result.success ? "completed" : "failed" }),
  };
}

function endOf(payload: JsonObject, result: ToolResult): JsonObject {
  const { output, success } = result;
  if (payload.type === "patch_apply_end")
    return { stdout: success ? output : "", stderr: success ? "" : output, success, changes: {} };
  const answer = { content: [{ type: "text", text: output }], isError: !success };
  return { result: { Ok: answer } };
}
