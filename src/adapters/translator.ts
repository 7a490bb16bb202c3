// Universal tool calls in an agent's own tools: what every adapter's table is made of. One call may become
// several; the first then carries the result, the others say so.
import { isDeepStrictEqual } from "node:util";
import { type Loss, type LossName, loss, type Severity } from "../session/losses.ts";
import { changedNumbers } from "../session/numbers.ts";
import type { Tool, ToolCall, ToolResult } from "../session/session.ts";
import type { Translated } from "./adapter.ts";
import { isObject, type Json, text } from "./json.ts";
import type { Names, UniversalCall } from "./reading.ts";

export interface NativeCall {
  name: string;
  input: Json;
}

/** What a writer knows beside the arguments. */
export interface Writing {
  call: ToolCall;
  result: ToolResult | undefined;
  /** Where the session was and goes on; none = not known. */
  folders: readonly string[];
  report(kind: LossName, detail: string, severity?: Severity): void;
}

/** Undefined where the agent has no tool for it: the call then keeps its name and arguments. */
export type Writer = (input: Json, writing: Writing) => NativeCall[] | undefined;

export interface Dialect {
  writers: Readonly<Record<Tool, Writer>>;
  /** A native call in universal terms. */
  read(name: string, input: Json): UniversalCall;
  /** Whether a name is one of the agent's own tools, of this or an earlier version. */
  isOwn(name: string): boolean;
  /** A foreign name in the letters that the agent's API allows. */
  allowed(name: string): string;
}

export function translator(dialect: Dialect) {
  return (call: ToolCall, result: ToolResult | undefined, folders: readonly string[] = []): Translated => {
    const losses: Loss[] = [];
    const report: Writing["report"] = (kind, detail, severity) =>
      losses.push(loss(kind, { entry: call.id }, detail, severity));
    const writing: Writing = { call, result, folders, report };
    const own = ownCall(call, dialect);
    const calls = own ? [own] : (dialect.writers[call.tool](call.input, writing) ?? [kept(writing, dialect)]);
    const numbers = typeof call.originalInput === "string" ? changedNumbers(call.originalInput) : [];
    if (numbers.length > 0) report("number_changed", numbers.join(", "));
    if (!own) reportNames(writing, calls);
    const pairs = calls.map((one, index) => ({ ...one, result: resultOf(result, index, calls.length) }));
    return { pairs, losses };
  };
}

/**
 * The call as the agent itself recorded it, if nobody changed it since. A tool of another agent that has the same
 * name is taken for its own only where the arguments mean the same here.
 */
function ownCall(
  { tool, input, originalTool, originalInput }: ToolCall,
  { isOwn, read }: Dialect,
): NativeCall | undefined {
  if (originalTool === undefined || !isObject(originalInput) || !isOwn(originalTool)) return undefined;
  const isSame = isDeepStrictEqual(read(originalTool, originalInput), { tool, input });
  return isSame ? { name: originalTool, input: originalInput } : undefined;
}

function kept({ call, report }: Writing, { allowed }: Dialect): NativeCall {
  const name = call.originalTool ?? call.tool;
  report("tool_kept", name);
  return { name: allowed(name) || "unknown", input: call.input };
}

function reportNames({ call, report }: Writing, calls: readonly NativeCall[]): void {
  const from = call.originalTool ?? call.tool;
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  if (calls.length > 1) report("tool_split", `${from} became ${calls.length} calls: ${names}`);
  else if (names !== from) report("tool_renamed", `${from} became ${names}`);
}

function resultOf(result: ToolResult | undefined, index: number, total: number): ToolResult | undefined {
  if (!result || index === 0) return result;
  const { parts: _, details: __, ...rest } = result;
  return {
    ...rest,
    id: `${result.id}.${index}`,
    output: `[Step ${index + 1} of ${total} of one call; the first step's result speaks for all of them]`,
  };
}

/** A tool whose arguments only have other names; undefined where one of the needed ones is no text. */
export function renamed(name: string, names: Names, needed: readonly string[]): Writer {
  return (input, writing) => {
    if (needed.some((field) => text(input[field]) === undefined)) return undefined;
    return [{ name, input: withOthers(inNames(input, names), writing, input, Object.keys(names)) }];
  };
}

/** The arguments that are there, under the agent's names for them. */
export function inNames(input: Json, names: Names): Json {
  const native: Json = {};
  for (const [universal, own] of Object.entries(names))
    if (input[universal] !== undefined) native[own] = input[universal];
  return native;
}

/**
 * The native arguments, and beside them those of the call that the tool has no place for: nobody checks a call of
 * the history against the tool, and the model knows what it once said. `used` are those that the native ones say.
 */
export function withOthers(
  native: Json,
  { report }: Pick<Writing, "report">,
  input: Json,
  used: readonly string[],
): Json {
  const others = Object.keys(input).filter((name) => input[name] !== undefined && !used.includes(name));
  const [taken, free] = [
    others.filter((name) => Object.hasOwn(native, name)),
    others.filter((name) => !Object.hasOwn(native, name)),
  ];
  if (free.length > 0) report("tool_argument_kept", free.join(", "));
  if (taken.length > 0) report("tool_argument_dropped", taken.join(", "));
  return { ...native, ...Object.fromEntries(free.map((name) => [name, input[name]])) };
}

/** The command for an agent whose shell runs in the session's folder: another one needs a `cd`. */
export function commandIn(command: string, folder: string, folders: readonly string[]): string {
  return folders.includes(folder) ? command : `cd ${quoted(folder)} && ${command}`;
}

/** A word that a shell takes as it is. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
