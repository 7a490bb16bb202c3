// What Gemini CLI 0.61.0 tells of a call over ACP, as the call that it is. It gives neither the tool's name nor its
// arguments: the name stands in the id, the arguments in the title, the files, the diff and the words beside it.

import { jsonIn } from "../../session/json.ts";
import { contentText, type Diff, diffsIn, editBetween } from "../acp-content.ts";
import type { AcpCall, NativeTool } from "../acp-state.ts";
import { toolOf } from "../acp-tools.ts";
import { count, filled, isObject, type Json } from "../json.ts";
import type { UniversalCall } from "../reading.ts";
import { universalCall } from "./tools.ts";

export function geminiTool(call: AcpCall): NativeTool {
  const name = nativeName(call.id);
  if (name === undefined) return toolOf(call);
  const input = argumentsOf(name, call) ?? otherwise(call);
  const known = universalCall(name, input);
  return { name, input, call: known.tool === "unknown" ? inPart(name, input) : known };
}

/** `read_file__read_file_1795020420735_1`: its name, then an id of its own or of the model's. */
export function nativeName(id: string): string | undefined {
  return (/^(.+)__\1_\d+_\d+$/.exec(id) ?? /^(.+?)__./.exec(id))?.[1];
}

function argumentsOf(name: string, call: AcpCall): Json | undefined {
  const { title, locations, content, isOutput } = call;
  const [diff] = diffsIn(content);
  const path = filled(locations[0]?.path) ?? diff?.path;
  switch (name) {
    case "run_shell_command":
      return title === "" ? undefined : { command: title, ...(isOutput ? {} : placeIn(content)) };
    case "read_file":
      return path === undefined ? undefined : { file_path: path, ...lineOf(locations[0]) };
    case "write_file":
      return path === undefined ? undefined : { file_path: path, ...(diff && { content: diff.after }) };
    case "replace":
      return path === undefined ? undefined : { file_path: path, ...(diff && replaced(diff)) };
    case "list_directory":
      return title === "" ? undefined : { dir_path: title };
    default:
      return name.startsWith("mcp_") ? object(contentText(content)) : titled(name, title);
  }
}

/** What makes it another call, where all of that is told before it is made: of other tools it is not. */
export function wholeArguments({ id, title, content, isOutput }: AcpCall): Json | undefined {
  const name = nativeName(id);
  if (isOutput) return undefined;
  if (name?.startsWith("mcp_")) return object(contentText(content));
  const place = name === "run_shell_command" ? placeIn(content) : undefined;
  return place && { command: title, ...place };
}

/** The words that are told of these: what was asked stands in them whole, or up to a length. */
const TITLES: ReadonlyMap<string, readonly [RegExp, readonly string[]]> = new Map([
  [
    "grep_search",
    [/^'(.*)'(?: in (.+?))?(?: within (.+)| across .+)?$/s, ["pattern", "include_pattern", "dir_path"]],
  ],
  ["glob", [/^'(.*)'(?: within (.+))?$/s, ["pattern", "dir_path"]]],
  ["google_web_search", [/^Searching the web for: "(.*)"$/s, ["query"]]],
  [
    "web_fetch",
    [
      /^(?:Fetching content from: (.+)|Processing URLs and instructions from prompt: "(.*)")$/s,
      ["url", "prompt"],
    ],
  ],
  ["invoke_agent", [/^Delegating to agent '(.*)'$/s, ["agent_name"]]],
]);

function titled(name: string, title: string): Json | undefined {
  const [pattern, names] = TITLES.get(name) ?? [];
  const found = pattern?.exec(title);
  if (!found || !names) return undefined;
  const pairs = names.flatMap((one, index) => {
    const value = found[index + 1];
    // The folder itself is not worth a word; a long path is told with an ellipsis in it.
    const isPlace = one === "dir_path" && (value === "./" || value?.includes("..."));
    return value === undefined || isPlace ? [] : [[one, value] as const];
  });
  return Object.fromEntries(pairs);
}

/** `[in sub] (why) [background]`. */
function placeIn(content: readonly Json[]): Json | undefined {
  const found = /^\[(?:in (.*?)|current working directory .*?)\](?: \((.*)\))?( \[background\])?$/s.exec(
    contentText(content),
  );
  if (!found) return undefined;
  const [, folder, description, background] = found;
  return {
    ...(folder !== undefined && { dir_path: folder }),
    ...(description !== undefined && { description }),
    ...(background !== undefined && { is_background: true }),
  };
}

/** The whole file before and after; of what was to be replaced in it only the lines that differ are known. */
function replaced({ before, after }: Diff): Json {
  if (before === undefined) return { old_string: "", new_string: after };
  const edit = editBetween(before, after);
  return { old_string: edit.old, new_string: edit.new };
}

function lineOf(location: Json | undefined): Json {
  const line = count(location?.line);
  return line === undefined ? {} : { start_line: line };
}

/** Less is told than the tool takes: of a change that failed no diff, of a subagent never the prompt. */
function inPart(name: string, { file_path, agent_name, ...rest }: Json): UniversalCall {
  const path = filled(file_path) === undefined ? {} : { path: file_path };
  switch (name) {
    case "write_file":
    case "replace":
      return { tool: name === "replace" ? "edit" : "write", input: { ...path, ...rest } };
    case "invoke_agent":
      return {
        tool: "task",
        input: { ...(filled(agent_name) !== undefined && { agent: agent_name }), ...rest },
      };
    default:
      return { tool: "unknown", input: { ...(file_path !== undefined && { file_path }), ...rest } };
  }
}

function object(text: string): Json | undefined {
  const value = jsonIn(text);
  return isObject(value) ? value : undefined;
}

function otherwise({ title, locations }: AcpCall): Json {
  const paths = locations.flatMap(({ path }) => filled(path) ?? []);
  return { ...(title !== "" && { title }), ...(paths.length > 0 && { paths }) };
}
