// Codex's own tool calls in the universal vocabulary. Names of today's CLI, of older ones, and the aliases that
// other tools have written for Codex are all understood. What the vocabulary has no name for stands beside it.
import type { Tool } from "../../session/session.ts";
import type { Edit, ToolInputs } from "../../session/tools.ts";
import { count, isObject, type JsonObject, objects, text, word } from "./native.ts";
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
    ask: reader("ask", (take) => ({ questions: take(anything, "questions") })),
    request_user_input: reader("ask", (take) => ({ questions: take(anything, "questions") })),
    call_agent: taskInput,
    spawn_agent: taskInput,
    web_search: reader("web_search", (take) => ({ query: take(text, "query") })),
    web_fetch: reader("web_fetch", (take) => ({ url: take(text, "url"), prompt: take(text, "prompt") })),
  } satisfies Record<string, Reader>),
);

const PATHS = ["path", "file_path", "dir_path"] as const;

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
  todo: "items",
} as const satisfies { [T in keyof ToolInputs]: keyof ToolInputs[T] };

type Loose<T> = { [K in keyof T]?: T[K] | undefined };

/** Takes the first argument of these names that is of the right kind. */
type Take = <T>(accept: (value: unknown) => T | undefined, ...names: readonly string[]) => T | undefined;

/** Arguments that `read` does not take stand beside the universal ones, under their own names. */
function reader<T extends keyof ToolInputs>(tool: T, read: (take: Take) => Loose<ToolInputs[T]>): Reader {
  return (native) => {
    const taken: string[] = [];
    const take: Take = (accept, ...names) => {
      for (const name of names) {
        const value = taken.includes(name) ? undefined : accept(native[name]);
        if (value === undefined) continue;
        taken.push(name);
        return value;
      }
      return undefined;
    };
    const input: JsonObject = {};
    for (const [key, value] of Object.entries(read(take))) if (value !== undefined) input[key] = value;
    if (!(NEEDED[tool] in input)) return undefined;
    for (const [key, value] of Object.entries(native))
      if (!(key in input) && !taken.includes(key) && value !== null && value !== "") input[key] = value;
    return { tool, input };
  };
}

function anything(value: unknown): unknown {
  return value;
}

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
    const list = take(editsOf, "edits");
    if (list) return { path, edits: list };
    const old = take(text, "old_string", "old");
    const after = take(text, "new_string", "new");
    const all = take((value) => value === true || undefined, "replace_all", "all");
    if (old === undefined || after === undefined) return {};
    return { path, edits: [{ old, new: after, ...(all && { all }) }] };
  })(native);
}

function editsOf(value: unknown): Edit[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return objects(value).map(({ old_string, new_string, replace_all, ...rest }) => ({
    ...rest,
    old: text(rest.old) ?? text(old_string) ?? "",
    new: text(rest.new) ?? text(new_string) ?? "",
    ...((rest.all === true || replace_all === true) && { all: true }),
  }));
}

function searchInput(native: JsonObject): Universal | undefined {
  return reader("search", (take) => ({
    pattern: take(text, "pattern"),
    path: take(text, "path"),
    glob: take(text, "glob", "include"),
  }))(native);
}

function taskInput(native: JsonObject): Universal | undefined {
  return reader("task", (take) => ({
    prompt: take(text, "message", "prompt"),
    description: take(text, "task_name", "description"),
    agent: take(text, "agent_type", "agent"),
  }))(native);
}
