// Universal tool calls in Codex's own tools, or under the names that stand for a universal tool where Codex has
// none: these are read back as what they are. A tool that is in no vocabulary keeps its name and arguments.
import { isDeepStrictEqual } from "node:util";
import { type Loss, type LossName, loss } from "../../session/losses.ts";
import type { Tool, ToolCall, ToolResult } from "../../session/session.ts";
import type { Translated } from "../adapter.ts";
import { listIn } from "../lists.ts";
import { type Names, questionsOf } from "../reading.ts";
import { withOthers } from "../translator.ts";
import { type Made, patchFor } from "./edits.ts";
import { count, type JsonObject, text, word } from "./native.ts";
import { codexName, ownInput } from "./original.ts";
import { universalCall } from "./universal.ts";

/** With the universal arguments. */
const ALIASES: Readonly<Record<Exclude<Tool, "unknown">, string>> = {
  read: "read_file",
  write: "write_file",
  edit: "edit_file",
  bash: "shell",
  search: "grep",
  glob: "glob",
  list: "ls",
  ask: "ask",
  task: "call_agent",
  web_fetch: "web_fetch",
  web_search: "web_search",
  todo: "update_plan",
};

const QUESTION: Names = { id: "id", header: "header", question: "question", options: "options" };
const STEP: Names = { text: "step", status: "status" };

export function tools(call: ToolCall, result: ToolResult | undefined): Translated {
  const made = madeFor(call, result) ?? alias(call) ?? kept(call);
  return { pairs: [{ name: made.name, input: made.input, result }], losses: made.losses };
}

function madeFor(call: ToolCall, result: ToolResult | undefined): Made | undefined {
  const { input } = call;
  switch (call.tool) {
    case "bash":
      return bash(call);
    case "write":
    case "edit":
      return edit(call, result);
    case "read": {
      const path = word(input.path);
      const isImage = result?.parts?.some((part) => part.type === "image") ?? false;
      return path !== undefined && isImage ? renamed(call, "view_image", { path }, ["path"]) : undefined;
    }
    case "ask":
      return codexName(call) === "ask"
        ? undefined
        : list(call, "questions", ["request_user_input", "questions"], QUESTION);
    case "todo":
      return list(call, "items", ["update_plan", "plan"], STEP);
    case "task":
      return task(call);
    default:
      return undefined;
  }
}

/** A tool whose argument is a list of objects. */
function list(
  call: ToolCall,
  argument: string,
  [name, own]: readonly [string, string],
  names: Names,
): Made | undefined {
  const given = call.input[argument];
  const losses: Loss[] = [];
  const items = listIn(call.tool === "ask" ? questionsOf(given) : given, names, {
    report: (kind, detail) => losses.push(loss(kind, { entry: call.id }, detail)),
  });
  if (!items) return undefined;
  const made = renamed(call, name, { [own]: items }, [argument]);
  return { ...made, losses: [...made.losses, ...losses] };
}

/** Another agent's call under the name that stands for its tool here, if it is then read as the same. */
function alias(call: ToolCall): Made | undefined {
  const { tool, input } = call;
  if (tool === "unknown" || codexName(call) !== undefined) return undefined;
  const name = ALIASES[tool];
  const json = JSON.stringify(input);
  const isSame = isDeepStrictEqual(universalCall(name, undefined, json), { tool, input: JSON.parse(json) });
  return isSame ? renamed(call, name, input, Object.keys(input)) : undefined;
}

function edit(call: ToolCall, result: ToolResult | undefined): Made | undefined {
  // A tool of Codex's own that edits in another way stays itself.
  if (codexName(call) !== undefined && codexName(call) !== "apply_patch") return undefined;
  const made = patchFor(call, result);
  if (made?.name !== "apply_patch") return made;
  const fields = ["path", "content", "edits", "changes", "patch"];
  return { ...made, losses: [...made.losses, ...unused(call, fields)] };
}

function bash(call: ToolCall): Made | undefined {
  const { command, cwd, timeout, session, stdin } = call.input;
  // Another agent's command may have an argument of that name.
  if (word(session) !== undefined && word(command) === undefined) {
    const id = Number(session);
    const session_id = Number.isSafeInteger(id) ? id : session;
    const native = { session_id, chars: text(stdin) ?? "" };
    return renamed(call, "write_stdin", native, ["command", "session", "stdin"]);
  }
  if (typeof command !== "string") return undefined;
  const own = codexName(call);
  if (own !== undefined) return ownShell(call, own, command);
  const folder = word(cwd) !== undefined && { workdir: cwd };
  // Only this one of the shells takes a limit of time.
  if (count(timeout) !== undefined)
    return renamed(call, "shell_command", { command, ...folder, timeout_ms: timeout }, TIMED);
  return renamed(call, "exec_command", { cmd: command, ...folder }, ["command", "cwd"]);
}

const TIMED = ["command", "cwd", "timeout"];

/** One of Codex's shells with another command: it stays the tool it was. */
function ownShell(call: ToolCall, name: string, command: string): Made {
  const { command: _, cwd, timeout, ...rest } = call.input;
  const argv = ["bash", "-lc", command];
  const isAction = name === "local_shell";
  const given: JsonObject =
    name === "exec_command"
      ? { cmd: command }
      : isAction
        ? { type: "exec", command: argv }
        : { command: name === "shell_command" ? command : argv };
  const folder = word(cwd) === undefined ? {} : { [isAction ? "working_directory" : "workdir"]: cwd };
  const limit = timeout === undefined ? {} : { timeout_ms: timeout };
  return { name, input: { ...given, ...folder, ...limit, ...rest }, losses: [] };
}

function task(call: ToolCall): Made | undefined {
  const { prompt, agent } = call.input;
  if (typeof prompt !== "string" || codexName(call) === "call_agent") return undefined;
  const native = { message: prompt, ...(word(agent) !== undefined && { agent_type: agent }) };
  return renamed(call, "multi_agent_v1.spawn_agent", native, ["prompt", "agent"]);
}

/** The call under one of Codex's own names; `used` are the universal arguments that it took. */
function renamed(call: ToolCall, name: string, native: JsonObject, used: readonly string[]): Made {
  const was = call.originalTool ?? call.tool;
  const losses: Loss[] = [];
  const report = (kind: LossName, detail: string) => losses.push(loss(kind, { entry: call.id }, detail));
  const input = withOthers(native, { report }, call.input, used);
  // What Codex itself once wrote beside them has a place.
  if (was === name) return { name, input, losses: [] };
  return { name, input, losses: [loss("tool_renamed", { entry: call.id }, `${was} → ${name}`), ...losses] };
}

/** A patch is text, so nothing can stand beside it. */
function unused(call: ToolCall, used: readonly string[]): Loss[] {
  const was = call.originalTool ?? call.tool;
  const others = Object.keys(call.input).filter(
    (name) => call.input[name] !== undefined && !used.includes(name),
  );
  return others.map((argument) =>
    // A label for people changes nothing about what was done.
    loss(
      "tool_argument_dropped",
      { entry: call.id },
      `${argument} of ${was}`,
      LABELS.includes(argument) ? "info" : "warning",
    ),
  );
}

/** What says in words what the arguments do. */
const LABELS: readonly string[] = ["description", "instruction"];

function kept(call: ToolCall): Made {
  const name = call.originalTool ?? call.tool;
  const input = ownInput(call) ?? call.input;
  return { name, input, losses: [loss("tool_kept", { entry: call.id }, name)] };
}
