// Arguments under the names and in the shapes of the universal vocabulary, whatever an agent calls them. Like
// kinds.ts this is the checker's own knowledge.
import { isDeepStrictEqual } from "node:util";
import type { Tool } from "../session/session.ts";

export type Arguments = Record<string, unknown>;

/** The same argument under the names that agents have for it. */
const NAMES: Readonly<Record<string, string>> = {
  file_path: "path",
  absolute_path: "path",
  dir_path: "path",
  notebook_path: "path",
  filePath: "path",
  cmd: "command",
  workdir: "cwd",
  working_directory: "cwd",
  timeout_ms: "timeout",
  run_in_background: "background",
  is_background: "background",
  session_id: "session",
  chars: "stdin",
  message: "prompt",
  subagent_type: "agent",
  agent_type: "agent",
  agent_name: "agent",
  task_name: "description",
  include: "glob",
  include_pattern: "glob",
  old_string: "old",
  oldString: "old",
  new_string: "new",
  newString: "new",
  replace_all: "all",
  replaceAll: "all",
  allow_multiple: "all",
  patchText: "input",
};

/** What a name means in one tool only. */
const IN_TOOL: Readonly<Partial<Record<Tool, Readonly<Record<string, string>>>>> = {
  bash: { dir_path: "cwd", directory: "cwd" },
  search: {
    "-i": "ignoreCase",
    "-A": "after",
    "-B": "before",
    "-C": "context",
    head_limit: "limit",
    total_max_matches: "limit",
  },
  todo: { todos: "items", plan: "items" },
};

const SHAPES: Readonly<Partial<Record<Tool, (given: Arguments) => Arguments>>> = {
  read: withLines,
  search: withMode,
  todo: ({ items, ...rest }) => ({ ...rest, ...(items !== undefined && { items: eachOf(items, item) }) }),
  ask: ({ questions, ...rest }) => ({
    ...rest,
    ...(questions !== undefined && { questions: eachOf(listOf(questions), question) }),
  }),
};

export function canonical(input: Readonly<Arguments>, tool?: Tool): Arguments {
  const own = (tool && IN_TOOL[tool]) ?? {};
  const entries = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  const named = Object.fromEntries(entries.map(([name, value]) => [own[name] ?? NAMES[name] ?? name, value]));
  return (tool && SHAPES[tool]?.(named)) ?? named;
}

export function isRecord(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Lines from one to another are so many lines from the first. */
function withLines({ start_line, end_line, ...rest }: Arguments): Arguments {
  const first = typeof start_line === "number" ? start_line : 1;
  return {
    ...rest,
    ...(start_line !== undefined && { offset: start_line }),
    ...(typeof end_line === "number" && { limit: end_line - first + 1 }),
  };
}

function withMode({ output_mode, names_only, case_sensitive, ...rest }: Arguments): Arguments {
  const mode = output_mode === "files_with_matches" || names_only === true ? "files" : output_mode;
  return {
    ...rest,
    ...(mode !== undefined && { mode }),
    ...(typeof case_sensitive === "boolean" && { ignoreCase: !case_sensitive }),
  };
}

function listOf(value: unknown): unknown[] {
  return (Array.isArray(value) ? value : [value]).map((one) => (isRecord(one) ? one : { question: one }));
}

function eachOf(list: unknown, shape: (given: Arguments) => Arguments): unknown {
  return Array.isArray(list) ? list.map((one) => (isRecord(one) ? shape(one) : one)) : list;
}

function item({
  content,
  step,
  description,
  text = content ?? step ?? description,
  ...rest
}: Arguments): Arguments {
  return { ...rest, text };
}

function question({ multiSelect, multiple = multiSelect, ...rest }: Arguments): Arguments {
  return { ...rest, ...(multiple === true && { multiple }) };
}

/**
 * Which fields of a list's objects are not there, or undefined when the lists are not of the same length or one
 * says something else or something more.
 */
export function missingFields(have: unknown, wanted: unknown): string[] | undefined {
  if (!Array.isArray(have) || !Array.isArray(wanted) || have.length !== wanted.length) return undefined;
  const missing = new Set<string>();
  for (const [at, one] of have.entries()) {
    const other: unknown = wanted[at];
    if (!isRecord(one) || !isRecord(other)) return undefined;
    for (const name of Object.keys(one)) if (!isDeepStrictEqual(one[name], other[name])) return undefined;
    for (const name of Object.keys(other)) if (!(name in one)) missing.add(name);
  }
  return [...missing];
}
