// Tool calls as the app server tells them, in Codex's own tools and in universal terms: the model's own calls
// (`rawResponseItem`), which read like those of a rollout, and the items that it makes of them.
import { jsonIn } from "../../session/json.ts";
import type { FileChange } from "../../session/tools.ts";
import { isShallow } from "../json.ts";
import { printPatch } from "../patch.ts";
import type { UniversalCall } from "../reading.ts";
import { entryOf, fullName } from "./items.ts";
import { isObject, type JsonObject, objects, text, word } from "./native.ts";
import type { Told } from "./run-state.ts";
import { commandText } from "./shell.ts";
import { universalCall, universalSearch, universalText } from "./universal.ts";

const WHOLE = { id: "", timestamp: "", index: 0, whole: true };

const RAW_CALLS: ReadonlySet<unknown> = new Set([
  "function_call",
  "custom_tool_call",
  "local_shell_call",
  "tool_search_call",
]);

/** Undefined for what is no call, and for a search at the vendor, which its item tells better. */
export function rawCall(item: JsonObject): Told | undefined {
  const entry = RAW_CALLS.has(item.type) ? entryOf(item, WHOLE) : undefined;
  if (typeof entry !== "object" || entry.type !== "tool_call") return undefined;
  const { id, tool, input, originalTool = "", originalInput } = entry;
  const given = typeof originalInput === "string" ? jsonIn(originalInput) : originalInput;
  if (!isShallow(input))
    return told(id, originalTool, undefined, {
      tool: "unknown",
      input: { arguments: String(originalInput) },
    });
  return told(id, originalTool, given ?? originalInput, { tool, input });
}

export interface RawResult {
  id: string;
  content: string;
  is_error: boolean;
}

const RAW_RESULTS: ReadonlySet<unknown> = new Set([
  "function_call_output",
  "custom_tool_call_output",
  "local_shell_call_output",
  "tool_search_output",
]);

export function rawResult(item: JsonObject): RawResult | undefined {
  const entry = RAW_RESULTS.has(item.type) ? entryOf(item, WHOLE) : undefined;
  if (typeof entry !== "object" || entry.type !== "tool_result") return undefined;
  const { callId: id, output, success, details } = entry;
  const isRunning = details?.session !== undefined;
  return { id, content: output.replace(HEAD, "") + (isRunning ? STILL_RUNNING : ""), is_error: !success };
}

/** What Codex puts over an output for the model; the same is told by other fields, or differs at every run. */
const HEAD =
  /^(?:(?:Chunk ID:|Wall time|Exit code:|Process |Original token count:|Script (?:completed|failed|running))[^\n]*\n)+Output:\n*/;

/** A command that goes on in the background. */
export const STILL_RUNNING = "[still running]";

/** Whether it is a script of code mode, or waits for one: what it does comes as items of their own. */
export function isScript({ name }: Told): boolean {
  return name === "exec" || name === "wait";
}

/** The call behind an item; undefined for items that are no calls. */
export function itemCall(item: JsonObject, cwd: string): Told | undefined {
  const id = word(item.id);
  if (id === undefined) return undefined;
  switch (item.type) {
    case "commandExecution":
      return commandCall(id, item, cwd);
    case "fileChange":
      return patchCall(id, item);
    case "mcpToolCall":
      return named(id, text(item.tool) ?? "", `mcp__${text(item.server) ?? ""}`, item.arguments);
    case "dynamicToolCall":
      return named(id, text(item.tool) ?? "", word(item.namespace), item.arguments);
    case "collabAgentToolCall":
      return agentCall(id, item);
    case "subAgentActivity":
      // The second version of subagents says what was asked only to the model that was asked.
      return item.kind === "started"
        ? named(id, "spawn_agent", "collaboration", { message: "", task_name: item.agentPath })
        : undefined;
    case "webSearch":
      return searchCall(id, item);
    case "imageView":
      return named(id, "view_image", undefined, { path: item.path });
    case "imageGeneration":
      return named(id, "image_generation", undefined, { prompt: item.revisedPrompt });
    case "sleep":
      return named(id, "sleep", "clock", { duration_ms: item.durationMs });
    default:
      return undefined;
  }
}

/** Also what an approval says of a command. */
export function commandCall(id: string, item: JsonObject, cwd: string): Told {
  const workdir = word(item.cwd);
  const input = {
    cmd: scriptOf(text(item.command) ?? ""),
    ...(workdir !== undefined && workdir !== cwd && { workdir }),
  };
  return named(id, "exec_command", undefined, input);
}

/** One with nothing universal about it has no other arguments than its own. */
function told(id: string, name: string, input: unknown, call: UniversalCall): Told {
  return { id, name, input: call.tool === "unknown" ? call.input : input, call };
}

export function named(id: string, name: string, namespace: string | undefined, input: unknown): Told {
  const call = universalCall(name, namespace, JSON.stringify(input ?? {}));
  return told(id, fullName(name, namespace), input, call);
}

function patchCall(id: string, item: JsonObject): Told {
  const changes = objects(item.changes).map(changeOf);
  const patch = printPatch(changes);
  const [only] = changes;
  const isWritten = changes.length === 1 && only?.kind === "add";
  const call: UniversalCall = isWritten
    ? { tool: "write", input: { path: only.path, content: only.content ?? "" } }
    : patch === undefined
      ? { tool: "edit", input: { path: only?.path ?? "", changes } }
      : universalText("apply_patch", patch);
  return told(id, "apply_patch", patch ?? { changes }, call);
}

/** `diff` of a new file is its content, that of a deleted one what it was. */
function changeOf({ path, kind, diff }: JsonObject): FileChange {
  const [where, how] = [text(path) ?? "", isObject(kind) ? kind : {}];
  if (how.type === "add") return { kind: "add", path: where, content: text(diff) ?? "" };
  if (how.type === "delete") return { kind: "delete", path: where };
  const to = word(how.move_path);
  const hunks = word(diff) === undefined ? {} : { diff: text(diff) ?? "" };
  return to === undefined
    ? { kind: "update", path: where, ...hunks }
    : { kind: "move", path: where, to, ...hunks };
}

const AGENT_TOOLS: ReadonlyMap<unknown, string> = new Map([
  ["spawnAgent", "spawn_agent"],
  ["sendInput", "send_input"],
  ["resumeAgent", "resume_agent"],
  ["wait", "wait_agent"],
  ["closeAgent", "close_agent"],
]);

function agentCall(id: string, { tool, prompt, receiverThreadIds }: JsonObject): Told {
  const name = AGENT_TOOLS.get(tool) ?? text(tool) ?? "";
  const message = text(prompt);
  const input = {
    ...(message !== undefined && { message }),
    ...(name !== "spawn_agent" && { targets: receiverThreadIds }),
  };
  return named(id, name, "multi_agent_v1", input);
}

function searchCall(id: string, { action, query }: JsonObject): Told {
  const given = isObject(action) ? action : { query };
  return told(id, "web_search_call", given, universalSearch(given));
}

/** Items show a command as one line, quoted for a shell: `/bin/bash -lc 'echo one'`. */
function scriptOf(line: string): string {
  const words = wordsOf(line) ?? [];
  const script = commandText(words);
  // Only a script that stands alone is unwrapped; anything else is shown as it came.
  return words.length === 3 && script === words[2] ? script : line;
}

const WORD = /\s+|'([^']*)'|"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\\([\s\S])|([^\s'"\\]+)/gy;

function wordsOf(line: string): string[] | undefined {
  const words: string[] = [];
  let current: string | undefined;
  let end = 0;
  for (const [whole, single, double, escaped, plain] of line.matchAll(WORD)) {
    end += whole.length;
    const piece = single ?? double?.replace(/\\(["\\$`\n])/g, "$1") ?? escaped ?? plain;
    if (piece !== undefined) current = (current ?? "") + piece;
    else if (current !== undefined) {
      words.push(current);
      current = undefined;
    }
  }
  if (current !== undefined) words.push(current);
  return end === line.length ? words : undefined;
}
