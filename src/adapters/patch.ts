// The patch format of apply_patch: parsed into file changes and printed from them.
import { isDeepStrictEqual } from "node:util";
import type { ToolCall } from "../session/session.ts";
import type { FileChange } from "../session/tools.ts";
import { isObject, text } from "./json.ts";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const ADD = "*** Add File: ";
const DELETE = "*** Delete File: ";
const UPDATE = "*** Update File: ";
const MOVE = "*** Move to: ";
const END_OF_FILE = "*** End of File";
const ENVIRONMENT = "*** Environment ID: ";

/** The files a patch changes, or undefined when it is not a patch that Codex would take. */
export function parsePatch(patch: string): FileChange[] | undefined {
  const lines = unwrapped(patch.trim().split("\n").map(withoutReturn));
  if (lines[0]?.trim() !== BEGIN || lines.at(-1)?.trim() !== END) return undefined;
  const changes: FileChange[] = [];
  let at = 1;
  if (lines[at]?.startsWith(ENVIRONMENT)) at++;
  while (at < lines.length - 1) {
    const taken = takeChange(lines, at);
    if (!taken) return undefined;
    changes.push(taken.change);
    at = taken.next;
  }
  return changes.length > 0 ? changes : undefined;
}

/** The patch that a call was given as text, unless the changes beside it were edited since: those count then. */
export function givenPatch({ input, originalInput }: ToolCall): string | undefined {
  const given = text(input.patch);
  const changes = given === undefined ? undefined : parsePatch(given);
  if (given === undefined || changes === undefined) return undefined;
  const recorded = isObject(originalInput) ? Object.values(originalInput) : [originalInput];
  const isRecorded = recorded.some((value) => text(value)?.includes(given));
  const isStale = isRecorded && Array.isArray(input.changes) && !isDeepStrictEqual(changes, input.changes);
  return isStale ? undefined : given;
}

/** A model may put its patch into a here-document although no shell reads it. */
function unwrapped(lines: string[]): string[] {
  const isDocument = /^<<['"]?EOF['"]?$/.test(lines[0] ?? "") && lines.at(-1)?.endsWith("EOF");
  return isDocument ? lines.slice(1, -1) : lines;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

interface Taken {
  change: FileChange;
  next: number;
}

function takeChange(lines: readonly string[], at: number): Taken | undefined {
  const line = lines[at]?.trim() ?? "";
  const end = bodyEnd(lines, at + 1);
  if (line.startsWith(ADD)) return takeAdd(lines, at, end, line.slice(ADD.length));
  if (line.startsWith(DELETE)) {
    const change: FileChange = { kind: "delete", path: line.slice(DELETE.length) };
    return end === at + 1 ? { change, next: end } : undefined;
  }
  return line.startsWith(UPDATE) ? takeUpdate(lines, at, end, line.slice(UPDATE.length)) : undefined;
}

/** The next file header, or the last line. */
function bodyEnd(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length - 1 && !/^\*\*\* (?:Add|Delete|Update) File: /.test(lines[at] ?? "")) at++;
  return at;
}

function takeAdd(lines: readonly string[], at: number, end: number, path: string): Taken | undefined {
  const body = lines.slice(at + 1, end);
  if (!body.every((line) => line.startsWith("+"))) return undefined;
  const content = body.map((line) => `${line.slice(1)}\n`).join("");
  return { change: { kind: "add", path, content }, next: end };
}

function takeUpdate(lines: readonly string[], at: number, end: number, path: string): Taken | undefined {
  const moved = lines[at + 1]?.startsWith(MOVE) ?? false;
  const body = lines.slice(at + (moved ? 2 : 1), end);
  if (!body.every(isHunkLine)) return undefined;
  const diff = body.join("\n");
  if (!moved) return body.length > 0 ? { change: { kind: "update", path, diff }, next: end } : undefined;
  const to = lines[at + 1]?.slice(MOVE.length).trim() ?? "";
  return { change: { kind: "move", path, to, ...(body.length > 0 && { diff }) }, next: end };
}

function isHunkLine(line: string): boolean {
  return line === "" || line === END_OF_FILE || /^(?:@@|[ +-])/.test(line);
}

/** The patch that makes these changes, or undefined when one of them does not say enough. */
export function printPatch(changes: readonly FileChange[]): string | undefined {
  const body: string[] = [];
  for (const change of changes) {
    const lines = changeLines(change);
    if (!lines) return undefined;
    body.push(...lines);
  }
  return body.length === 0 ? undefined : [BEGIN, ...body, END].join("\n");
}

function changeLines(change: FileChange): string[] | undefined {
  if (/[\r\n]/.test(change.path + (change.to ?? "")) || change.path === "") return undefined;
  switch (change.kind) {
    case "add":
      return change.content === undefined ? undefined : [`${ADD}${change.path}`, ...added(change.content)];
    case "delete":
      return [`${DELETE}${change.path}`];
    case "update":
      return change.diff ? [`${UPDATE}${change.path}`, ...hunkLines(change.diff)] : undefined;
    case "move":
      if (!change.to) return undefined;
      return [
        `${UPDATE}${change.path}`,
        `${MOVE}${change.to}`,
        ...(change.diff ? hunkLines(change.diff) : []),
      ];
    default:
      change.kind satisfies never;
      return undefined;
  }
}

function added(content: string): string[] {
  if (content === "") return [];
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `+${line}`);
}

/** Codex finds a hunk by its lines; line numbers would be taken for a line of context. */
function hunkLines(diff: string): string[] {
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines
    .filter((line) => !line.startsWith("\\"))
    .map((line) => (/^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(line) ? "@@" : line));
}
