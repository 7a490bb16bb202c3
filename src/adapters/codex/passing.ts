// Which records' long texts the reader only hands on, so that they can stay in their file while a session is
// carried (storage/reference.ts): what tools answered, and what the view shows of it.
import { isObject, recordOf, SILENT_EVENTS } from "./native.ts";

/** Of these events only short fields are looked at. */
const REPORTS: ReadonlySet<unknown> = new Set([
  ...SILENT_EVENTS,
  "item_completed",
  "exec_command_end",
  "patch_apply_end",
  "mcp_tool_call_end",
]);

const OUTPUTS: ReadonlySet<unknown> = new Set(["function_call_output", "custom_tool_call_output"]);

export function passes(value: unknown): boolean {
  const record = recordOf(value);
  if (!record || !isObject(record.payload)) return false;
  const { type, output } = record.payload;
  if (record.type === "event_msg") return REPORTS.has(type);
  // Older outputs are JSON, whose end is looked at too.
  return (
    record.type === "response_item" &&
    OUTPUTS.has(type) &&
    typeof output === "string" &&
    !output.startsWith("{")
  );
}
