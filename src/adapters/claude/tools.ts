// Claude Code's tools in universal terms: which tool a native call stands for and what its arguments mean.
// The way back is in translate.ts.
import type { Tool } from "../../session/session.ts";
import type { Edit } from "../../session/tools.ts";
import { filled, isObject, type Json, text } from "./native.ts";

export interface UniversalCall {
  tool: Tool;
  input: Json;
}

/** Arguments without a universal name keep their own beside the others, so that a writer can report them. */
export function universalCall(name: string, native: unknown): UniversalCall {
  if (!isObject(native)) return { tool: "unknown", input: native === undefined ? {} : { input: native } };
  const read = READERS[name];
  const known = read === undefined || !Object.hasOwn(READERS, name) ? undefined : read(native);
  return known ?? { tool: "unknown", input: native };
}

/** Whether a name is one of Claude Code's own tools, of this or an earlier version. */
export function isClaudeTool(name: string): boolean {
  return Object.hasOwn(READERS, name) || OTHER_TOOLS.has(name) || name.startsWith("mcp__");
}

type Reader = (input: Json) => UniversalCall | undefined;

const READERS: Readonly<Record<string, Reader>> = {
  Read: readFile,
  NotebookRead: ({ notebook_path, ...rest }) => readFile({ ...rest, file_path: notebook_path }),
  Write({ file_path, content, ...rest }) {
    if (text(file_path) === undefined || text(content) === undefined) return undefined;
    return { tool: "write", input: { path: file_path, content, ...rest } };
  },
  Edit({ file_path, old_string, new_string, replace_all, ...rest }) {
    const edit = editOf({ old_string, new_string, replace_all });
    if (text(file_path) === undefined || !edit) return undefined;
    return { tool: "edit", input: { path: file_path, edits: [edit], ...rest } };
  },
  MultiEdit({ file_path, edits, ...rest }) {
    if (text(file_path) === undefined || !Array.isArray(edits)) return undefined;
    const known = edits.map(editOf);
    if (known.length === 0 || known.includes(undefined)) return undefined;
    return { tool: "edit", input: { path: file_path, edits: known, ...rest } };
  },
  Bash({ command, run_in_background, ...rest }) {
    if (text(command) === undefined) return undefined;
    const background = run_in_background === true ? { background: true } : {};
    return { tool: "bash", input: { command, ...rest, ...background } };
  },
  Grep: named("search", "pattern"),
  Glob: named("glob", "pattern"),
  LS: named("list", "path"),
  Task: task,
  Agent: task,
  AskUserQuestion: ({ questions, ...rest }) =>
    questions === undefined ? undefined : { tool: "ask", input: { questions, ...rest } },
  WebFetch: named("web_fetch", "url"),
  WebSearch: named("web_search", "query"),
  // The API's own tools, run by the vendor and not by the CLI.
  web_search: named("web_search", "query"),
  web_fetch: named("web_fetch", "url"),
};

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
  "TodoWrite",
  "ToolSearch",
]);

function readFile({ file_path, ...rest }: Json): UniversalCall | undefined {
  return text(file_path) === undefined ? undefined : { tool: "read", input: { path: file_path, ...rest } };
}

function task({ prompt, subagent_type, ...rest }: Json): UniversalCall | undefined {
  if (text(prompt) === undefined) return undefined;
  const agent = filled(subagent_type) ? { agent: subagent_type } : {};
  return { tool: "task", input: { prompt, ...rest, ...agent } };
}

/** A tool whose arguments have their universal names already. */
function named(tool: Tool, required: string): Reader {
  return (input) => (text(input[required]) === undefined ? undefined : { tool, input });
}

function editOf(edit: unknown): Edit | undefined {
  if (!isObject(edit)) return undefined;
  const before = text(edit.old_string);
  const after = text(edit.new_string);
  if (before === undefined || after === undefined) return undefined;
  return { old: before, new: after, ...(edit.replace_all === true && { all: true }) };
}
