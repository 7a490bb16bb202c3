// Which files tool calls touched, and by how many lines, as far as the calls and their results say.
import type { ToolCall, ToolResult } from "../session/session.ts";
import type { Edit, FileChange } from "../session/tools.ts";

export interface FileFacts {
  /** From the project's folder where it lies below it. */
  path: string;
  read: boolean;
  changed: boolean;
  /** Lines; null where they are not known, as for a file that was written over. */
  added: number | null;
  removed: number | null;
}

export interface Touch extends Lines {
  path: string;
  kind: "read" | "changed";
  /** What became of the file, where the call says more than that it was changed. */
  how?: "created" | "deleted" | "moved" | "written";
}

interface Lines {
  added: number | null;
  removed: number | null;
}

const UNKNOWN: Lines = { added: null, removed: null };

export interface Files {
  add(call: ToolCall, result: ToolResult | undefined): void;
  list(): FileFacts[];
}

export function newFiles(project: string): Files {
  const found = new Map<string, FileFacts>();
  return {
    add(call, result) {
      // A call that failed has touched nothing.
      if (result && !result.success) return;
      for (const touch of touchesOf(call, result)) {
        const path = relativeTo(project, touch.path);
        const file = found.get(path) ?? { path, read: false, changed: false, added: 0, removed: 0 };
        file[touch.kind] = true;
        if (touch.kind === "changed") {
          file.added = sum(file.added, touch.added);
          file.removed = sum(file.removed, touch.removed);
        }
        found.set(path, file);
      }
    },
    list: () =>
      [...found.values()]
        .map((file) => (file.changed ? file : { ...file, ...UNKNOWN }))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** The files that a call names. */
export function touchesOf(call: ToolCall, result: ToolResult | undefined): Touch[] {
  const { tool, input } = call;
  const path = typeof input.path === "string" && input.path !== "" ? input.path : undefined;
  if (tool === "read") return path === undefined ? [] : [{ path, kind: "read", ...UNKNOWN }];
  if (tool === "write") {
    const lines = recorded(result) ?? { added: lineCount(input.content), removed: null };
    return path === undefined ? [] : [{ path, kind: "changed", how: "written", ...lines }];
  }
  if (tool !== "edit") return [];
  if (Array.isArray(input.changes))
    return (input.changes as (Partial<FileChange> | null)[]).flatMap(changeOf);
  const lines = recorded(result) ?? editLines(input.edits);
  return path === undefined ? [] : [{ path, kind: "changed", ...lines }];
}

function changeOf(change: Partial<FileChange> | null): Touch[] {
  const { path, to, kind, content, diff } = change ?? {};
  if (typeof path !== "string") return [];
  const touch = (name: string, lines: Lines, how?: Touch["how"]): Touch => ({
    path: name,
    kind: "changed",
    ...lines,
    ...(how && { how }),
  });
  if (kind === "add") return [touch(path, { added: lineCount(content), removed: 0 }, "created")];
  if (kind === "delete") return [touch(path, UNKNOWN, "deleted")];
  const lines = typeof diff === "string" ? diffLines(diff) : { added: 0, removed: 0 };
  return typeof to === "string" ? [touch(path, UNKNOWN, "moved"), touch(to, lines)] : [touch(path, lines)];
}

/** The hunks that an agent kept beside the result say what really changed. */
export function recorded(result: ToolResult | undefined): Lines | undefined {
  const patch = result?.details?.patch;
  return typeof patch === "string" && patch !== "" ? diffLines(patch) : undefined;
}

function diffLines(diff: string): Lines {
  let added = 0;
  let removed = 0;
  for (const line of diff.split("\n")) {
    if (line.startsWith("+") && !line.startsWith("+++ ")) added++;
    if (line.startsWith("-") && !line.startsWith("--- ")) removed++;
  }
  return { added, removed };
}

function editLines(edits: unknown): Lines {
  if (!Array.isArray(edits)) return UNKNOWN;
  let lines: Lines = { added: 0, removed: 0 };
  for (const edit of edits as (Partial<Edit> | null)[]) {
    const one = difference(edit?.old, edit?.new);
    lines = { added: sum(lines.added, one.added), removed: sum(lines.removed, one.removed) };
  }
  return lines;
}

/** Lines that only one of two texts has; those around the change, which agents add as a landmark, do not count. */
function difference(before: unknown, after: unknown): Lines {
  if (typeof before !== "string" || typeof after !== "string") return UNKNOWN;
  const left = new Map<string, number>();
  for (const line of linesOf(before)) left.set(line, (left.get(line) ?? 0) + 1);
  let added = 0;
  for (const line of linesOf(after)) {
    const count = left.get(line) ?? 0;
    if (count === 0) added++;
    else left.set(line, count - 1);
  }
  const removed = [...left.values()].reduce((total, count) => total + count, 0);
  return { added, removed };
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function lineCount(text: unknown): number | null {
  return typeof text === "string" ? linesOf(text).length : null;
}

export function relativeTo(project: string, path: string): string {
  const plain = path.replace(/^(?:\.\/)+/, "");
  if (project === "" || project === "/") return plain;
  const folder = project.replace(/[\\/]$/, "");
  const isBelow = plain.startsWith(`${folder}/`) || plain.startsWith(`${folder}\\`);
  return isBelow ? plain.slice(folder.length + 1) : plain;
}
