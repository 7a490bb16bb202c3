// Entries whose long texts are clipped to make room: outputs, arguments, what was said. Shape and structure stay, and
// so do images, documents and signed thinking. Texts have to be whole (Range.texts): a reference has no middle.
import { jsonIn } from "../session/json.ts";
import { changedNumbers } from "../session/numbers.ts";
import type { AssistantEntry, Entry, Part, ToolCall, ToolResult, UserEntry } from "../session/session.ts";
import { clipHunks, clipPatch, clipText, isPatch } from "./clip-text.ts";

/** Undefined when nothing got shorter. `keep`: characters of each text; `where`: where all of it is, in a few words. */
export function clipEntry(entry: Entry, keep: number, where: string): Entry | undefined {
  if (entry.type === "tool_result") return clipResult(entry, keep, where);
  if (entry.type === "tool_call") return clipCall(entry, keep, where);
  if (entry.type === "user" || entry.type === "assistant") return clipSaid(entry, keep, where);
  return undefined;
}

export function clipResult(entry: ToolResult, keep: number, where: string): ToolResult | undefined {
  const { text: output, parts } = clipContent(entry.output, entry.parts, keep, where);
  const error = entry.error === undefined ? undefined : clipText(entry.error, keep, where);
  if (output === entry.output && parts === entry.parts && error === entry.error) return undefined;
  return { ...entry, output, ...(parts && { parts }), ...(error !== undefined && { error }) };
}

export function clipSaid<T extends UserEntry | AssistantEntry>(
  entry: T,
  keep: number,
  where: string,
): T | undefined {
  const { text: content, parts } = clipContent(entry.content, entry.parts, keep, where);
  if (content === entry.content && parts === entry.parts) return undefined;
  return { ...entry, content, ...(parts && { parts }) };
}

/** The arguments, universal and native, each long string on its own. */
export function clipCall(entry: ToolCall, keep: number, where: string): ToolCall | undefined {
  const clip = { keep, where };
  const input = clipValue(entry.input, clip) as ToolCall["input"];
  const given = entry.originalInput;
  const originalInput = typeof given === "string" ? clipGiven(given, clip) : clipValue(given, clip);
  if (input === entry.input && originalInput === given) return undefined;
  return { ...entry, input, ...(given !== undefined && { originalInput }) };
}

/** A note instead of all arguments, in the shape that they had: JSON or free text. */
export function emptyCall(entry: ToolCall, where: string): ToolCall {
  const given = entry.originalInput;
  const input = emptied(entry.input, where) as ToolCall["input"];
  if (given === undefined) return { ...entry, input };
  if (typeof given !== "string") return { ...entry, input, originalInput: emptied(given, where) };
  const value = jsonIn(given);
  const isJson = typeof value === "object" && value !== null;
  const originalInput = isJson ? JSON.stringify(emptied(value, where)) : clipText(given, 0, where);
  return { ...entry, input, originalInput };
}

function emptied(value: unknown, where: string): unknown {
  const json = JSON.stringify(value);
  const note = clipText(json, 0, where);
  return note === json ? value : { arguments: note };
}

interface Clip {
  keep: number;
  where: string;
}

/** How agents join texts. */
const JOINTS = ["\n\n", "\n", ""];

/** Where the text is that of the parts, it is so afterwards too. */
function clipContent(text: string, parts: Part[] | undefined, keep: number, where: string) {
  const clippedParts =
    parts &&
    same(
      parts,
      parts.map((part) => clipPart(part, keep, where)),
    );
  const whole = parts && textsOf(parts);
  const joint = whole && JOINTS.find((one) => whole.join(one) === text);
  if (clippedParts && joint !== undefined)
    return { text: textsOf(clippedParts).join(joint), parts: clippedParts };
  return { text: clipText(text, keep, where), parts: clippedParts };
}

function textsOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

function clipPart(part: Part, keep: number, where: string): Part {
  if (part.type === "text" || part.type === "artifact" || part.type === "error") {
    const text = clipText(part.text, keep, where);
    return text === part.text ? part : { ...part, text };
  }
  if (part.type !== "code") return part;
  const code = clipText(part.code, keep, where);
  return code === part.code ? part : { ...part, code };
}

/** Native arguments in a string: JSON stays JSON, with the numbers it has; anything else is free text. */
function clipGiven(given: string, clip: Clip): string {
  const value = jsonIn(given);
  if (typeof value !== "object" || value === null) return clipString(given, "", clip);
  const clipped = clipValue(value, clip);
  if (clipped === value || changedNumbers(given).length > 0) return given;
  const json = JSON.stringify(clipped);
  return json.length < given.length ? json : given;
}

/** Nobody's arguments are nested deeper, and a recursion must end. */
const DEEPEST = 200;

/** The same value where nothing is too long. */
function clipValue(value: unknown, clip: Clip, key = "", depth = 0): unknown {
  if (typeof value === "string") return clipString(value, key, clip);
  if (typeof value !== "object" || value === null || depth === DEEPEST) return value;
  if (Array.isArray(value))
    return same(
      value,
      value.map((one) => clipValue(one, clip, key, depth + 1)),
    );
  const before = Object.entries(value);
  const after = before.map(([name, one]) => [name, clipValue(one, clip, name, depth + 1)] as const);
  return after.every(([, one], at) => Object.is(one, before[at]?.[1])) ? value : Object.fromEntries(after);
}

function clipString(text: string, key: string, { keep, where }: Clip): string {
  if (isPatch(text)) return clipPatch(text, keep, where);
  return key === "diff" ? clipHunks(text, keep, where) : clipText(text, keep, where);
}

function same<T>(before: T[], after: T[]): T[] {
  return after.every((one, at) => Object.is(one, before[at])) ? before : after;
}
