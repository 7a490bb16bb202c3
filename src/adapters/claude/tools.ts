// Claude Code's tools in universal terms: which tool a native call stands for and what its arguments mean.
// The way back is in translate.ts.
import { isDeepStrictEqual } from "node:util";
import type { Edit } from "../../session/tools.ts";
import {
  editOf,
  editsOf,
  type Names,
  named,
  questionsOf,
  type Reader,
  reader,
  todosOf,
  type UniversalCall,
} from "../reading.ts";
import { inNames } from "../translator.ts";
import { isObject, type Json, text } from "./native.ts";

/** By universal name, what Claude Code calls an argument. */
export const NAMES = {
  Read: { path: "file_path", offset: "offset", limit: "limit", pages: "pages" },
  NotebookRead: { path: "notebook_path" },
  Write: { path: "file_path", content: "content" },
  Glob: { pattern: "pattern", path: "path" },
  LS: { path: "path", ignore: "ignore" },
  Agent: {
    prompt: "prompt",
    description: "description",
    agent: "subagent_type",
    model: "model",
    background: "run_in_background",
  },
  WebFetch: { url: "url", prompt: "prompt" },
  WebSearch: { query: "query", allowed_domains: "allowed_domains", blocked_domains: "blocked_domains" },
} as const satisfies Record<string, Names>;

export const GREP: Names = {
  pattern: "pattern",
  path: "path",
  glob: "glob",
  ignoreCase: "-i",
  before: "-B",
  after: "-A",
  context: "-C",
  limit: "head_limit",
};

/** What a search answers with: Claude's word, the universal one. */
const MODES = [
  ["content", "content"],
  ["files_with_matches", "files"],
  ["count", "count"],
] as const;

export const QUESTION: Names = {
  question: "question",
  header: "header",
  options: "options",
  multiple: "multiSelect",
};

/** Earlier versions gave each item an id and a priority. */
export const TODO: Names = {
  text: "content",
  status: "status",
  activeForm: "activeForm",
  priority: "priority",
  id: "id",
};

/** Arguments without a universal name keep their own beside the others, so that a writer can report them. */
export function universalCall(name: string, native: unknown): UniversalCall {
  if (!isObject(native)) return { tool: "unknown", input: native === undefined ? {} : { input: native } };
  return READERS.get(name)?.(native) ?? { tool: "unknown", input: native };
}

/** The arguments of the same tool again, after somebody changed them; undefined where it cannot say them. */
export function nativeInput(name: string, call: UniversalCall): Json | undefined {
  const native = inOwnTerms(name, call.input);
  return isDeepStrictEqual(universalCall(name, native), call) ? native : undefined;
}

function inOwnTerms(name: string, input: Json): Json {
  const { edits, mode, questions, items, background, ...rest } = input;
  const list = Array.isArray(edits) ? (edits as Edit[]) : [];
  switch (name) {
    case "Edit":
      return { ...again({ path: "file_path" }, rest), ...(list[0] && nativeEdit(list[0])) };
    case "MultiEdit":
      return { ...again({ path: "file_path" }, rest), edits: list.map(nativeEdit) };
    case "Bash":
      return { ...rest, ...(background === true && { run_in_background: true }) };
    case "Grep":
      return { ...again(GREP, rest), ...(mode !== undefined && { output_mode: nativeMode(mode) }) };
    case "AskUserQuestion":
      return { questions: inList(QUESTION, questions), ...rest };
    case "TodoWrite":
      return { todos: inList(TODO, items), ...rest };
    default:
      return again(namesOf(name), input);
  }
}

function namesOf(name: string): Names {
  const known: Readonly<Record<string, Names>> = NAMES;
  const current = name === "Task" ? "Agent" : name;
  return Object.hasOwn(known, current) ? (known[current] ?? {}) : {};
}

/** The arguments under Claude's names, and those that have none under their own. */
function again(names: Names, input: Json): Json {
  const others = Object.entries(input).filter(([name]) => !Object.hasOwn(names, name));
  return { ...inNames(input, names), ...Object.fromEntries(others) };
}

function inList(names: Names, list: unknown): unknown {
  return Array.isArray(list) ? list.map((item) => (isObject(item) ? again(names, item) : item)) : list;
}

export function nativeMode(mode: unknown): string | undefined {
  return MODES.find(([, universal]) => universal === mode)?.[0];
}

export function nativeEdit(edit: Edit): Json {
  const all = edit.all === true ? { replace_all: true } : {};
  return { old_string: edit.old, new_string: edit.new, ...all };
}

/** Whether a name is one of Claude Code's own tools, of this or an earlier version. */
export function isClaudeTool(name: string): boolean {
  return READERS.has(name) || OTHER_TOOLS.has(name) || name.startsWith("mcp__");
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>(
  Object.entries({
    Read: named("read", NAMES.Read),
    NotebookRead: named("read", NAMES.NotebookRead),
    Write: named("write", NAMES.Write),
    Edit({ file_path, old_string, new_string, replace_all, ...rest }) {
      const edit = editOf({ old_string, new_string, replace_all });
      if (text(file_path) === undefined || !edit) return undefined;
      return { tool: "edit", input: { ...rest, path: file_path, edits: [edit] } };
    },
    MultiEdit({ file_path, edits, ...rest }) {
      const list = editsOf(edits);
      if (text(file_path) === undefined || !list) return undefined;
      return { tool: "edit", input: { ...rest, path: file_path, edits: list } };
    },
    Bash({ command, run_in_background, ...rest }) {
      if (text(command) === undefined) return undefined;
      const background = run_in_background === true ? { background: true } : {};
      return { tool: "bash", input: { command, ...rest, ...background } };
    },
    Grep({ output_mode, ...rest }) {
      const mode = MODES.find(([native]) => native === output_mode)?.[1];
      const found = named("search", GREP)(rest);
      const said = mode === undefined ? { output_mode } : { mode };
      return found && { tool: "search", input: { ...found.input, ...(output_mode !== undefined && said) } };
    },
    Glob: named("glob", NAMES.Glob),
    LS: named("list", NAMES.LS),
    Task: named("task", NAMES.Agent),
    Agent: named("task", NAMES.Agent),
    AskUserQuestion: reader("ask", (take) => ({ questions: take(questionsOf, "questions") })),
    TodoWrite: reader("todo", (take) => ({ items: take(todosOf, "todos") })),
    WebFetch: named("web_fetch", NAMES.WebFetch),
    WebSearch: named("web_search", NAMES.WebSearch),
    // The API's own tools, run by the vendor and not by the CLI.
    web_search: named("web_search", {}),
    web_fetch: named("web_fetch", {}),
  } satisfies Record<string, Reader>),
);

const OTHER_TOOLS: ReadonlySet<string> = new Set([
  "BashOutput",
  "EnterPlanMode",
  "ExitPlanMode",
  "KillShell",
  "ListMcpResourcesTool",
  "NotebookEdit",
  "ReadMcpResourceTool",
  "SendMessage",
  "Skill",
  "SlashCommand",
  "StructuredOutput",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskStop",
  "TaskUpdate",
  "TodoRead",
  "ToolSearch",
]);
