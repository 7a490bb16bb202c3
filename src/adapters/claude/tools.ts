// Claude Code's tools in universal terms: which tool a native call stands for and what its arguments mean.
// The way back is in translate.ts.
import { isDeepStrictEqual } from "node:util";
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

/** The arguments of the same tool again, after somebody changed them; undefined where it cannot say them. */
export function nativeInput(name: string, call: UniversalCall): Json | undefined {
  const native = inOwnTerms(name, call.input);
  return isDeepStrictEqual(universalCall(name, native), call) ? native : undefined;
}

function inOwnTerms(name: string, { path, edits, background, agent, ...rest }: Json): Json {
  const file = name === "NotebookRead" ? "notebook_path" : "file_path";
  const [first] = Array.isArray(edits) ? edits : [];
  switch (name) {
    case "Read":
    case "NotebookRead":
    case "Write":
      return { [file]: path, ...rest };
    case "Edit":
      return { [file]: path, ...nativeEdit(first), ...rest };
    case "MultiEdit":
      return { [file]: path, edits: Array.isArray(edits) ? edits.map(nativeEdit) : edits, ...rest };
    case "Bash":
      return { ...rest, ...(background === true && { run_in_background: true }) };
    case "Task":
    case "Agent":
      return { ...rest, ...(agent !== undefined && { subagent_type: agent }) };
    default:
      return Object.fromEntries(
        Object.entries({ path, edits, background, agent, ...rest }).filter(
          ([, value]) => value !== undefined,
        ),
      );
  }
}

function nativeEdit(edit: unknown): Json {
  if (!isObject(edit)) return {};
  const all = edit.all === true ? { replace_all: true } : {};
  return { old_string: edit.old, new_string: edit.new, ...all };
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
