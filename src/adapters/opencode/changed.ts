// Writes entries that were changed into the parts they came from, and leaves out the parts of those that are gone.
import { isDeepStrictEqual } from "node:util";
import type { Loss } from "../../session/losses.ts";
import type { Entry, Part, ToolCall, ToolResult } from "../../session/session.ts";
import type { RowLine } from "../../storage/rows.ts";
import { isToldBeside } from "./messages.ts";
import { isObject, type JsonObject, objectOf, text, word } from "./native.ts";
import { nativeParts, switchTold } from "./parts.ts";
import { tools } from "./tools.ts";

export interface Rewritten {
  rows: RowLine[];
  losses: Loss[];
}

export function rewrittenParts(line: RowLine, old: readonly Entry[], kept: readonly Entry[]): Rewritten {
  const now = new Map(kept.map((entry) => [entry.id, entry]));
  const before = new Map(old.map((entry) => [entry.id, entry]));
  const owned = Map.groupBy(line.rows ?? [], ({ row }) => String(row.id));
  const owners = ownersOf(line, before);
  const losses: Loss[] = [];
  const told = new Map<string, ReadonlyMap<string, RowLine[]>>();
  for (const owner of new Set(owners.values())) {
    const entry = now.get(owner);
    const parts = [...owners].flatMap(([id, name]) => (name === owner ? (owned.get(id) ?? []) : []));
    if (entry && !isUnchanged(entry, before.get(owner))) told.set(owner, changedParts(parts, entry, losses));
  }
  const rows = (line.rows ?? []).flatMap((part): RowLine[] => {
    const data = objectOf(part.data);
    if (data.type === "tool") return toolPart(part, data, now, before);
    const owner = owners.get(String(part.row.id));
    if (owner === undefined) return [part];
    if (!now.has(owner)) return [];
    const changed = told.get(owner);
    return changed ? (changed.get(String(part.row.id)) ?? []) : [part];
  });
  return { rows, losses };
}

/**
 * By the part of a changed entry: what comes in its place. Thinking that the entry still has stays where it is; all
 * its words stand in the place of the first.
 */
function changedParts(
  parts: readonly RowLine[],
  entry: Entry,
  losses: Loss[],
): ReadonlyMap<string, RowLine[]> {
  const said = spokenBy(entry);
  const made = new Map<string, RowLine[]>();
  if (entry.type === "switch") {
    for (const part of parts)
      made.set(String(part.row.id), [{ ...part, data: { ...objectOf(part.data), ...switchTold(entry) } }]);
    return made;
  }
  for (const part of parts) {
    const data = objectOf(part.data);
    const at = said.findIndex((one) => one.type === "thinking" && one.text === (text(data.text) ?? ""));
    const isKept = data.type === "reasoning" ? at !== -1 || !data.text : isToldBeside(data);
    if (!isKept) continue;
    made.set(String(part.row.id), [part]);
    if (data.type === "reasoning" && at !== -1) said.splice(at, 1);
  }
  const { all, losses: found } = nativeParts(said, entry.id);
  losses.push(...found);
  const isFree = ({ row }: RowLine) => !made.has(String(row.id));
  const place = parts.find((part) => isFree(part) && objectOf(part.data).type !== "reasoning");
  const first = place ?? parts.find(isFree) ?? parts.at(-1);
  if (!first) return made;
  const id = String(first.row.id);
  const words = all.map((spoken, at) =>
    wordsIn(first, spoken, isFree(first) && at === 0 ? id : `${id}${at + 1}`),
  );
  made.set(id, [...(made.get(id) ?? []), ...words]);
  return made;
}

function wordsIn(part: RowLine, spoken: JsonObject, id: string): RowLine {
  const data = objectOf(part.data);
  const rest = spoken.type === data.type ? data : {};
  return { ...part, row: { ...part.row, id }, data: { ...rest, ...spoken } };
}

/** By the part: the entry that it is told in. Texts that follow each other are one, named after the first. */
function ownersOf(line: RowLine, before: ReadonlyMap<string, Entry>): Map<string, string> {
  const owners = new Map<string, string>();
  const message = String(line.row.id);
  let owner: string | undefined = before.has(message) ? message : undefined;
  for (const { row, data } of line.rows ?? []) {
    const id = String(row.id);
    const { type } = objectOf(data);
    if (before.has(id) && type !== "tool") owner = id;
    if (owner !== undefined && (type === "text" || type === "file" || type === "reasoning"))
      owners.set(id, owner);
  }
  return owners;
}

function isUnchanged(entry: Entry, old: Entry | undefined): boolean {
  if (entry.type === "switch") return old?.type === "switch" && isDeepStrictEqual(entry.switch, old.switch);
  return (
    old !== undefined && (entry === old || JSON.stringify(spokenBy(entry)) === JSON.stringify(spokenBy(old)))
  );
}

/** Of a compaction: the summary, which is the message that its record holds. */
function spokenBy(entry: Entry): Part[] {
  if (entry.type === "compaction")
    return (entry.replacement ?? []).flatMap((one) =>
      one.type === "assistant" ? spokenBy(one as Entry) : [],
    );
  if (entry.type !== "user" && entry.type !== "assistant" && entry.type !== "system") return [];
  return [...(entry.parts ?? [{ type: "text" as const, text: entry.content }])];
}

function toolPart(part: RowLine, data: JsonObject, now: Entries, before: Entries): RowLine[] {
  const id = String(part.row.id);
  const name = word(data.callID) ?? id;
  const call = now.get(name);
  if (call?.type !== "tool_call") return [];
  const result = now.get(id);
  const native = nativeCall(data, call, before.get(name));
  const state = changedState(
    objectOf(data.state),
    native.input,
    result?.type === "tool_result" ? result : undefined,
  );
  const changed = { ...data, tool: native.tool, state };
  return [isDeepStrictEqual(changed, data) ? part : { ...part, data: changed }];
}

type Entries = ReadonlyMap<string, Entry>;

/** The call in OpenCode's words: its own as long as they still say it, and translated otherwise. */
function nativeCall(
  data: JsonObject,
  call: ToolCall,
  before: Entry | undefined,
): { tool: unknown; input: unknown } {
  const isOwn = call.originalTool === data.tool && isObject(call.originalInput);
  const isReworded =
    before?.type === "tool_call" &&
    !isDeepStrictEqual(before.input, call.input) &&
    isDeepStrictEqual(before.originalInput, call.originalInput);
  if (isOwn && !isReworded) return { tool: data.tool, input: call.originalInput };
  if (isOwn && call.tool === "unknown") return { tool: data.tool, input: call.input };
  const [pair] = tools(call, undefined).pairs;
  return { tool: pair?.name ?? data.tool, input: pair?.input };
}

function changedState(state: JsonObject, input: unknown, result: ToolResult | undefined): JsonObject {
  const changed = { ...state, input };
  if (!result)
    return {
      status: "error",
      input,
      error: "[Tool execution was interrupted]",
      time: state.time ?? { start: 0, end: 0 },
    };
  if (state.status === "completed")
    return { ...changed, output: result.cleared ? state.output : result.output };
  return state.status === "error" ? { ...changed, error: result.output } : changed;
}

/** The entries as reading these parts will yield them: calls are in OpenCode's words. */
export function asWritten(rows: readonly RowLine[], entries: readonly Entry[]): Entry[] {
  const calls = new Map(
    rows.map(({ row, data }) => [word(objectOf(data).callID) ?? String(row.id), objectOf(data)]),
  );
  return entries.map((entry) => {
    const data = entry.type === "tool_call" ? calls.get(entry.id) : undefined;
    if (!data) return entry;
    return { ...entry, originalTool: data.tool, originalInput: objectOf(data.state).input } as Entry;
  });
}
