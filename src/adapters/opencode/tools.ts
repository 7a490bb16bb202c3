// OpenCode's tools in universal terms, and the way back. Arguments that the vocabulary has no name for stand beside
// the universal ones under their own, in both directions: a call in the history is not checked by anybody.
import { type Loss, loss } from "../../session/losses.ts";
import type { Tool, ToolCall, ToolResult } from "../../session/session.ts";
import type { Edit, FileChange } from "../../session/tools.ts";
import type { Translated } from "../adapter.ts";
import { givenPatch, parsePatch, printPatch } from "../patch.ts";
import { editOf, editsOf, questionsOf, todosOf } from "../reading.ts";
import { type JsonObject, objects, text } from "./native.ts";

export interface UniversalCall {
  tool: Tool;
  input: JsonObject;
}

type Reader = (input: JsonObject, whole: boolean) => UniversalCall | undefined;

export function universalCall(name: string, input: JsonObject, whole: boolean): UniversalCall {
  return READERS.get(name)?.(input, whole) ?? { tool: "unknown", input };
}

/** The universal names of arguments that are called otherwise here. */
function renamed(tool: Tool, needed: string, names: Readonly<Record<string, string>> = {}): Reader {
  return (native) => {
    const input = named(native, names);
    return input[needed] === undefined ? undefined : { tool, input };
  };
}

/** What is called like that there is no part of the patch. */
const patchReader: Reader = ({ patchText, edits: _, changes: __, ...rest }, whole) => {
  const patch = text(patchText);
  if (patch === undefined) return undefined;
  const changes = whole ? parsePatch(patch) : undefined;
  const path = changes?.[0]?.path ?? "";
  return { tool: "edit", input: { ...rest, path, patch, ...(changes && { changes }) } };
};

const editReader: Reader = ({ filePath, oldString, newString, replaceAll, ...rest }) => {
  const edit = editOf({ oldString, newString, replaceAll });
  if (text(filePath) === undefined || !edit) return undefined;
  return { tool: "edit", input: { ...rest, path: filePath, edits: [edit] } };
};

const multiEditReader: Reader = ({ filePath, edits, ...rest }) => {
  const known = editsOf(edits);
  if (text(filePath) === undefined || !known) return undefined;
  return { tool: "edit", input: { ...rest, path: filePath, edits: known } };
};

const todoReader: Reader = ({ todos, ...rest }) => {
  const items = todosOf(todos);
  return items && { tool: "todo", input: { ...rest, items } };
};

const questionReader: Reader = ({ questions, ...rest }) => {
  const known = questionsOf(questions);
  return known && { tool: "ask", input: { questions: known, ...rest } };
};

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["read", renamed("read", "path", { filePath: "path" })],
  ["view", renamed("read", "path", { file_path: "path", filePath: "path" })],
  ["write", renamed("write", "content", { filePath: "path", file_path: "path" })],
  ["edit", editReader],
  ["multiedit", multiEditReader],
  ["patch", patchReader],
  ["apply_patch", patchReader],
  ["bash", renamed("bash", "command", { workdir: "cwd" })],
  ["grep", renamed("search", "pattern", { include: "glob" })],
  ["glob", renamed("glob", "pattern")],
  ["list", renamed("list", "path")],
  ["ls", renamed("list", "path")],
  ["task", renamed("task", "prompt", { subagent_type: "agent" })],
  ["todowrite", todoReader],
  ["webfetch", renamed("web_fetch", "url")],
  ["fetch", renamed("web_fetch", "url")],
  ["websearch", renamed("web_search", "query")],
  ["question", questionReader],
  ["ask", questionReader],
]);

/** Tools of OpenCode's own that the universal vocabulary has no word for. */
const OTHERS: ReadonlySet<string> = new Set([
  "todoread",
  "skill",
  "invalid",
  "lsp",
  "plan_enter",
  "plan_exit",
]);

/** The arguments that its tools have, of this or an earlier version, and the fields of those that are lists. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  read: ["filePath", "offset", "limit"],
  write: ["filePath", "content"],
  edit: ["filePath", "oldString", "newString", "replaceAll"],
  multiedit: ["filePath", "edits"],
  apply_patch: ["patchText"],
  bash: ["command", "timeout", "workdir", "description"],
  grep: ["pattern", "path", "include"],
  glob: ["pattern", "path"],
  list: ["path", "ignore"],
  question: ["questions", "question", "header", "options", "multiple"],
  task: ["description", "prompt", "subagent_type", "task_id", "command"],
  webfetch: ["url", "format", "timeout"],
  websearch: ["query", "numResults", "livecrawl", "type", "contextMaxCharacters"],
  todowrite: ["todos", "content", "status", "priority", "id"],
};

/** What stands beside the arguments that the tool has. */
function othersIn({ name, input }: Native): string[] {
  const lists = [input.todos, input.questions].flatMap((list) => (list === undefined ? [] : objects(list)));
  const said = new Set([input, ...lists].flatMap((one) => Object.keys(one)));
  return [...said].filter((argument) => !ARGUMENTS[name]?.includes(argument));
}

interface Native {
  name: string;
  input: JsonObject;
  /** In which way it says something else. */
  differs?: readonly string[];
}

/** Half a call is worse than one in another agent's words: undefined where something that is needed is missing. */
function nativeCall(call: ToolCall): Native | undefined {
  const { tool, input } = call;
  const { path, ...rest } = input;
  switch (tool) {
    case "read":
      return { name: "read", input: { filePath: path, ...rest } };
    case "write":
      return { name: "write", input: { filePath: path, ...rest } };
    case "edit":
      return nativeEdit(call);
    case "bash":
      return input.stdin === undefined && input.session === undefined
        ? { name: "bash", input: named(input, { cwd: "workdir" }) }
        : undefined;
    case "search":
      return { name: "grep", input: named(input, { glob: "include" }) };
    case "glob":
    case "list":
      return { name: tool, input };
    case "ask":
      return { name: "question", input };
    case "task":
      return { name: "task", input: named(input, { agent: "subagent_type" }) };
    case "web_fetch":
      return { name: "webfetch", input };
    case "web_search":
      return { name: "websearch", input };
    case "todo":
      return nativeTodo(input);
    case "unknown":
      return undefined;
  }
}

function named(input: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const known = new Map(Object.entries(names));
  const taken = new Set(Object.keys(input).flatMap((name) => known.get(name) ?? []));
  // One that only happens to be called like that is nothing that the tool goes by.
  const own = Object.entries(input).filter(([name]) => known.has(name) || !taken.has(name));
  return Object.fromEntries(own.map(([name, value]) => [known.get(name) ?? name, value]));
}

function nativeEdit(call: ToolCall): Native | undefined {
  const { path, edits, changes, patch: _, ...rest } = call.input;
  const known = objects(edits) as unknown as Edit[];
  const [first, ...more] = known;
  if (first && more.length === 0)
    return { name: "edit", input: { filePath: path, ...editText(first), ...rest } };
  if (first) return { name: "multiedit", input: { filePath: path, edits: known.map(editText), ...rest } };
  const told = givenPatch(call);
  if (told !== undefined) return { name: "apply_patch", input: { patchText: told, ...rest } };
  const made = objects(changes) as unknown as FileChange[];
  const patchText = printPatch(made);
  if (patchText === undefined) return undefined;
  return { name: "apply_patch", input: { patchText, ...rest }, differs: unsaid(made) };
}

/** What a patch has no way to say: in it, every line ends with a newline and nothing else. */
function unsaid(changes: readonly FileChange[]): string[] {
  const isOpen = changes.some(({ content = "" }) => content !== "" && !content.endsWith("\n"));
  const isReturned = changes.some(({ content = "", diff = "" }) => `${content}${diff}`.includes("\r"));
  return [
    ...(isOpen ? ["an added file ends with a newline in a patch"] : []),
    ...(isReturned ? ["carriage returns have no place in a patch"] : []),
  ];
}

function editText({ old, new: after, all }: Edit): JsonObject {
  return { oldString: old, newString: after, ...(all === true && { replaceAll: true }) };
}

function nativeTodo({ items, ...rest }: JsonObject): Native | undefined {
  if (!Array.isArray(items)) return undefined;
  const todos = objects(items).map(({ text: content, ...more }) => ({ content, ...more }));
  return { name: "todowrite", input: { todos, ...rest } };
}

/** `mcp__server__tool` is `server_tool` here. */
function mcpName(name: string): string | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server === undefined ? undefined : `${server}_${tool}`;
}

/** What an API takes for the name of a tool. */
function safeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "unknown";
}

export function tools(call: ToolCall, result: ToolResult | undefined): Translated {
  const recorded = call.originalTool ?? call.tool;
  const native = nativeCall(call);
  if (native) {
    const { differs = [], ...made } = native;
    const isOwn = made.name === recorded;
    const losses = isOwn ? [] : [renaming(call, recorded, made.name)];
    const others = isOwn ? [] : othersIn(made);
    if (others.length > 0) losses.push(loss("tool_argument_kept", { entry: call.id }, others.join(", ")));
    for (const detail of differs) losses.push(loss("edit_approximated", { entry: call.id }, detail, "info"));
    return { pairs: [{ ...made, result }], losses };
  }
  const name = safeName(mcpName(recorded) ?? recorded);
  const losses: Loss[] = [];
  if (name !== recorded) losses.push(renaming(call, recorded, name));
  else if (!READERS.has(name) && !OTHERS.has(name))
    losses.push(loss("tool_kept", { entry: call.id }, recorded));
  // Always an object here: free text of another agent is read as one.
  return { pairs: [{ name, input: call.input, result }], losses };
}

function renaming(call: ToolCall, from: string, to: string): Loss {
  return loss("tool_renamed", { entry: call.id }, `${from} → ${to}`);
}
