// The shapes Claude Code writes, as far as Baton relies on them, and the checks that turn unknown JSON into
// them. Every field of a record may be missing or of any type: nothing here is asserted, everything is asked.

export type Json = Record<string, unknown>;

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

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A string that says something. */
export function filled(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Content as a list of blocks: older and hand-written records hold a plain string. */
export function blocksOf(content: unknown): readonly ClaudeBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

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
