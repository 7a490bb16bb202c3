// What a summary without a model tells of what was done: files, commands and how they ended, and what was left
// unfinished. Of every call only a few words are kept.
import type { Entry, ToolCall, ToolResult } from "../session/session.ts";
import { newChanges } from "./extract-files.ts";
import type { Section } from "./fit.ts";
import { newest } from "./newest.ts";
import { quote } from "./quotes.ts";
import { recorded, relativeTo, type Touch, touchesOf } from "./touched.ts";

export interface Done {
  /** `prompt`: what the entry was done for. */
  add(entry: Entry, prompt: string | undefined): void;
  sections(): { files: Section; commands: Section; unfinished: Section };
}

const LONGEST_COMMAND = 160;
const LONGEST_KEY = 2000;
const LONGEST_ITEM = 200;
const MOST_COMMANDS = 300;
const MOST_OPEN = 200;
const MOST_TOUCHES = 200;
const MOST_ITEMS = 100;
const MOST_SHOWN = 20;

/** A call without its arguments. */
interface Open {
  name: string;
  /** Tells commands apart that are shown alike. */
  key: string;
  command: string;
  touches: Touch[];
  /** Its result may know better how many lines were changed. */
  isOneFile: boolean;
  items?: string[];
}

interface Run {
  command: string;
  outcome: string;
  times: number;
}

export function newDone(project: string): Done {
  const files = newChanges();
  const commands = newest<Run>(MOST_COMMANDS);
  const open = newest<Open>(MOST_OPEN);
  const interrupted = newest<string>(MOST_SHOWN);
  let todo: string[] = [];
  let last: Run | undefined;

  function ran({ key, command }: Open, outcome: string): void {
    last = { command, outcome, times: (commands.get(key)?.times ?? 0) + 1 };
    commands.put(key, last);
  }

  function answered(result: ToolResult): void {
    const call = open.get(result.callId);
    if (!call) return;
    open.remove(result.callId);
    if (call.command !== "") ran(call, outcomeOf(result));
    if (!result.success) return;
    todo = call.items ?? todo;
    const lines = call.isOneFile ? recorded(result) : undefined;
    for (const touch of call.touches) files.add(lines ? { ...touch, ...lines } : touch, result.output);
  }

  return {
    add(entry, prompt) {
      if (entry.interrupted) {
        const words = prompt ?? "before the first prompt";
        interrupted.put(words, `- interrupted: "${words}"`);
      }
      if (entry.type === "tool_call" && !entry.hosted) open.put(entry.id, opened(entry, project));
      else if (entry.type === "tool_result") answered(entry);
    },
    sections: () => ({
      files: { title: "Files", ...files.section(), rank: 5 },
      commands: { title: "Commands", lines: commands.values().map(runLine), lost: commands.lost, rank: 7 },
      unfinished: {
        title: "Unfinished",
        lines: [
          ...interrupted.values(),
          ...open.values().slice(-MOST_SHOWN).map(openLine),
          ...(last?.outcome.startsWith("failed")
            ? [`- the last command ${last.outcome}: ${last.command}`]
            : []),
          ...todo,
        ],
        rank: 3,
      },
    }),
  };
}

function opened(call: ToolCall, project: string): Open {
  const { tool, input } = call;
  const command = tool === "bash" && typeof input.command === "string" ? input.command : "";
  const items = tool === "todo" && Array.isArray(input.items) ? unfinished(input.items) : undefined;
  return {
    name: quote(call.originalTool ?? tool, 60),
    key: quote(command, LONGEST_KEY),
    command: quote(command, LONGEST_COMMAND),
    touches: touchesOf(call, undefined)
      .slice(-MOST_TOUCHES)
      .flatMap((touch) => lone(touch, project)),
    isOneFile: !Array.isArray(input.changes),
    ...(items && { items }),
  };
}

/** With a path of its own, not a part of the call's arguments. */
function lone(touch: Touch, project: string): Touch[] {
  const path = quote(relativeTo(project, touch.path), LONGEST_ITEM);
  return path === "" ? [] : [{ ...touch, path }];
}

/** The list as it stands after the call. */
function unfinished(items: readonly unknown[]): string[] {
  const lines = items.flatMap((item) => {
    const { text, status } = (item ?? {}) as { text?: unknown; status?: unknown };
    if (typeof text !== "string" || status === "completed" || status === "cancelled") return [];
    const words = quote(text, LONGEST_ITEM);
    return words === "" ? [] : [`- ${status === "in_progress" ? "in progress" : "to do"}: "${words}"`];
  });
  return lines.slice(0, MOST_ITEMS);
}

function outcomeOf(result: ToolResult): string {
  const recordedCode = result.details?.exitCode as number;
  const code = Number.isInteger(recordedCode) ? recordedCode : codeIn(result.output);
  if (result.interrupted) return "interrupted";
  if (code !== undefined && code !== 0) return `failed with exit code ${code}`;
  return result.success ? "ok" : "failed";
}

const END = 400;

/** Some agents record it in the text alone, on a line of its own before or behind the output. */
function codeIn(output: string): number | undefined {
  const ends = output.length <= 2 * END ? [output] : [output.slice(0, END), output.slice(-END)];
  for (const text of ends) {
    const found = /^(?:Process exited with code|Exit [Cc]ode:?) (-?\d{1,10})\r?$/m.exec(text)?.[1];
    if (found !== undefined) return Number(found);
  }
  return undefined;
}

function runLine({ command, outcome, times }: Run): string {
  return `- ${outcome}${times === 1 ? "" : `, run ${times} times`}: ${command}`;
}

function openLine({ name, command, touches }: Open): string {
  const what = command || touches.at(-1)?.path;
  return `- no result: ${name}${what ? ` ${what}` : ""}`;
}
