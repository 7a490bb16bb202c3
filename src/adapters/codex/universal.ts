// Codex's own tool calls in the universal vocabulary. Names of today's CLI, of older ones, and the aliases that
// other tools have written for Codex are all understood. What the vocabulary has no name for stands beside it.
import { parsePatch } from "../patch.ts";
import {
  editOf,
  editsOf,
  on,
  questionsOf,
  type Reader,
  reader,
  todosOf,
  type UniversalCall as Universal,
} from "../reading.ts";
import { count, isObject, type JsonObject, text, word } from "./native.ts";
import { commandText } from "./shell.ts";

export type { UniversalCall as Universal } from "../reading.ts";

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

/** A command that the vendor's own shell tool ran. */
export function universalShell({ type: _, ...action }: JsonObject): Universal | undefined {
  return bashInput(action);
}

/** A search, or a page that was opened, at the vendor. */
export function universalSearch(action: JsonObject): Universal {
  const queries = Array.isArray(action.queries) ? action.queries.join("\n") : undefined;
  const query = text(action.query) ?? queries;
  const url = text(action.url);
  if (query !== undefined || url === undefined) return { tool: "web_search", input: { query: query ?? "" } };
  const prompt = word(action.pattern);
  return { tool: "web_fetch", input: { url, ...(prompt !== undefined && { prompt }) } };
}

/** Whether it is one of the tools that are understood here. */
export function isCodexTool(name: string): boolean {
  return READERS.has(name);
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

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>(
  Object.entries({
    exec_command: bashInput,
    shell: bashInput,
    shell_command: bashInput,
    local_shell: bashInput,
    "container.exec": bashInput,
    write_stdin: stdinInput,
    apply_patch: (input) => (typeof input.input === "string" ? patchInput(input.input) : undefined),
    view_image: reader("read", (take) => ({ path: take(text, "path") })),
    read_file: reader("read", (take) => ({
      path: take(text, ...PATHS),
      offset: take(count, "offset"),
      limit: take(count, "limit"),
    })),
    write_file: reader("write", (take) => ({ path: take(text, ...PATHS), content: take(text, "content") })),
    edit_file: editInput,
    grep: searchInput,
    grep_files: searchInput,
    glob: reader("glob", (take) => ({ pattern: take(text, "pattern"), path: take(text, "path") })),
    ls: reader("list", (take) => ({ path: take(text, ...PATHS) })),
    list_dir: reader("list", (take) => ({ path: take(text, ...PATHS) })),
    ask: reader("ask", (take) => ({ questions: take(questionsOf, "questions", "question") })),
    request_user_input: reader("ask", (take) => ({ questions: take(questionsOf, "questions") })),
    update_plan: reader("todo", (take) => ({ items: take(todosOf, "plan") })),
    call_agent: taskInput,
    spawn_agent: taskInput,
    web_search: reader("web_search", (take) => ({ query: take(text, "query") })),
    web_fetch: reader("web_fetch", (take) => ({ url: take(text, "url"), prompt: take(text, "prompt") })),
  } satisfies Record<string, Reader>),
);

const PATHS = ["path", "file_path", "dir_path"] as const;

function bashInput(native: JsonObject): Universal | undefined {
  return reader("bash", (take) => ({
    command: take(commandOf, "cmd", "command"),
    cwd: take(word, "workdir", "working_directory", "cwd"),
    timeout: take(count, "timeout_ms", "timeout"),
  }))(native);
}

function commandOf(value: unknown): string | undefined {
  const isList = Array.isArray(value) && value.every((word) => typeof word === "string");
  return isList ? commandText(value as string[]) : text(value);
}

function stdinInput(native: JsonObject): Universal | undefined {
  if (sessionOf(native.session_id) === undefined) return undefined;
  return reader("bash", (take) => ({
    command: "",
    session: take(sessionOf, "session_id"),
    stdin: take(text, "chars") ?? "",
  }))(native);
}

function sessionOf(value: unknown): string | undefined {
  return count(value) === undefined ? word(value) : String(value);
}

function patchInput(patch: string): Universal {
  const changes = parsePatch(patch);
  const [only] = changes ?? [];
  if (changes?.length === 1 && only?.kind === "add")
    return { tool: "write", input: { path: only.path, content: only.content } };
  if (!changes) return { tool: "edit", input: { path: "", patch } };
  return { tool: "edit", input: { path: only?.path ?? "", changes, patch } };
}

function editInput(native: JsonObject): Universal | undefined {
  return reader("edit", (take) => {
    const path = take(text, ...PATHS);
    const edits = take(editsOf, "edits");
    if (edits) return { path, edits };
    const old = take(text, "old_string", "old");
    const after = take(text, "new_string", "new");
    const edit = editOf({ old, new: after, all: take(on, "replace_all", "all") });
    return edit ? { path, edits: [edit] } : {};
  })(native);
}

function searchInput(native: JsonObject): Universal | undefined {
  return reader("search", (take) => ({
    pattern: take(text, "pattern"),
    path: take(text, "path"),
    glob: take(text, "glob", "include"),
    limit: take(count, "limit"),
  }))(native);
}

function taskInput(native: JsonObject): Universal | undefined {
  return reader("task", (take) => ({
    prompt: take(text, "message", "prompt"),
    description: take(text, "task_name", "description"),
    agent: take(text, "agent_type", "agent"),
  }))(native);
}
