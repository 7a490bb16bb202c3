// How a call ended: from the header that Codex puts over an output, and from the display events that report
// the run itself. Only beginnings and ends of long text are looked at.
import type { ToolResult } from "../../session/session.ts";
import { count, isObject, type JsonObject, text, word } from "./native.ts";

export interface Outcome {
  success: boolean;
  details?: NonNullable<ToolResult["details"]>;
}

/** What an event said about a call before its output was recorded. Small, because it waits in the state. */
export interface CallFacts {
  failed?: boolean;
  exitCode?: number;
  durationMs?: number;
  /** What a code-mode script ran; the model saw only what the script returned. */
  ran?: { command?: string; path?: string; exitCode?: number }[];
}

const HEAD = 400;
const TAIL = 200;
const MOST_RUNS = 20;
const COMMAND = 120;

const FAILURES = [
  "unsupported call: ",
  "failed to parse function arguments",
  "apply_patch verification failed",
  "write_stdin failed",
  "exec_command failed",
  "unable to locate image",
  "unable to process image",
  "Script failed",
  "execution error",
  "tool call error",
  "aborted",
];

export function outcomeOf(output: string, facts: CallFacts | undefined): Outcome {
  const head = output.slice(0, HEAD);
  const exitCode = exitCodeOf(head, output) ?? facts?.exitCode;
  const details: JsonObject = {};
  if (exitCode !== undefined) details.exitCode = exitCode;
  const durationMs = facts?.durationMs ?? wallTimeOf(head);
  if (durationMs !== undefined) details.durationMs = durationMs;
  const session = /^Process running with session ID (\d+)$/m.exec(head)?.[1];
  if (session !== undefined) details.session = session;
  if (facts?.ran) details.ran = facts.ran;
  const failed = facts?.failed ?? (exitCode === undefined ? isFailure(head) : exitCode !== 0);
  return { success: !failed, ...(Object.keys(details).length > 0 && { details }) };
}

function exitCodeOf(head: string, output: string): number | undefined {
  const first = head.charCodeAt(0);
  // "Chunk ID", "Exit code", "Process exited", "Wall time"
  if (first === 0x43 || first === 0x45 || first === 0x50 || first === 0x57) {
    const found = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(head)?.[1];
    return found === undefined ? undefined : Number(found);
  }
  // Older outputs are JSON in a string, with the exit code behind the text.
  if (first !== 0x7b || !output.endsWith("}")) return undefined;
  const found = /"exit_code":\s*(-?\d+)/.exec(output.slice(-TAIL))?.[1];
  return found === undefined ? undefined : Number(found);
}

function wallTimeOf(head: string): number | undefined {
  const seconds = /^Wall time:? ([\d.]+) seconds$/m.exec(head)?.[1];
  const value = seconds === undefined ? Number.NaN : Math.round(Number(seconds) * 1000);
  return Number.isFinite(value) ? value : undefined;
}

function isFailure(head: string): boolean {
  if (FAILURES.some((opening) => head.startsWith(opening))) return true;
  return /^Wall time: [\d.]+ seconds\naborted by user/.test(head);
}

/** The facts in an event about a call, with the call's id. */
export function factsOf(event: JsonObject): { id: string; facts: CallFacts } | undefined {
  const item = isObject(event.item) ? event.item : event;
  const id = word(item.id) ?? word(item.call_id);
  if (id === undefined) return undefined;
  const exitCode = count(item.exit_code);
  const durationMs = milliseconds(item.duration);
  const failed = failedOf(item);
  const facts: CallFacts = {
    ...(failed !== undefined && { failed }),
    ...(exitCode !== undefined && { exitCode }),
    ...(durationMs !== undefined && { durationMs }),
  };
  return { id, facts };
}

/** One thing that a code-mode script did. */
export function ranOf(event: JsonObject): NonNullable<CallFacts["ran"]> {
  const item = isObject(event.item) ? event.item : event;
  if (Array.isArray(item.command)) {
    const exitCode = count(item.exit_code);
    const command = (text(item.command.at(-1)) ?? "").slice(0, COMMAND);
    return [{ command, ...(exitCode !== undefined && { exitCode }) }];
  }
  if (!isObject(item.changes)) return [];
  return Object.keys(item.changes)
    .slice(0, MOST_RUNS)
    .map((path) => ({ path: path.slice(0, COMMAND) }));
}

export function addRuns(facts: CallFacts, runs: NonNullable<CallFacts["ran"]>): void {
  if (runs.length === 0) return;
  facts.ran = [...(facts.ran ?? []), ...runs].slice(0, MOST_RUNS);
}

/** Undefined where the event does not say. */
function failedOf(item: JsonObject): boolean | undefined {
  if (item.status === "failed" || item.status === "declined" || item.success === false) return true;
  if (isObject(item.result) && "Err" in item.result) return true;
  return item.status === "completed" || item.success === true ? false : undefined;
}

function milliseconds(duration: unknown): number | undefined {
  if (!isObject(duration)) return undefined;
  const seconds = count(duration.secs);
  const nanos = count(duration.nanos);
  return seconds === undefined ? undefined : seconds * 1000 + Math.round((nanos ?? 0) / 1e6);
}
