// The shapes Claude Code writes, as far as Baton relies on them, and the checks that turn unknown JSON into
// them. Every field of a record may be missing or of any type: nothing here is asserted, everything is asked.

import { isObject, type Json } from "../json.ts";

export { filled, isObject, type Json, text } from "../json.ts";

/** One line of a session file. */
export interface ClaudeRecord extends Json {
  type?: unknown;
  uuid?: unknown;
  parentUuid?: unknown;
  timestamp?: unknown;
  sessionId?: unknown;
  isSidechain?: unknown;
  message?: unknown;
}

/** A piece of a message: text, thinking, tool_use, tool_result, image, document, or something newer. */
export interface ClaudeBlock extends Json {
  type?: unknown;
}

export function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/**
 * Content as a list of blocks: older and hand-written records hold a plain string, also inside a list. `odd` hears
 * of whatever is no content at all; a field that is not there is the caller's to judge.
 */
export function blocksOf(content: unknown, odd?: (what: string) => void): readonly ClaudeBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) {
    if (content !== undefined) odd?.(`content that is ${kindOf(content)} instead of a list`);
    return [];
  }
  if (content.every(isObject)) return content;
  return content.flatMap((item): ClaudeBlock[] => {
    if (typeof item === "string") return [{ type: "text", text: item }];
    if (isObject(item)) return [item];
    odd?.(`content with ${kindOf(item)} in it`);
    return [];
  });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const DEEPEST = 500;

/** Whether a value can be handed on: what is nested without end would exhaust the stack of whoever writes it. */
export function isShallow(value: unknown, depth = DEEPEST): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  const inner = Array.isArray(value) ? value : Object.values(value);
  return inner.every((one) => isShallow(one, depth - 1));
}

/** What stands in for a value that is nested too deeply. */
export const TOO_DEEP = "[nested too deeply to be shown]";

/** The model name of messages that the CLI made up itself. */
export const SYNTHETIC = "<synthetic>";

/** How the CLI marks that the user stopped a turn. */
export const INTERRUPTED = "[Request interrupted by user";

/** Records beside the thread that Baton knows and that hold nothing of the conversation. */
export const SIDE_RECORDS: ReadonlySet<string> = new Set([
  "agent-color",
  "agent-setting",
  "api-request",
  "api-request-blob",
  "api-request-shape",
  "artifact-autoreact-ledger",
  "artifact-comment-monitor",
  "atis-latch",
  "attribution-snapshot",
  "bridge-session",
  "content-replacement",
  "control_request",
  "control_response",
  "file-history-delta",
  "file-history-snapshot",
  "fork-context-ref",
  "frame-link",
  "marble-origami-commit",
  "marble-origami-snapshot",
  "mode",
  "permission-mode",
  "pr-link",
  "progress",
  "queue-operation",
  "rate_limit_event",
  "relocated",
  "speculation-accept",
  "stream_event",
  "tag",
  "task-summary",
  "tools-used",
  "worktree-state",
]);
