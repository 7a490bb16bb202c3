// What the CLI records beside the text of a tool result, in universal terms: exit code, patch, duration, the
// file that holds a long output. The text itself stays what the model saw.
import { filled, isObject, isShallow, type Json } from "./native.ts";

const EXIT = "Exit code ";
const PERSISTED = "<persisted-output>";
const SAVED_TO = "saved to: ";
/** The note about a long output names its file in the first lines. */
const NOTE_LENGTH = 2048;

/** `recorded` is the record's toolUseResult, `output` the text of the result. */
export function detailsOf(recorded: unknown, output: string, failed: boolean): Json | undefined {
  const details: Json = {};
  if (isObject(recorded)) fromObject(recorded, details);
  if (failed && output.startsWith(EXIT)) {
    const code = Number.parseInt(output.slice(EXIT.length, EXIT.length + 8), 10);
    if (Number.isInteger(code)) details.exitCode = code;
  }
  if (details.path === undefined && output.startsWith(PERSISTED)) {
    const path = savedTo(output);
    if (path !== undefined) details.path = path;
  }
  for (const _ in details) return details;
  return undefined;
}

function fromObject(recorded: Json, details: Json): void {
  for (const [native, universal] of SCALARS) {
    const value = recorded[native];
    if (typeof value === "number" || typeof value === "boolean") details[universal] = value;
  }
  for (const [native, universal] of TEXTS) {
    const value = filled(recorded[native]);
    if (value !== undefined) details[universal] = value;
  }
  if (typeof recorded.durationSeconds === "number") details.durationMs = recorded.durationSeconds * 1000;
  const patch = patchOf(recorded.structuredPatch);
  if (patch !== undefined) details.patch = patch;
  if (isObject(recorded.answers) && isShallow(recorded.answers)) details.answers = recorded.answers;
  if (isObject(recorded.file)) fileDetails(recorded.file, details);
}

const SCALARS = [
  ["durationMs", "durationMs"],
  ["totalDurationMs", "durationMs"],
  ["numFiles", "files"],
  ["truncated", "truncated"],
  ["code", "status"],
] as const;

const TEXTS = [
  ["stderr", "stderr"],
  ["persistedOutputPath", "path"],
  ["backgroundTaskId", "background"],
  ["agentId", "agent"],
] as const;

function fileDetails(file: Json, details: Json): void {
  for (const name of ["startLine", "numLines", "totalLines"])
    if (typeof file[name] === "number") details[name] = file[name];
}

function savedTo(output: string): string | undefined {
  const note = output.slice(0, NOTE_LENGTH);
  const start = note.indexOf(SAVED_TO);
  if (start === -1) return undefined;
  const end = note.indexOf("\n", start);
  return note.slice(start + SAVED_TO.length, end === -1 ? undefined : end).trim() || undefined;
}

/** The recorded hunks as a unified diff without file headers. */
function patchOf(hunks: unknown): string | undefined {
  if (!Array.isArray(hunks) || hunks.length === 0) return undefined;
  const lines: string[] = [];
  for (const hunk of hunks) {
    if (!isObject(hunk) || !Array.isArray(hunk.lines)) continue;
    const { oldStart, oldLines, newStart, newLines } = hunk;
    lines.push(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`);
    for (const line of hunk.lines) if (typeof line === "string") lines.push(line);
  }
  return lines.length === 0 ? undefined : lines.join("\n");
}
