// Gemini CLI's tools and the universal ones, both ways.
import { editWriter } from "../file-calls.ts";
import { isObject, type Json, text } from "../json.ts";
import { listIn } from "../lists.ts";
import {
  editOf,
  type Names,
  named,
  questionsOf,
  type Reader,
  reader,
  todosOf,
  type UniversalCall,
} from "../reading.ts";
import { inNames, renamed, translator, type Writer, withOthers } from "../translator.ts";

/** Arguments without a universal name keep their own beside the others, so that a writer can report them. */
export function universalCall(name: string, native: unknown): UniversalCall {
  if (!isObject(native)) return { tool: "unknown", input: native === undefined ? {} : { input: native } };
  return READERS.get(name)?.(native) ?? { tool: "unknown", input: native };
}

const GREP: Names = {
  pattern: "pattern",
  path: "dir_path",
  glob: "include_pattern",
  before: "before",
  after: "after",
  context: "context",
  limit: "total_max_matches",
};
const GLOB: Names = { pattern: "pattern", path: "dir_path" };
const LIST: Names = { path: "dir_path", ignore: "ignore" };
const WRITE: Names = { path: "file_path", content: "content" };
const TASK: Names = { prompt: "prompt", agent: "agent_name" };
const SEARCH: Names = { query: "query" };
const QUESTION: Names = {
  question: "question",
  header: "header",
  options: "options",
  multiple: "multiSelect",
};
const TODO: Names = { text: "description", status: "status" };

/** Lines were counted from 0 as offset and limit before they were counted from 1 as start and end. */
const read: Reader = ({ file_path, absolute_path, path, start_line, end_line, offset, limit, ...rest }) => {
  const file = text(file_path) ?? text(absolute_path) ?? text(path);
  if (file === undefined) return undefined;
  const start = number(start_line) ?? (number(offset) === undefined ? undefined : Number(offset) + 1);
  const end = number(end_line);
  const lines = end === undefined ? number(limit) : end - (start ?? 1) + 1;
  const input = {
    path: file,
    ...(start !== undefined && { offset: start }),
    ...(lines !== undefined && { limit: lines }),
  };
  return { tool: "read", input: { ...input, ...rest } };
};

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}

const replace: Reader = ({
  file_path,
  old_string,
  new_string,
  allow_multiple,
  expected_replacements,
  ...rest
}) => {
  const many = typeof expected_replacements === "number" && expected_replacements > 1;
  const edit = editOf({ old_string, new_string, allow_multiple: allow_multiple === true || many });
  if (text(file_path) === undefined || !edit) return undefined;
  // How many there must be is more than that there may be many.
  const expected = expected_replacements === undefined || expected_replacements === 1;
  return {
    tool: "edit",
    input: { path: file_path, edits: [edit], ...(!expected && { expected_replacements }), ...rest },
  };
};

const shell: Reader = ({ command, dir_path, directory, is_background, ...rest }) => {
  if (text(command) === undefined) return undefined;
  const cwd = text(dir_path) ?? text(directory);
  const background = is_background === true ? { background: true } : {};
  return { tool: "bash", input: { command, ...(cwd && { cwd }), ...rest, ...background } };
};

/** A page is named inside the prompt; earlier versions had no other argument. */
const webFetch: Reader = ({ prompt, url, ...rest }) => {
  const where = text(url) ?? /https?:\/\/\S*[^\s.,;:!?'"<>`]/.exec(text(prompt) ?? "")?.[0];
  if (where === undefined) return undefined;
  const said = text(prompt)?.startsWith(`${where}\n`) ? text(prompt)?.slice(where.length + 1) : prompt;
  const asked = said === undefined || said === where ? {} : { prompt: said };
  return { tool: "web_fetch", input: { url: where, ...asked, ...rest } };
};

/** The folder was called `path` before it was called `dir_path`. */
function inFolder(tool: "search" | "glob" | "list", names: Names): Reader {
  const known = named(tool, names);
  return ({ path, ...native }) => known({ ...native, ...(path !== undefined && { dir_path: path }) });
}

/** A search for the names of files only. */
function search(names: Names): Reader {
  const known = inFolder("search", names);
  return ({ names_only, ...native }) => {
    const found = known({ ...native, ...(names_only !== true && { names_only }) });
    return found && names_only === true ? { ...found, input: { ...found.input, mode: "files" } } : found;
  };
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>(
  Object.entries({
    read_file: read,
    write_file: named("write", WRITE),
    replace,
    run_shell_command: shell,
    grep_search: search(GREP),
    search_file_content: search({ ...GREP, glob: "include" }),
    glob: inFolder("glob", GLOB),
    list_directory: inFolder("list", LIST),
    web_fetch: webFetch,
    google_web_search: named("web_search", SEARCH),
    invoke_agent: named("task", TASK),
    ask_user: reader("ask", (take) => ({ questions: take(questionsOf, "questions") })),
    write_todos: reader("todo", (take) => ({ items: take(todosOf, "todos") })),
  }),
);

/** Tools of its own that have no universal name. */
const OTHERS: ReadonlySet<string> = new Set([
  "read_many_files",
  "save_memory",
  "activate_skill",
  "update_topic",
  "complete_task",
  "enter_plan_mode",
  "exit_plan_mode",
  "get_internal_docs",
  "list_background_processes",
  "read_background_output",
  "list_mcp_resources",
  "read_mcp_resource",
]);

const readWriter: Writer = (input, writing) => {
  if (text(input.path) === undefined) return undefined;
  const start = number(input.offset);
  const limit = number(input.limit);
  const lines = {
    ...(start !== undefined && { start_line: start }),
    ...(limit !== undefined && { end_line: (start ?? 1) + limit - 1 }),
  };
  const native = { file_path: input.path, ...lines };
  const used = [
    "path",
    ...(start === undefined ? [] : ["offset"]),
    ...(limit === undefined ? [] : ["limit"]),
  ];
  return [{ name: "read_file", input: withOthers(native, writing, input, used) }];
};

const bash: Writer = (input, writing) => {
  const command = text(input.command);
  // Input for a running process has no counterpart.
  if (command === undefined || input.session !== undefined) return undefined;
  const folder = text(input.cwd);
  const native = {
    command,
    ...(folder && !writing.folders.includes(folder) && { dir_path: folder }),
    ...(typeof input.description === "string" && { description: input.description }),
    ...(input.background === true && { is_background: true }),
  };
  const used = [...Object.keys(native), "cwd", "background"];
  return [{ name: "run_shell_command", input: withOthers(native, writing, input, used) }];
};

const searchWriter: Writer = (input, writing) => {
  if (text(input.pattern) === undefined) return undefined;
  const only = input.mode === "files";
  const native = { ...inNames(input, GREP), ...(only && { names_only: true }) };
  const used = [...Object.keys(GREP), ...(only ? ["mode"] : [])];
  return [{ name: "grep_search", input: withOthers(native, writing, input, used) }];
};

const fetchWriter: Writer = (input, writing) => {
  const url = text(input.url);
  if (url === undefined) return undefined;
  const prompt = text(input.prompt);
  const asked = prompt === undefined ? url : prompt.includes(url) ? prompt : `${url}\n${prompt}`;
  return [{ name: "web_fetch", input: withOthers({ prompt: asked }, writing, input, ["url", "prompt"]) }];
};

const ask: Writer = (input, writing) => {
  const questions = listIn(input.questions, QUESTION, writing);
  if (!questions) return undefined;
  return [{ name: "ask_user", input: withOthers({ questions }, writing, input, ["questions"]) }];
};

const todo: Writer = (input, writing) => {
  const todos = listIn(input.items, TODO, writing);
  if (!todos) return undefined;
  return [{ name: "write_todos", input: withOthers({ todos }, writing, input, ["items"]) }];
};

const MOST_LETTERS = 64;

/** A foreign name in the letters that the vendor allows. */
function allowed(name: string): string {
  const letters = name.replace(/[^A-Za-z0-9_.:-]/g, "_");
  return (/^[A-Za-z_]/.test(letters) ? letters : `_${letters}`).slice(0, MOST_LETTERS);
}

const replaceCall = (path: string, edit: { old: string; new: string; all?: boolean }) => ({
  name: "replace",
  input: {
    file_path: path,
    old_string: edit.old,
    new_string: edit.new,
    ...(edit.all === true && { allow_multiple: true }),
  } satisfies Json,
});

export const translate = translator({
  isOwn: (name) => READERS.has(name) || OTHERS.has(name) || name.startsWith("mcp_"),
  read: universalCall,
  allowed,
  writers: {
    read: readWriter,
    write: renamed("write_file", WRITE, ["path", "content"]),
    edit: editWriter({
      edit: replaceCall,
      write: (path, content) => ({ name: "write_file", input: { file_path: path, content } }),
      shell: (command) => ({ name: "run_shell_command", input: { command } }),
    }),
    bash,
    search: searchWriter,
    glob: renamed("glob", GLOB, ["pattern"]),
    list: renamed("list_directory", LIST, ["path"]),
    ask,
    task: renamed("invoke_agent", TASK, ["prompt"]),
    web_fetch: fetchWriter,
    web_search: renamed("google_web_search", SEARCH, ["query"]),
    todo,
    unknown: () => undefined,
  },
});
