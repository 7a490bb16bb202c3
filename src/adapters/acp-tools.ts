// A call of the Agent Client Protocol in universal terms: by its name and arguments where the agent gives them, else by
// its kind, its diff and the files that it names.
import type { FileChange } from "../session/tools.ts";
import { type Diff, diffsIn, editBetween } from "./acp-content.ts";
import type { AcpCall, NativeTool } from "./acp-state.ts";
import { commonCall } from "./common-tools.ts";
import { count, filled, isObject, type Json } from "./json.ts";
import { LOOKING, type UniversalCall } from "./reading.ts";

export function toolOf(call: AcpCall): NativeTool {
  const input: Json = isObject(call.input)
    ? call.input
    : call.input === undefined
      ? {}
      : { input: call.input };
  const hasInput = Object.keys(input).length > 0;
  const told = hasInput ? input : titled(call);
  return {
    name: nameOf(call),
    input: told,
    call: universalCall(call, input) ?? { tool: "unknown", input: told },
  };
}

/** Whether all that is known of a call at its end is known now. */
export function isComplete(call: AcpCall): boolean {
  return call.input !== undefined || !CHANGING.has(call.kind) || diffsIn(call.content).length > 0;
}

/** Their diff may come as late as with their result. */
const CHANGING: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

function nameOf({ name, title, kind }: AcpCall): string {
  if (name !== "") return name;
  if (/^[\w.-]{1,64}$/.test(title)) return title;
  return kind === "" ? "tool" : kind;
}

function titled({ title, locations }: AcpCall): Json {
  const paths = locations.flatMap(({ path }) => filled(path) ?? []);
  return { ...(title !== "" && { title }), ...(paths.length > 0 && { paths }) };
}

function universalCall(call: AcpCall, input: Json): UniversalCall | undefined {
  const byName = commonCall(nameOf(call), input);
  // A title may look like a name; what a call changes is said by its kind.
  const isOnlyNamed = LOOKING.has(byName.tool) && (call.kind === "execute" || CHANGING.has(call.kind));
  if (byName.tool !== "unknown" && !isOnlyNamed) return byName;
  const changed = changeOf(diffsIn(call.content));
  return changed ?? byKind(call, input);
}

function byKind(call: AcpCall, input: Json): UniversalCall | undefined {
  switch (call.kind) {
    case "read":
      return known("Read", input) ?? placed(call);
    case "edit":
      return known("Edit", input) ?? known("Write", input) ?? known("apply_patch", input);
    case "delete":
    case "move":
      return moved(call, input);
    case "search":
      return known("Grep", input);
    case "execute":
      return known("Bash", input) ?? commanded(call);
    case "fetch":
      return known("WebFetch", input) ?? known("WebSearch", input);
    case "think":
      return known("Task", input);
    default:
      return undefined;
  }
}

function known(name: string, input: Json): UniversalCall | undefined {
  const call = commonCall(name, input);
  return call.tool === "unknown" ? undefined : call;
}

function placed({ locations }: AcpCall): UniversalCall | undefined {
  const path = filled(locations[0]?.path);
  const line = count(locations[0]?.line);
  return path === undefined
    ? undefined
    : { tool: "read", input: { path, ...(line !== undefined && line > 0 && { offset: line }) } };
}

/** A title of a command is the command, in backticks or not. */
function commanded({ title, input }: AcpCall): UniversalCall | undefined {
  const command = /^`([^`]+)`$/.exec(title)?.[1] ?? title;
  const others = isObject(input) ? input : {};
  return command === "" ? undefined : { tool: "bash", input: { ...others, command } };
}

function moved({ kind, locations }: AcpCall, input: Json): UniversalCall | undefined {
  const paths = locations.flatMap(({ path }) => filled(path) ?? []);
  const [first, second] = paths;
  if (kind === "delete" && first !== undefined && second !== undefined)
    return {
      tool: "edit",
      input: { path: first, changes: paths.map((path) => ({ kind: "delete", path })) },
    };
  const path =
    first ?? filled(input.path) ?? filled(input.file_path) ?? filled(input.from) ?? filled(input.source);
  if (path === undefined) return undefined;
  const to = second ?? filled(input.to) ?? filled(input.destination);
  const change: FileChange =
    kind === "delete" ? { kind: "delete", path } : { kind: "move", path, ...(to !== undefined && { to }) };
  return { tool: "edit", input: { path, changes: [change] } };
}

function changeOf(diffs: readonly Diff[]): UniversalCall | undefined {
  const [only] = diffs;
  if (!only) return undefined;
  if (diffs.length > 1) return { tool: "edit", input: { path: only.path, changes: diffs.map(fileChange) } };
  const { path, before, after } = only;
  if (before === undefined) return { tool: "write", input: { path, content: after } };
  return { tool: "edit", input: { path, edits: [editBetween(before, after)] } };
}

function fileChange({ path, before, after }: Diff): FileChange {
  if (before === undefined) return { kind: "add", path, content: after };
  const edit = editBetween(before, after);
  const lines = [...marked(edit.old, "-"), ...marked(edit.new, "+")];
  return { kind: "update", path, diff: ["@@", ...lines].join("\n") };
}

function marked(text: string, mark: string): string[] {
  return text === "" ? [] : text.split("\n").map((line) => mark + line);
}
