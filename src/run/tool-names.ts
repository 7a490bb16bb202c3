// The names and arguments of tools in the live protocol: those that Claude Code made common, with `file_path` in every
// file tool, whatever the agent calls them. A tool that is in no vocabulary keeps its name and its arguments.
import { LOOKING, type UniversalCall } from "../adapters/reading.ts";

type Input = Record<string, unknown>;

export interface ProtocolCall {
  name: string;
  input: Input;
}

export function protocolCall(name: string, { tool, input }: UniversalCall): ProtocolCall {
  switch (tool) {
    case "read":
      return { name: "Read", input: withFilePath(input) };
    case "write":
      return { name: "Write", input: withFilePath(input) };
    case "edit":
      return edit(input);
    case "bash":
      return { name: "Bash", input: renamed(input, { background: "run_in_background" }) };
    case "search":
      return { name: "Grep", input };
    case "glob":
      return { name: "Glob", input };
    case "list":
      return { name: "LS", input };
    case "ask":
      return { name: "AskUserQuestion", input };
    case "task":
      return { name: "Task", input: renamed(input, { agent: "subagent_type" }) };
    case "web_fetch":
      return { name: "WebFetch", input };
    case "web_search":
      return { name: "WebSearch", input };
    case "todo":
      return { name: "TodoWrite", input: renamed(input, { items: "todos" }) };
    case "unknown":
      return { name, input };
  }
}

export function changesSomething({ tool }: UniversalCall): boolean {
  return !LOOKING.has(tool);
}

/** One edit is Edit, several are MultiEdit; a patch stays a patch. */
function edit(input: Input): ProtocolCall {
  const { edits, changes, ...rest } = withFilePath(input);
  if (Array.isArray(changes) && !Array.isArray(edits))
    return { name: "Edit", input: { ...rest, changes: changes.map((one) => withFilePath(one as Input)) } };
  if (!Array.isArray(edits)) return { name: "Edit", input: rest };
  const native = edits.map((one) =>
    renamed(one as Input, { old: "old_string", new: "new_string", all: "replace_all" }),
  );
  const [only] = native;
  return native.length === 1 && only
    ? { name: "Edit", input: { ...rest, ...only } }
    : { name: "MultiEdit", input: { ...rest, edits: native } };
}

function withFilePath(input: Input): Input {
  return renamed(input, { path: "file_path" });
}

function renamed(input: Input, names: Readonly<Record<string, string>>): Input {
  const known = new Map(Object.entries(names));
  const taken = new Set(Object.keys(input).flatMap((name) => known.get(name) ?? []));
  // One that only happens to be called like that is nothing that the tool goes by.
  const own = Object.entries(input).filter(([name]) => known.has(name) || !taken.has(name));
  return Object.fromEntries(own.map(([name, value]) => [known.get(name) ?? name, value]));
}
