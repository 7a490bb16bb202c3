// Tool calls by the names that agents commonly give their tools, for histories that do not say whose they are.

import { count, filled, isObject, type Json, text } from "./json.ts";
import { editOf, editsOf, questionsOf, type Reader, reader, todosOf, type UniversalCall } from "./reading.ts";

const PATHS = ["path", "file_path", "filePath", "absolute_path", "dir_path"] as const;

const read = reader("read", (take) => ({
  path: take(filled, ...PATHS),
  offset: take(count, "offset"),
  limit: take(count, "limit"),
}));
const write = reader("write", (take) => ({ path: take(filled, ...PATHS), content: take(text, "content") }));
const edit: Reader = (native) => {
  const one = editOf(native);
  const edits = one ? [one] : editsOf(native.edits);
  const path = PATHS.map((name) => filled(native[name])).find(Boolean);
  return edits && path !== undefined ? { tool: "edit", input: { path, edits } } : undefined;
};
const bash = reader("bash", (take) => ({
  command: take(filled, "command", "cmd"),
  cwd: take(filled, "cwd", "workdir", "directory"),
  description: take(filled, "description"),
}));
const search = reader("search", (take) => ({
  pattern: take(filled, "pattern", "query"),
  path: take(filled, ...PATHS),
}));
const glob = reader("glob", (take) => ({ pattern: take(filled, "pattern"), path: take(filled, ...PATHS) }));
const list = reader("list", (take) => ({ path: take(filled, ...PATHS) }));
const fetched = reader("web_fetch", (take) => ({ url: take(filled, "url"), prompt: take(filled, "prompt") }));
const searched = reader("web_search", (take) => ({ query: take(filled, "query") }));
const task = reader("task", (take) => ({
  prompt: take(filled, "prompt"),
  description: take(filled, "description"),
}));
const ask = reader("ask", (take) => ({ questions: take(questionsOf, "questions", "question") }));
const todo = reader("todo", (take) => ({ items: take(todosOf, "todos", "items", "plan") }));

const NAMES: readonly (readonly [Reader, string])[] = [
  [read, "Read read_file read"],
  [write, "Write write_file write"],
  [edit, "Edit MultiEdit edit_file edit multiedit replace"],
  [bash, "Bash bash shell exec_command run_shell_command"],
  [search, "Grep grep search_file_content"],
  [glob, "Glob glob"],
  [list, "LS ls list list_directory"],
  [fetched, "WebFetch web_fetch webfetch"],
  [searched, "WebSearch web_search google_web_search websearch"],
  [task, "Task Agent task call_agent"],
  [ask, "AskUserQuestion ask question ask_user"],
  [todo, "TodoWrite todowrite write_todos update_plan"],
];

const READERS: ReadonlyMap<string, Reader> = new Map(
  NAMES.flatMap(([one, names]) => names.split(" ").map((name) => [name, one] as const)),
);

export function commonCall(name: string, native: unknown): UniversalCall {
  const input: Json = isObject(native) ? native : native === undefined ? {} : { input: native };
  return READERS.get(name)?.(input) ?? { tool: "unknown", input };
}
