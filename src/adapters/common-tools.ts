// Tool calls by the names that agents commonly give their tools, for histories that do not say whose they are.

import type { FileChange } from "../session/tools.ts";
import { count, filled, isObject, type Json, text } from "./json.ts";
import { parsePatch } from "./patch.ts";
import { editOf, editsOf, questionsOf, type Reader, reader, todosOf, type UniversalCall } from "./reading.ts";
import { quoted } from "./translator.ts";

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
/** A patch as text, or what is to be done with one file. */
const patched: Reader = (native) => {
  const patch = filled(native.input) ?? filled(native.patch) ?? filled(native.patchText);
  const changes = patch === undefined ? changeOf(native) : parsePatch(patch);
  const [only] = changes ?? [];
  if (!changes || !only) return undefined;
  if (changes.length === 1 && only.kind === "add")
    return { tool: "write", input: { path: only.path, content: only.content } };
  return { tool: "edit", input: { path: only.path, changes, ...(patch !== undefined && { patch }) } };
};

/** The form of OpenAI's own tool; a new file is a diff that only adds. */
function changeOf({ type, path, diff }: Json): FileChange[] | undefined {
  const [file, lines] = [filled(path), text(diff)];
  if (file === undefined) return undefined;
  if (type === "delete_file") return [{ kind: "delete", path: file }];
  if (lines === undefined) return undefined;
  if (type === "update_file") return [{ kind: "update", path: file, diff: lines }];
  const isAll = type === "create_file" && lines.split("\n").every((line) => line === "" || line[0] === "+");
  return isAll ? [{ kind: "add", path: file, content: lines.replace(/^\+/gm, "") }] : undefined;
}

/** Shell text, or the words of a command, of which a shell with a script is only the script. */
function commandOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return filled(value);
  const words = value.flatMap((word) => (typeof word === "string" ? [word] : []));
  if (words.length < value.length) return undefined;
  const [shell = "", flag = "", script] = words;
  const isScript = words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag);
  return filled(isScript ? script : words.map(quoted).join(" "));
}

/** Commands one after the other. */
function commandsOf(value: unknown): string | undefined {
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isList ? filled(value.join("\n")) : undefined;
}

const bash = reader("bash", (take) => ({
  command: take(commandOf, "command", "cmd") ?? take(commandsOf, "commands"),
  cwd: take(filled, "cwd", "workdir", "working_directory", "directory", "dir_path"),
  timeout: take(count, "timeout_ms", "timeout"),
  description: take(filled, "description"),
}));
/** What OpenAI's own shell is told says of itself what it is. */
const localShell: Reader = ({ type: _, ...action }) => bash(action);
const search = reader("search", (take) => ({
  pattern: take(filled, "pattern", "query"),
  path: take(filled, ...PATHS),
  glob: take(filled, "glob", "include", "include_pattern"),
}));
const glob = reader("glob", (take) => ({ pattern: take(filled, "pattern"), path: take(filled, ...PATHS) }));
const list = reader("list", (take) => ({ path: take(filled, ...PATHS) }));
const fetched = reader("web_fetch", (take) => ({ url: take(filled, "url"), prompt: take(filled, "prompt") }));
const searched = reader("web_search", (take) => ({ query: take(filled, "query") }));
const task = reader("task", (take) => ({
  prompt: take(filled, "prompt"),
  description: take(filled, "description"),
  agent: take(filled, "agent", "subagent_type", "agent_name"),
}));
const ask = reader("ask", (take) => ({ questions: take(questionsOf, "questions", "question") }));
const todo = reader("todo", (take) => ({ items: take(todosOf, "todos", "items", "plan") }));

const NAMES: readonly (readonly [Reader, string])[] = [
  [read, "Read read_file read view_image"],
  [write, "Write write_file write"],
  [edit, "Edit MultiEdit edit_file edit multiedit replace"],
  [patched, "apply_patch"],
  [bash, "Bash bash shell shell_command exec_command run_shell_command"],
  [localShell, "local_shell"],
  [search, "Grep grep grep_search search_file_content"],
  [glob, "Glob glob"],
  [list, "LS ls list list_directory"],
  [fetched, "WebFetch web_fetch webfetch"],
  [searched, "WebSearch web_search google_web_search websearch"],
  [task, "Task Agent task call_agent invoke_agent"],
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
