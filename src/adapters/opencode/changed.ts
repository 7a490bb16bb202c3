// Writes entries that were changed into the parts they came from, and leaves out the parts of those that are gone.
import { isDeepStrictEqual } from "node:util";
import type { Entry, ToolCall, ToolResult } from "../../session/session.ts";
import type { RowLine } from "../../storage/rows.ts";
import { isObject, type JsonObject, objectOf, word } from "./native.ts";
import { nativeParts } from "./parts.ts";
import { tools } from "./tools.ts";

export function rewrittenParts(line: RowLine, old: readonly Entry[], kept: readonly Entry[]): RowLine[] {
  const now = new Map(kept.map((entry) => [entry.id, entry]));
  const before = new Map(old.map((entry) => [entry.id, entry]));
  const owners = ownersOf(line, before);
  const said = new Set<string>();
  return (line.rows ?? []).flatMap((part): RowLine[] => {
    const id = String(part.row.id);
    const data = objectOf(part.data);
    if (data.type === "tool") return toolPart(part, data, now, before);
    const owner = owners.get(id);
    if (owner === undefined) return [part];
    const entry = now.get(owner);
    if (!entry) return [];
    if (entry === before.get(owner) || isUnchanged(entry, before.get(owner))) return [part];
    // The words of a changed entry stand in the first of its parts.
    if (said.has(owner)) return [];
    said.add(owner);
    return wordsOf(entry).map((words, at) => ({
      ...part,
      row: at === 0 ? part.row : { ...part.row, id: `${id}${at}` },
      data: { ...(words.type === data.type ? data : {}), ...words },
    }));
  });
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
  return old !== undefined && JSON.stringify(wordsOf(entry)) === JSON.stringify(wordsOf(old));
}

function wordsOf(entry: Entry): JsonObject[] {
  if (entry.type !== "user" && entry.type !== "assistant") return [];
  const parts = entry.parts ?? [{ type: "text" as const, text: entry.content }];
  return nativeParts(parts, entry.id).all;
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
  return [{ ...part, data: { ...data, tool: native.tool, state } }];
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
