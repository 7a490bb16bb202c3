// Turns a file edit into an apply_patch call. The structured patch that the agent recorded is the best source;
// without one, only text that is certain to be whole lines can be shown as a patch.
import { type Loss, loss } from "../../session/losses.ts";
import type { ToolCall, ToolResult } from "../../session/session.ts";
import type { Edit, FileChange } from "../../session/tools.ts";
import { isObject, objects, text, word } from "./native.ts";
import { printPatch } from "./patch.ts";

/** A call in Codex's own terms. */
export interface Made {
  name: string;
  input: unknown;
  losses: Loss[];
}

export function patchFor(call: ToolCall, result: ToolResult | undefined): Made | undefined {
  const given = word(call.input.patch);
  if (given?.trimStart().startsWith("*** Begin Patch")) return made(call, given);
  const changes = changesOf(call, result);
  const patch = changes && printPatch(changes);
  if (patch === undefined) return approximated(call);
  const unended = changes?.some(({ content }) => content !== undefined && !/(?:^|\n)$/.test(content));
  return made(call, patch, unended ? [newlineAdded(call)] : []);
}

function made(call: ToolCall, patch: string, losses: Loss[] = []): Made {
  const was = call.originalTool ?? call.tool;
  if (was === "apply_patch") return { name: "apply_patch", input: patch, losses };
  const renamed = loss("tool_renamed", { entry: call.id }, `${was} → apply_patch`);
  return { name: "apply_patch", input: patch, losses: [renamed, ...losses] };
}

/** An edit that cannot be shown as a patch keeps its own form rather than gain context that nobody saw. */
function approximated(call: ToolCall): Made | undefined {
  const name = call.originalTool ?? (call.tool === "write" ? "write_file" : "edit_file");
  const input = call.originalTool === undefined ? call.input : (call.originalInput ?? call.input);
  const detail = `${name} keeps its own arguments: the lines around the change are not recorded`;
  return { name, input, losses: [loss("edit_approximated", { entry: call.id }, detail)] };
}

function newlineAdded(call: ToolCall): Loss {
  return loss(
    "edit_approximated",
    { entry: call.id },
    "an added file ends with a newline in a patch",
    "info",
  );
}

function changesOf(call: ToolCall, result: ToolResult | undefined): FileChange[] | undefined {
  const { input } = call;
  const path = word(input.path);
  if (Array.isArray(input.changes)) return fileChanges(input.changes);
  if (path === undefined) return undefined;
  // Adding a file over an existing one replaces it (0.166.0), which is what writing does.
  if (call.tool === "write")
    return typeof input.content === "string" ? [{ kind: "add", path, content: input.content }] : undefined;
  const recorded = hunksOf(result?.details?.patch);
  if (recorded !== undefined) return [{ kind: "update", path, diff: recorded }];
  return editChanges(path, input.edits);
}

function fileChanges(changes: readonly unknown[]): FileChange[] | undefined {
  const kinds = ["add", "update", "delete", "move"];
  const isChange = (change: unknown) =>
    isObject(change) && kinds.includes(String(change.kind)) && typeof change.path === "string";
  return changes.every(isChange) ? (changes as FileChange[]) : undefined;
}

function editChanges(path: string, edits: unknown): FileChange[] | undefined {
  const list = objects(edits) as unknown as Edit[];
  if (list.length === 0) return undefined;
  const [only] = list;
  // Without old text there was no file, or an empty one.
  if (list.length === 1 && only?.old === "") return [{ kind: "add", path, content: only.new }];
  const hunks = list.map(wholeLines);
  if (!hunks.every((hunk) => hunk !== undefined)) return undefined;
  return [{ kind: "update", path, diff: hunks.join("\n") }];
}

/** A hunk of an edit whose old and new text both end where a line ends. */
function wholeLines(edit: Edit): string | undefined {
  if (edit.all || typeof edit.old !== "string" || typeof edit.new !== "string") return undefined;
  const ends = (value: string) => value === "" || value.endsWith("\n");
  if (edit.old === "" || !ends(edit.old) || !ends(edit.new)) return undefined;
  const lines = (value: string, sign: string) =>
    value
      .split("\n")
      .slice(0, -1)
      .map((line) => sign + line);
  return ["@@", ...lines(edit.old, "-"), ...lines(edit.new, "+")].join("\n");
}

/** Hunks as an agent recorded them: unified text, or objects with their lines. */
export function hunksOf(patch: unknown): string | undefined {
  if (typeof patch === "string") return /^[+-]/m.test(patch) ? fromFirstHunk(patch) : undefined;
  const hunks = objects(patch).map((hunk) => {
    const lines = Array.isArray(hunk.lines) ? hunk.lines.map((line) => text(line) ?? "") : [];
    const { oldStart = 1, oldLines = 1, newStart = 1, newLines = 1 } = hunk;
    return [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join("\n");
  });
  return hunks.length > 0 ? hunks.join("\n") : undefined;
}

function fromFirstHunk(patch: string): string | undefined {
  const at = patch.search(/^@@/m);
  return at === -1 ? undefined : patch.slice(at);
}
