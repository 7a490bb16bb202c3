// Turns a file edit into an apply_patch call. The structured patch that the agent recorded is the best source;
// without one, only text that is certain to be whole lines can be shown as a patch.
import { type Loss, loss } from "../../session/losses.ts";
import type { ToolCall, ToolResult } from "../../session/session.ts";
import type { Edit, FileChange } from "../../session/tools.ts";
import { givenPatch, printPatch } from "../patch.ts";
import { isObject, objects, text, word } from "./native.ts";

/** A call in Codex's own terms. */
export interface Made {
  name: string;
  input: unknown;
  losses: Loss[];
}

/** Undefined for an edit that a patch cannot say exactly: nobody recorded the lines around it. */
export function patchFor(call: ToolCall, result: ToolResult | undefined): Made | undefined {
  const given = givenPatch(call);
  if (given !== undefined) return made(call, given);
  const changes = changesOf(call, result);
  const isExact = changes?.every(({ content = "", diff = "" }) => isLines(content) && !diff.includes("\r"));
  // One file can be told in other ways.
  if (!isExact && !Array.isArray(call.input.changes)) return undefined;
  const patch = changes && printPatch(changes);
  if (patch === undefined) return undefined;
  const losses = changes?.every(({ content = "" }) => content === "" || content.endsWith("\n"))
    ? []
    : [approximation(call, "an added file ends with a newline in a patch")];
  // Codex takes a patch line by line, without the carriage returns.
  if (patch.includes("\r\n")) losses.push(approximation(call, "carriage returns have no place in a patch"));
  return made(call, patch, losses);
}

/** In a patch every line ends with a newline and nothing else. */
function isLines(content: string): boolean {
  return (content === "" || content.endsWith("\n")) && !content.includes("\r");
}

function made(call: ToolCall, patch: string, losses: Loss[] = []): Made {
  const was = call.originalTool ?? call.tool;
  if (was === "apply_patch") return { name: "apply_patch", input: patch, losses };
  const renamed = loss("tool_renamed", { entry: call.id }, `${was} → apply_patch`);
  return { name: "apply_patch", input: patch, losses: [renamed, ...losses] };
}

function approximation(call: ToolCall, detail: string): Loss {
  return loss("edit_approximated", { entry: call.id }, detail, "info");
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
  if (recorded !== undefined && makes(recorded, input.edits))
    return [{ kind: "update", path, diff: recorded }];
  return editChanges(path, input.edits);
}

/** Whether the file holds the new text of every edit once these hunks are applied. */
function makes(hunks: string, edits: unknown): boolean {
  const after = hunks
    .split("\n")
    .flatMap((line) => (/^[ +]/.test(line) ? [line.slice(1)] : line.startsWith("@@") ? ["\0"] : []));
  const file = `\n${after.join("\n")}\n`.replaceAll("\r", "");
  return objects(edits).every((edit) => file.includes((text(edit.new) ?? "").replaceAll("\r", "")));
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

/**
 * A hunk of an edit that is certain to replace whole lines: old and new text both begin behind the end of a line
 * and end with one. Text that begins with a letter or a space may begin anywhere in its line.
 */
function wholeLines(edit: Edit): string | undefined {
  if (edit.all || typeof edit.old !== "string" || typeof edit.new !== "string") return undefined;
  const isWhole = (value: string) => value.startsWith("\n") && value.endsWith("\n");
  if (!isWhole(edit.old) || edit.old === "\n" || !isWhole(edit.new)) return undefined;
  const lines = (value: string, sign: string) =>
    value
      .split("\n")
      .slice(1, -1)
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
