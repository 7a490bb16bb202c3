// Tool calls between Codex's own tools and the universal vocabulary. Names of today's CLI, of older ones, and
// the aliases that other tools have written for Codex are all understood when reading.

import { type Loss, loss } from "../../session/losses.ts";
import type { Tool, ToolCall, ToolResult } from "../../session/session.ts";
import type { ToolInputs } from "../../session/tools.ts";
import type { Translated } from "../adapter.ts";
import { type Made, patchFor } from "./edits.ts";
import { count, isObject, type JsonObject, text, word } from "./native.ts";
import { parsePatch } from "./patch.ts";
import { commandText } from "./shell.ts";

export interface Universal {
  tool: Tool;
  input: JsonObject;
}

/** A function call: its name, and its arguments as the string they were recorded in. */
export function universalCall(name: string, namespace: string | undefined, argument: string): Universal {
  const input = parsed(argument);
  if (input === undefined) return { tool: "unknown", input: { arguments: argument } };
  if (namespace?.startsWith("mcp__")) return { tool: "unknown", input };
  return READERS.get(name)?.(input) ?? { tool: "unknown", input };
}

/** A call whose input is free text: a patch, or a script. */
export function universalText(name: string, input: string): Universal {
  return name === "apply_patch" ? patchInput(input) : { tool: "unknown", input: { input } };
}

function parsed(argument: string): JsonObject | undefined {
  if (argument.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(argument);
    return isObject(value) ? value : undefined;
  } catch {
    // A model can write arguments that are not JSON; they are kept as they are.
    return undefined;
  }
}

type Reader = (input: JsonObject) => Universal | undefined;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>(
  Object.entries({
    exec_command: bashInput,
    shell: bashInput,
    shell_command: bashInput,
    local_shell: bashInput,
    "container.exec": bashInput,
    write_stdin: stdinInput,
    apply_patch: (input) => (typeof input.input === "string" ? patchInput(input.input) : undefined),
    view_image: (input) => known("read", { path: text(input.path) }),
    read_file: (input) =>
      known("read", { path: pathOf(input), offset: count(input.offset), limit: count(input.limit) }),
    write_file: (input) => known("write", { path: pathOf(input), content: text(input.content) }),
    edit_file: editInput,
    grep: searchInput,
    grep_files: searchInput,
    glob: (input) => known("glob", { pattern: text(input.pattern), path: text(input.path) }),
    ls: (input) => known("list", { path: pathOf(input) }),
    list_dir: (input) => known("list", { path: pathOf(input) }),
    ask: (input) =>
      input.questions === undefined ? undefined : known("ask", { questions: input.questions }),
    request_user_input: (input) =>
      input.questions === undefined ? undefined : known("ask", { questions: input.questions }),
    call_agent: taskInput,
    spawn_agent: taskInput,
    web_search: (input) => known("web_search", { query: text(input.query) }),
    web_fetch: (input) => known("web_fetch", { url: text(input.url), prompt: text(input.prompt) }),
  } satisfies Record<string, Reader>),
);

/** Which arguments a tool cannot do without. */
const NEEDED = {
  read: "path",
  write: "content",
  edit: "path",
  bash: "command",
  search: "pattern",
  glob: "pattern",
  list: "path",
  ask: "questions",
  task: "prompt",
  web_fetch: "url",
  web_search: "query",
} as const satisfies { [T in keyof ToolInputs]: keyof ToolInputs[T] };

type Loose<T> = { [K in keyof T]?: T[K] | undefined };

function known<T extends keyof ToolInputs>(tool: T, input: Loose<ToolInputs[T]>): Universal | undefined {
  const given: JsonObject = {};
  for (const [key, value] of Object.entries(input)) if (value !== undefined) given[key] = value;
  return NEEDED[tool] in given ? { tool, input: given } : undefined;
}

function pathOf(input: JsonObject): string | undefined {
  return text(input.path) ?? text(input.file_path) ?? text(input.dir_path);
}

export function bashInput(input: JsonObject): Universal | undefined {
  const given = input.cmd ?? input.command;
  const isList = Array.isArray(given) && given.every((word) => typeof word === "string");
  return known("bash", {
    command: isList ? commandText(given as string[]) : text(given),
    cwd: word(input.workdir) ?? word(input.working_directory) ?? word(input.cwd),
    timeout: count(input.timeout_ms) ?? count(input.timeout),
  });
}

function stdinInput(input: JsonObject): Universal | undefined {
  const session = count(input.session_id) ?? word(input.session_id);
  if (session === undefined) return undefined;
  return known("bash", { command: "", session: String(session), stdin: text(input.chars) ?? "" });
}

function patchInput(patch: string): Universal {
  const changes = parsePatch(patch);
  const [only] = changes ?? [];
  if (changes?.length === 1 && only?.kind === "add")
    return { tool: "write", input: { path: only.path, content: only.content } };
  if (!changes) return { tool: "edit", input: { path: "", patch } };
  return { tool: "edit", input: { path: only?.path ?? "", changes, patch } };
}

function editInput(input: JsonObject): Universal | undefined {
  const path = pathOf(input);
  const before = text(input.old_string) ?? text(input.old);
  const after = text(input.new_string) ?? text(input.new);
  if (Array.isArray(input.edits)) return known("edit", { path, edits: input.edits });
  if (before === undefined || after === undefined) return undefined;
  return known("edit", { path, edits: [{ old: before, new: after }] });
}

function searchInput(input: JsonObject): Universal | undefined {
  return known("search", {
    pattern: text(input.pattern),
    path: text(input.path),
    glob: text(input.glob) ?? text(input.include),
  });
}

function taskInput(input: JsonObject): Universal | undefined {
  return known("task", {
    prompt: text(input.message) ?? text(input.prompt),
    description: text(input.task_name) ?? text(input.description),
    agent: text(input.agent_type) ?? text(input.agent),
  });
}

/** The names that stand for a universal tool where the session does not say what it was called. */
const ALIASES: Readonly<Record<Tool, string>> = {
  read: "read_file",
  write: "write_file",
  edit: "edit_file",
  bash: "shell",
  search: "grep",
  glob: "glob",
  list: "ls",
  ask: "ask",
  task: "call_agent",
  web_fetch: "web_fetch",
  web_search: "web_search",
  unknown: "unknown",
};

/** A call in Codex's own tools. What has no counterpart keeps its name and arguments. */
export function tools(call: ToolCall, result: ToolResult | undefined): Translated {
  const made = madeFor(call, result) ?? kept(call);
  return { pairs: [{ name: made.name, input: made.input, result }], losses: made.losses };
}

function madeFor(call: ToolCall, result: ToolResult | undefined): Made | undefined {
  const { input } = call;
  switch (call.tool) {
    case "bash":
      return bash(call);
    case "write":
    case "edit":
      return patchFor(call, result);
    case "read": {
      const path = word(input.path);
      const isImage = result?.parts?.some((part) => part.type === "image") ?? false;
      return path !== undefined && isImage ? renamed(call, "view_image", { path }) : undefined;
    }
    case "ask":
      return Array.isArray(input.questions)
        ? renamed(call, "request_user_input", { questions: input.questions })
        : undefined;
    case "task":
      return task(call);
    default:
      return undefined;
  }
}

function bash(call: ToolCall): Made | undefined {
  const { command, cwd, session, stdin } = call.input;
  if (word(session) !== undefined) {
    const id = Number(session);
    const session_id = Number.isSafeInteger(id) ? id : session;
    return renamed(call, "write_stdin", { session_id, chars: text(stdin) ?? "" });
  }
  if (typeof command !== "string") return undefined;
  const arguments_ = { cmd: command, ...(word(cwd) !== undefined && { workdir: cwd }) };
  return renamed(call, "exec_command", arguments_, ["timeout", "background", "description"]);
}

function task(call: ToolCall): Made | undefined {
  const { prompt, agent } = call.input;
  if (typeof prompt !== "string") return undefined;
  const arguments_ = { message: prompt, ...(word(agent) !== undefined && { agent_type: agent }) };
  return renamed(call, "multi_agent_v1.spawn_agent", arguments_, ["description"]);
}

/** The call under one of Codex's own names; `without` are arguments that have no place there. */
function renamed(call: ToolCall, name: string, input: unknown, without: readonly string[] = []): Made {
  const losses: Loss[] = [];
  const was = call.originalTool ?? call.tool;
  if (was !== name) losses.push(loss("tool_renamed", { entry: call.id }, `${was} → ${name}`));
  for (const argument of without)
    if (call.input[argument] !== undefined)
      losses.push(loss("tool_argument_dropped", { entry: call.id }, `${argument} of ${was}`, "info"));
  return { name, input, losses };
}

function kept(call: ToolCall): Made {
  const name = call.originalTool ?? ALIASES[call.tool];
  const input = call.originalTool === undefined ? call.input : (call.originalInput ?? call.input);
  return { name, input, losses: [loss("tool_kept", { entry: call.id }, name)] };
}
