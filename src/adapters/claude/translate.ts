// Universal tool calls in Claude Code's own tools. One call may become several; the first then carries the
// result, the others say so.
import { isDeepStrictEqual } from "node:util";
import { type Loss, type LossName, loss } from "../../session/losses.ts";
import type { ToolCall, ToolResult } from "../../session/session.ts";
import type { Edit, FileChange } from "../../session/tools.ts";
import type { Translated } from "../adapter.ts";
import { anchorsIn, hunkEdits } from "./hunks.ts";
import { isObject, type Json, text } from "./native.ts";
import { isClaudeTool, universalCall } from "./tools.ts";

/** A call of a Claude tool. */
interface NativeCall {
  name: string;
  input: Json;
}

interface Context {
  call: ToolCall;
  result: ToolResult | undefined;
  /** Where the session was and goes on; none = not known. */
  folders: readonly string[];
  losses: Loss[];
}

export function translate(
  call: ToolCall,
  result: ToolResult | undefined,
  folders: readonly string[] = [],
): Translated {
  const losses: Loss[] = [];
  const context: Context = { call, result, losses, folders };
  const own = ownCall(call);
  const calls = own ? [own] : (WRITERS[call.tool](call.input, context) ?? [kept(context)]);
  if (!own) reportNames(context, calls);
  const pairs = calls.map((one, index) => ({ ...one, result: resultFor(context, index, calls.length) }));
  return { pairs, losses };
}

/** The call as Claude Code itself recorded it, if nobody changed it since. */
function ownCall({ tool, input, originalTool, originalInput }: ToolCall): NativeCall | undefined {
  if (originalTool === undefined || !isObject(originalInput) || !isClaudeTool(originalTool)) return undefined;
  const same = isDeepStrictEqual(universalCall(originalTool, originalInput), { tool, input });
  return same ? { name: originalTool, input: originalInput } : undefined;
}

function reportNames(context: Context, calls: readonly NativeCall[]): void {
  const { call } = context;
  const from = call.originalTool ?? call.tool;
  const names = [...new Set(calls.map(({ name }) => name))].join(", ");
  if (calls.length > 1) report(context, "tool_split", `${from} became ${calls.length} calls: ${names}`);
  else if (names !== from) report(context, "tool_renamed", `${from} became ${names}`);
}

function report({ call, losses }: Context, kind: LossName, detail: string): void {
  losses.push(loss(kind, { entry: call.id }, detail));
}

function resultFor({ result }: Context, index: number, total: number): ToolResult | undefined {
  if (!result || index === 0) return result;
  const { parts: _, details: __, ...rest } = result;
  return {
    ...rest,
    id: `${result.id}.${index}`,
    output: `[Step ${index + 1} of ${total} of one call; the first step's result speaks for all of them]`,
  };
}

type Writer = (input: Json, context: Context) => NativeCall[] | undefined;

const WRITERS: Readonly<Record<ToolCall["tool"], Writer>> = {
  read: renamed("Read", { path: "file_path", offset: "offset", limit: "limit", pages: "pages" }, ["path"]),
  write: renamed("Write", { path: "file_path", content: "content" }, ["path", "content"]),
  edit: writeEdit,
  bash: writeBash,
  search: renamed("Grep", { pattern: "pattern", path: "path", glob: "glob" }, ["pattern"]),
  glob: renamed("Glob", { pattern: "pattern", path: "path" }, ["pattern"]),
  list(input, context) {
    const path = text(input.path);
    if (path === undefined) return undefined;
    dropped(context, input, ["path"]);
    // The newest CLI has no tool to list a folder.
    return [bash(path === "" ? "ls" : `ls -- ${quoted(path)}`)];
  },
  ask(input) {
    const { questions, ...rest } = input;
    if (questions === undefined) return undefined;
    return [
      {
        name: "AskUserQuestion",
        input: { questions: Array.isArray(questions) ? questions : [{ question: questions }], ...rest },
      },
    ];
  },
  task: renamed("Agent", { description: "description", prompt: "prompt", agent: "subagent_type" }, [
    "prompt",
  ]),
  web_fetch: renamed("WebFetch", { url: "url", prompt: "prompt" }, ["url"]),
  web_search: renamed("WebSearch", { query: "query" }, ["query"]),
  todo: () => undefined,
  unknown: () => undefined,
};

/** A tool whose arguments only have other names. */
function renamed(name: string, names: Readonly<Record<string, string>>, required: readonly string[]): Writer {
  return (input, context) => {
    if (required.some((field) => text(input[field]) === undefined)) return undefined;
    const native: Json = {};
    for (const [universal, own] of Object.entries(names))
      if (input[universal] !== undefined) native[own] = input[universal];
    dropped(context, input, Object.keys(names));
    return [{ name, input: native }];
  };
}

function dropped(context: Context, input: Json, known: readonly string[]): void {
  const others = Object.keys(input).filter((field) => input[field] !== undefined && !known.includes(field));
  if (others.length > 0) report(context, "tool_argument_dropped", others.join(", "));
}

const BASH_FIELDS = ["command", "cwd", "timeout", "background", "description"];

function writeBash(input: Json, context: Context): NativeCall[] | undefined {
  const command = text(input.command);
  // Input for a running process has no counterpart.
  if (command === undefined || input.session !== undefined) return undefined;
  dropped(context, input, BASH_FIELDS);
  const { timeout, description, background } = input;
  return [
    bash(inFolder(command, text(input.cwd), context), {
      ...(typeof timeout === "number" && { timeout }),
      ...(typeof description === "string" && { description }),
      ...(background === true && { run_in_background: true }),
    }),
  ];
}

/** Claude's shell runs in the session's folder; another one needs a `cd`. */
function inFolder(command: string, folder: string | undefined, context: Context): string {
  if (folder === undefined || folder === "" || context.folders.includes(folder)) return command;
  if (context.folders.length > 0) return `cd ${quoted(folder)} && ${command}`;
  report(context, "tool_argument_dropped", "cwd");
  return command;
}

function bash(command: string, more: Json = {}): NativeCall {
  return { name: "Bash", input: { command, ...more } };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function writeEdit(input: Json, context: Context): NativeCall[] | undefined {
  const { edits, changes } = input;
  const path = text(input.path);
  const known = Array.isArray(changes) ? changes.filter(isChange) : [];
  if (known.length > 0) {
    dropped(context, input, ["path", "changes", "patch"]);
    const calls = known.flatMap((change) => writeChange(change, context));
    return calls.length > 0 ? calls : undefined;
  }
  if (path === undefined || !Array.isArray(edits)) return undefined;
  const pairs = edits.filter(isEdit);
  dropped(context, input, ["path", "edits", "patch"]);
  return pairs.length > 0 ? pairs.map((edit) => editCall(path, edit)) : undefined;
}

function isChange(value: unknown): value is FileChange {
  return isObject(value) && typeof value.path === "string" && typeof value.kind === "string";
}

function isEdit(value: unknown): value is Edit {
  return isObject(value) && typeof value.old === "string" && typeof value.new === "string";
}

function editCall(path: string, edit: Edit): NativeCall {
  const all = edit.all === true ? { replace_all: true } : {};
  return { name: "Edit", input: { file_path: path, old_string: edit.old, new_string: edit.new, ...all } };
}

function writeChange(change: FileChange, context: Context): NativeCall[] {
  const { kind, path } = change;
  switch (kind) {
    case "add":
      return [{ name: "Write", input: { file_path: path, content: change.content ?? "" } }];
    case "delete":
      return [bash(`rm -- ${quoted(path)}`)];
    case "move": {
      const to = change.to ?? path;
      const moved = to === path ? [] : [bash(`mv -- ${quoted(path)} ${quoted(to)}`)];
      return [...moved, ...editCalls({ ...change, path: to }, context)];
    }
    case "update":
      return editCalls(change, context);
    default:
      // A document may name a kind of change that Baton does not know.
      report(context, "edit_approximated", `${path}: ${String(kind)}`);
      return [];
  }
}

function editCalls({ path, diff }: FileChange, context: Context): NativeCall[] {
  const edits = hunkEdits(diff ?? "");
  const blind = edits.filter((edit) => edit.old === "");
  if (blind.length > 0)
    report(
      context,
      "edit_approximated",
      `${path}: ${blind.length} insertion(s) without the lines around them`,
    );
  const anchors = anchorsIn(diff ?? "");
  if (anchors.length > 0) {
    const detail = `${path}: the place named by ${anchors.slice(0, 3).join("; ").slice(0, 200)} is left out`;
    context.losses.push(loss("edit_approximated", { entry: context.call.id }, detail, "info"));
  }
  return edits.map((edit) => editCall(path, edit));
}

/** A tool without a counterpart keeps its name, in the letters the API allows, and its arguments. */
function kept(context: Context): NativeCall {
  const { call } = context;
  const name = call.originalTool ?? call.tool;
  const allowed = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 128) || "unknown";
  report(context, "tool_kept", name);
  return { name: allowed, input: call.input };
}
