// The shapes of Codex's own records, and guards for them. Records are untrusted: every field is checked where
// it is used, so all that is promised here is that an object is an object.

import { isObject, type Json } from "../json.ts";

export { count, filled as word, isObject, objects, text } from "../json.ts";
export type JsonObject = Json;

/** A line of a rollout, whatever generation wrote it. */
export interface CodexRecord {
  timestamp?: unknown;
  /** Present in paginated rollouts, counts on through forks. */
  ordinal?: unknown;
  type: string;
  payload: JsonObject;
  metadata?: unknown;
}

/**
 * The record in today's envelope. Rollouts of August 2025 had none (a header, bare items, state marks), and
 * the TypeScript CLI's one-file sessions are handed in as one header and its items.
 */
export function recordOf(value: unknown): CodexRecord | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.type === "string") {
    if (isObject(value.payload)) return value as unknown as CodexRecord;
    return { type: "response_item", payload: value, timestamp: value.timestamp };
  }
  if (typeof value.record_type === "string") return { type: value.record_type, payload: value };
  if (isObject(value.session)) return headerOf(value.session);
  if (typeof value.id === "string" && "timestamp" in value) return headerOf(value);
  return undefined;
}

function headerOf(header: JsonObject): CodexRecord {
  return { type: "session_meta", payload: header, timestamp: header.timestamp };
}

/** Types of lines that say nothing a model sees and that the session's header does not need. */
export const SILENT_RECORDS: ReadonlySet<string> = new Set([
  "state",
  "world_state",
  "retained_context",
  "dynamic_tools_updated",
  "security_risk_score",
  "realtime_item",
  "inter_agent_communication_metadata",
]);

/** Items that are no message, call or result: tool definitions, snapshots, request controls. */
export const SILENT_ITEMS: ReadonlySet<string> = new Set([
  "additional_tools",
  "configuration_update",
  "compaction_trigger",
  "ghost_snapshot",
  "other",
]);

/** The event that bears a switch (adapters/switched.ts). Without that mark it says nothing here. */
export const SWITCH_EVENT = "warning";

/** Events that repeat a response item for display, or report progress. */
export const SILENT_EVENTS: ReadonlySet<string> = new Set([
  "user_message",
  "agent_message",
  "agent_reasoning",
  "agent_reasoning_raw_content",
  "agent_reasoning_section_break",
  "thread_settings_applied",
  "thread_goal_updated",
  "thread_name_updated",
  "context_compacted",
  "entered_review_mode",
  "exited_review_mode",
  "web_search_begin",
  "web_search_end",
  "image_generation_begin",
  "image_generation_end",
  "exec_command_begin",
  "exec_command_output_delta",
  "patch_apply_begin",
  "mcp_tool_call_begin",
  "view_image_tool_call",
  "plan_update",
  "turn_diff",
  "item_started",
  "session_configured",
  "background_event",
  "stream_error",
  "warning",
  "deprecation_notice",
  "shutdown_complete",
  "raw_response_item",
  "raw_response_completed",
  "hook_started",
  "hook_completed",
  "terminal_interaction",
  "exec_approval_request",
  "apply_patch_approval_request",
  "request_user_input",
  "undo_started",
  "undo_completed",
  "model_reroute",
]);
