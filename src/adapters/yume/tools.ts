// Tool calls in universal terms. The names are those that agents commonly give their tools.
import type { ToolCall, ToolResult } from "../../session/session.ts";
import type { Translated } from "../adapter.ts";
import { editOf, type Reader, reader, type UniversalCall } from "../reading.ts";
import { count, filled, isObject, type Json, text } from "./native.ts";

const PATHS = ["path", "file_path", "filePath", "absolute_path", "dir_path"] as const;

const read = reader("read", (take) => ({
  path: take(filled, ...PATHS),
  offset: take(count, "offset"),
  limit: take(count, "limit"),
}));
const write = reader("write", (take) => ({ path: take(filled, ...PATHS), content: take(text, "content") }));
const edit: Reader = (native) => {
  const found = editOf(native);
  const path = PATHS.map((name) => filled(native[name])).find(Boolean);
  return found && path !== undefined ? { tool: "edit", input: { path, edits: [found] } } : undefined;
};
const bash = reader("bash", (take) => ({
  command: take(filled, "command", "cmd"),
  description: take(filled, "description"),
}));
const search = reader("search", (take) => ({
  pattern: take(filled, "pattern", "query"),
  path: take(filled, ...PATHS),
}));
const glob = reader("glob", (take) => ({ pattern: take(filled, "pattern"), path: take(filled, ...PATHS) }));
const list = reader("list", (take) => ({ path: take(filled, ...PATHS) }));
const fetched = reader("web_fetch", (take) => ({ url: take(filled, "url"), prompt: take(filled, "prompt") }));
const found = reader("web_search", (take) => ({ query: take(filled, "query") }));
const task = reader("task", (take) => ({ prompt: take(filled, "prompt") }));

const READERS: ReadonlyMap<string, Reader> = new Map(
  Object.entries({
    Read: read,
    read_file: read,
    read,
    Write: write,
    write_file: write,
    write,
    Edit: edit,
    edit_file: edit,
    edit,
    replace: edit,
    Bash: bash,
    bash,
    shell: bash,
    run_shell_command: bash,
    Grep: search,
    grep: search,
    search_file_content: search,
    Glob: glob,
    glob,
    LS: list,
    ls: list,
    list_directory: list,
    WebFetch: fetched,
    web_fetch: fetched,
    WebSearch: found,
    web_search: found,
    google_web_search: found,
    Task: task,
    call_agent: task,
  } satisfies Record<string, Reader>),
);

export function universalCall(name: string, native: unknown): UniversalCall {
  const input: Json = isObject(native) ? native : native === undefined ? {} : { input: native };
  return READERS.get(name)?.(input) ?? { tool: "unknown", input };
}

/** Nothing is written here, so a call stays what it is. */
export function tools(call: ToolCall, result: ToolResult | undefined): Translated {
  const input = call.originalInput ?? call.input;
  return { pairs: [{ name: call.originalTool ?? call.tool, input, result }], losses: [] };
}
