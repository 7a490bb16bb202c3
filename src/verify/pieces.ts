// What must be found again in a tool call's arguments, whatever the tool is called over there. Agents shape
// arguments differently (a command, a patch, old and new text), so the check is on the strings they hold.
import { relative } from "node:path";
import type { ToolCall } from "../session/session.ts";
import type { Edit, FileChange } from "../session/tools.ts";

/** One thing a call did; a call that becomes several may spread its pieces over them, in order. */
export interface Piece {
  /** Each must stand in the arguments letter by letter. */
  strings: string[];
  /** Each must stand there in one of its spellings, which a shell may have quoted. */
  words: string[][];
  /** Lines that must stand there as taken out, in order. */
  removed: string[];
  /** Lines that must stand there as put in, in order. */
  added: string[];
}

export function pieces(call: ToolCall, cwd: string): Piece[] {
  const input = call.input;
  const path = (value: unknown) => spellings(value, cwd);
  switch (call.tool) {
    case "read":
    case "list":
      return [piece({ words: [path(input.path)] })];
    case "write":
      return [piece({ words: [path(input.path)], added: lines(input.content) })];
    case "edit":
      return editPieces(call, cwd);
    case "bash":
      return [piece({ strings: texts([input.command, input.stdin]) })];
    case "search":
      return [piece({ words: [one(input.pattern), path(input.path), one(input.glob)] })];
    case "glob":
      return [piece({ words: [one(input.pattern), path(input.path)] })];
    case "task":
      return [piece({ strings: texts([input.prompt]) })];
    case "web_fetch":
      return [piece({ strings: texts([input.url]) })];
    case "web_search":
      return [piece({ strings: texts([input.query]) })];
    case "ask":
    case "unknown":
      return [piece({ strings: leaves(input) })];
    default:
      call.tool satisfies never;
      return [];
  }
}

function piece(part: Partial<Piece>): Piece {
  const words = (part.words ?? []).filter((spelling) => spelling.length > 0);
  return { strings: part.strings ?? [], words, removed: part.removed ?? [], added: part.added ?? [] };
}

function editPieces(call: ToolCall, cwd: string): Piece[] {
  const { path, edits, changes, patch } = call.input;
  if (Array.isArray(changes) && changes.length > 0)
    return (changes as FileChange[]).flatMap((change) => changePieces(change, cwd));
  if (Array.isArray(edits) && edits.length > 0) {
    const words = [spellings(path, cwd)];
    return (edits as Edit[]).map((edit) => piece({ words, ...difference(edit) }));
  }
  // A patch that could not be taken apart is kept as it was given.
  return [piece({ words: [spellings(path, cwd)], strings: texts([patch]) })];
}

function changePieces(change: FileChange, cwd: string): Piece[] {
  const path = spellings(change.path, cwd);
  const to = change.to === undefined ? [] : spellings(change.to, cwd);
  const hunks = hunksOf(change.diff ?? "").map((hunk) =>
    // After a move either name may stand beside the changed lines.
    piece({ words: [[...path, ...to]], ...hunk }),
  );
  if (change.kind === "update") return hunks.length > 0 ? hunks : [piece({ words: [path] })];
  if (change.kind === "add") return [piece({ words: [path], added: lines(change.content) })];
  return [piece({ words: [path, to] }), ...hunks];
}

/** The lines that only one side has; lines on both sides may be shown as context. */
function difference(edit: Edit): { removed: string[]; added: string[] } {
  const before = lines(edit.old);
  const after = lines(edit.new);
  return { removed: without(before, after), added: without(after, before) };
}

function without(these: readonly string[], those: readonly string[]): string[] {
  const count = new Map<string, number>();
  for (const line of those) count.set(line, (count.get(line) ?? 0) + 1);
  return these.filter((line) => {
    const left = count.get(line) ?? 0;
    count.set(line, left - 1);
    return left <= 0;
  });
}

function hunksOf(diff: string): { removed: string[]; added: string[] }[] {
  const hunks: { removed: string[]; added: string[] }[] = [];
  for (const line of diff.split("\n")) {
    if (hunks.length === 0 || line.startsWith("@@")) hunks.push({ removed: [], added: [] });
    const text = trimmedLine(line.slice(1));
    const sink = line.startsWith("-")
      ? hunks.at(-1)?.removed
      : line.startsWith("+")
        ? hunks.at(-1)?.added
        : undefined;
    if (text.trim() !== "") sink?.push(text);
  }
  return hunks.filter(({ removed, added }) => removed.length + added.length > 0);
}

/** Lines with something on them; a blank one would be found anywhere. */
export function lines(value: unknown): string[] {
  if (typeof value !== "string") return [];
  return value
    .split("\n")
    .map(trimmedLine)
    .filter((line) => line.trim() !== "");
}

function trimmedLine(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function spellings(path: unknown, cwd: string): string[] {
  if (typeof path !== "string" || path === "") return [];
  const inside = path.startsWith("/") && cwd.startsWith("/") ? relative(cwd, path) : "";
  return inside === "" || inside.startsWith("..") ? [path] : [path, inside];
}

function one(value: unknown): string[] {
  return typeof value === "string" && value !== "" ? [value] : [];
}

function texts(values: readonly unknown[]): string[] {
  return values.flatMap(one);
}

/** Every string inside, keys aside. */
function leaves(value: unknown): string[] {
  if (typeof value === "string") return one(value);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(leaves);
}
