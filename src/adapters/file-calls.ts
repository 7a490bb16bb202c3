// An edit, or a patch over several files, as the single steps that most agents' tools take: one replacement in
// one file, one file written, and shell commands for what no file tool does.
import type { Edit, FileChange } from "../session/tools.ts";
import { anchorsIn, hunkEdits } from "./hunks.ts";
import { isObject, type Json, text } from "./json.ts";
import { type NativeCall, quoted, type Writer, type Writing, withOthers } from "./translator.ts";

/** The agent's own tools for the steps. */
export interface FileTools {
  edit(path: string, edit: Edit): NativeCall;
  /** Several edits in one file; absent where the agent has no tool for that. */
  edits?(path: string, edits: readonly Edit[]): NativeCall;
  write(path: string, content: string): NativeCall;
  shell(command: string): NativeCall;
}

/** The writer of the universal tool `edit`. */
export function editWriter(tools: FileTools): Writer {
  return (input, writing) => {
    const changes = changesIn(input);
    if (changes.length > 0) {
      const calls = changes.flatMap((change) => changeCalls(change, tools, writing));
      return calls.length > 0 ? besides(calls, writing, input, ["path", "changes", "patch"]) : undefined;
    }
    const path = text(input.path);
    const edits = editsIn(input);
    if (path === undefined || edits.length === 0) return undefined;
    return besides(callsFor(path, edits, tools), writing, input, ["path", "edits", "patch"]);
  };
}

/** The first of the calls carries what was said beside the edit, as it carries the result. */
function besides(
  [first, ...more]: readonly NativeCall[],
  writing: Writing,
  input: Json,
  used: readonly string[],
): NativeCall[] {
  return first ? [{ ...first, input: withOthers(first.input, writing, input, used) }, ...more] : more;
}

function changesIn({ changes }: Json): FileChange[] {
  return Array.isArray(changes) ? changes.filter(isChange) : [];
}

function editsIn({ edits }: Json): Edit[] {
  return Array.isArray(edits) ? edits.filter(isEdit) : [];
}

function isChange(value: unknown): value is FileChange {
  return isObject(value) && typeof value.path === "string" && typeof value.kind === "string";
}

function isEdit(value: unknown): value is Edit {
  return isObject(value) && typeof value.old === "string" && typeof value.new === "string";
}

function callsFor(path: string, edits: readonly Edit[], tools: FileTools): NativeCall[] {
  if (edits.length > 1 && tools.edits) return [tools.edits(path, edits)];
  return edits.map((edit) => tools.edit(path, edit));
}

function changeCalls(change: FileChange, tools: FileTools, writing: Writing): NativeCall[] {
  const { kind, path } = change;
  switch (kind) {
    case "add":
      return [tools.write(path, change.content ?? "")];
    case "delete":
      return [tools.shell(`rm -- ${quoted(path)}`)];
    case "move": {
      const to = change.to ?? path;
      const moved = to === path ? [] : [tools.shell(`mv -- ${quoted(path)} ${quoted(to)}`)];
      return [...moved, ...hunkCalls({ ...change, path: to }, tools, writing)];
    }
    case "update":
      return hunkCalls(change, tools, writing);
    default:
      // A document may name a kind of change that Baton does not know.
      writing.report("edit_approximated", `${path}: ${String(kind)}`);
      return [];
  }
}

function hunkCalls({ path, diff = "" }: FileChange, tools: FileTools, { report }: Writing): NativeCall[] {
  const edits = hunkEdits(diff);
  const blind = edits.filter((edit) => edit.old === "").length;
  if (blind > 0) report("edit_approximated", `${path}: ${blind} insertion(s) without the lines around them`);
  const anchors = anchorsIn(diff);
  if (anchors.length > 0) {
    const places = anchors.slice(0, 3).join("; ").slice(0, 200);
    report("edit_approximated", `${path}: the place named by ${places} is left out`, "info");
  }
  return callsFor(path, edits, tools);
}
