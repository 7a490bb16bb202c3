// Universal tool calls in Claude Code's own tools.
import { editWriter } from "../file-calls.ts";
import { listIn } from "../lists.ts";
import { questionsOf } from "../reading.ts";
import {
  commandIn,
  type Dialect,
  inNames,
  renamed,
  translator,
  type Writer,
  withOthers,
} from "../translator.ts";
import { text } from "./native.ts";
import { GREP, isClaudeTool, NAMES, nativeEdit, nativeMode, QUESTION, TODO, universalCall } from "./tools.ts";

const bash: Writer = (input, writing) => {
  const command = text(input.command);
  // Input for a running process has no counterpart.
  if (command === undefined || input.session !== undefined) return undefined;
  const folder = text(input.cwd);
  // Where nobody knows the session's folder, the call's own stands beside the command.
  const isPlaced = !folder || writing.folders.length > 0;
  const { timeout, description, background } = input;
  const native = {
    command: isPlaced && folder ? commandIn(command, folder, writing.folders) : command,
    ...(typeof timeout === "number" && { timeout }),
    ...(typeof description === "string" && { description }),
    ...(background === true && { run_in_background: true }),
  };
  const used = [...Object.keys(native), "background", ...(isPlaced ? ["cwd"] : [])];
  return [{ name: "Bash", input: withOthers(native, writing, input, used) }];
};

const search: Writer = (input, writing) => {
  if (text(input.pattern) === undefined) return undefined;
  const mode = nativeMode(input.mode);
  const native = { ...inNames(input, GREP), ...(mode && { output_mode: mode }) };
  const used = [...Object.keys(GREP), ...(mode ? ["mode"] : [])];
  return [{ name: "Grep", input: withOthers(native, writing, input, used) }];
};

const ask: Writer = (input, writing) => {
  const questions = listIn(questionsOf(input.questions), QUESTION, writing);
  if (!questions) return undefined;
  return [{ name: "AskUserQuestion", input: withOthers({ questions }, writing, input, ["questions"]) }];
};

const todo: Writer = (input, writing) => {
  const todos = listIn(input.items, TODO, writing);
  if (!todos) return undefined;
  return [{ name: "TodoWrite", input: withOthers({ todos }, writing, input, ["items"]) }];
};

const dialect: Dialect = {
  isOwn: isClaudeTool,
  read: universalCall,
  allowed: (name) => name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 128),
  writers: {
    read: renamed("Read", NAMES.Read, ["path"]),
    write: renamed("Write", NAMES.Write, ["path", "content"]),
    edit: editWriter({
      edit: (path, edit) => ({ name: "Edit", input: { file_path: path, ...nativeEdit(edit) } }),
      write: (path, content) => ({ name: "Write", input: { file_path: path, content } }),
      shell: (command) => ({ name: "Bash", input: { command } }),
    }),
    bash,
    search,
    glob: renamed("Glob", NAMES.Glob, ["pattern"]),
    list: renamed("LS", NAMES.LS, ["path"]),
    ask,
    task: renamed("Agent", NAMES.Agent, ["prompt"]),
    web_fetch: renamed("WebFetch", NAMES.WebFetch, ["url"]),
    web_search: renamed("WebSearch", NAMES.WebSearch, ["query"]),
    todo,
    unknown: () => undefined,
  },
};

export const translate = translator(dialect);
