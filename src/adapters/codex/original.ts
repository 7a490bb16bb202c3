// Whether the arguments that an agent recorded still say what the session says: a call may have been edited since.
import { isDeepStrictEqual } from "node:util";
import type { ToolCall } from "../../session/session.ts";
import { isObject, type JsonObject } from "./native.ts";
import {
  isCodexTool,
  type Universal,
  universalCall,
  universalSearch,
  universalShell,
  universalText,
} from "./universal.ts";

/** The recorded arguments, if nobody changed the call since. */
export function ownInput(call: ToolCall): unknown {
  const { originalTool, originalInput, tool, input } = call;
  if (originalTool === undefined || originalInput === undefined) return undefined;
  const recorded = recordedAs(call);
  const same = recorded
    ? isDeepStrictEqual(recorded, { tool, input })
    : isObject(originalInput) && covers(originalInput, input);
  return same ? originalInput : undefined;
}

/** The name of the tool, where it is one that Codex itself recorded. */
export function codexName({ originalTool, originalInput }: ToolCall): string | undefined {
  if (originalTool === undefined) return undefined;
  // Codex keeps the arguments of a function as a string; other agents have tools of the same names.
  const isOwn = typeof originalInput === "string" || originalTool === "local_shell";
  const { name } = split(originalTool);
  return isOwn && isCodexTool(name) ? name : undefined;
}

/** What reading made of the call when Codex recorded it; undefined for a call of another agent. */
function recordedAs({ originalTool = "", originalInput }: ToolCall): Universal | undefined {
  if (originalTool === "local_shell" && isObject(originalInput)) return universalShell(originalInput);
  if (originalTool === "web_search_call" && isObject(originalInput)) return universalSearch(originalInput);
  if (typeof originalInput !== "string") return undefined;
  const { name, namespace } = split(originalTool);
  return isFreeText(name, namespace, originalInput)
    ? universalText(name, originalInput)
    : universalCall(name, namespace, originalInput);
}

/** Scripts and patches are calls without an argument list. */
export function isFreeText(name: string, namespace: string | undefined, input: unknown): input is string {
  if (typeof input !== "string" || namespace !== undefined) return false;
  return name === "exec" || (name === "apply_patch" && !input.trimStart().startsWith("{"));
}

/** MCP tools, and those set off by a dot, have a namespace of their own. */
export function split(fullName: string): { name: string; namespace: string | undefined } {
  const [, scope, tool] = /^(mcp__.+?)__(.+)$/s.exec(fullName) ?? /^([^.]+)\.(.+)$/s.exec(fullName) ?? [];
  return { name: tool ?? fullName, namespace: scope };
}

/**
 * Another agent's arguments cannot be derived here. They are taken to be unchanged if they hold every value of
 * the universal ones, and have none of a universal name that was taken out.
 */
function covers(original: JsonObject, input: JsonObject): boolean {
  const there = new Set(leaves(original));
  const isGone = (name: string) => NAMES.has(name) && input[name] === undefined;
  return leaves(input).every((leaf) => there.has(leaf)) && !Object.keys(original).some(isGone);
}

const NAMES: ReadonlySet<string> = new Set([
  "content",
  "offset",
  "limit",
  "command",
  "timeout",
  "description",
  "pattern",
  "path",
  "glob",
  "questions",
  "prompt",
  "url",
  "query",
]);

function leaves(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leaves);
  return value === undefined ? [] : [`${typeof value} ${value}`];
}
