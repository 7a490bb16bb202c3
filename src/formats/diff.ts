// An edit's arguments as a diff for people to read.
import type { Edit, FileChange } from "../session/tools.ts";

/** The edit as a diff of what was replaced, or the patch as it was given. */
export function diffOf(input: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(input.edits)) return (input.edits as Partial<Edit>[]).map(editDiff).join("\n");
  if (Array.isArray(input.changes))
    return (input.changes as Partial<FileChange>[]).map(changeDiff).join("\n");
  return typeof input.patch === "string" ? input.patch : JSON.stringify(input, null, 2);
}

function editDiff(edit: Partial<Edit>): string {
  return [marked("-", edit.old), marked("+", edit.new)].filter(Boolean).join("\n");
}

function changeDiff(change: Partial<FileChange>): string {
  const target = change.to ? ` → ${change.to}` : "";
  const body = change.diff ?? marked("+", change.content);
  return [`# ${change.kind} ${change.path}${target}`, body].filter(Boolean).join("\n");
}

function marked(sign: string, text: unknown): string {
  if (typeof text !== "string" || text === "") return "";
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign}${line}`)
    .join("\n");
}
