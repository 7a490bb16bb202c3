// These conversations have no tools, so a call stays what it is.
import type { ToolCall, ToolResult } from "../../session/session.ts";
import type { Translated } from "../adapter.ts";

export function tools(call: ToolCall, result: ToolResult | undefined): Translated {
  const input = call.originalInput ?? call.input;
  return { pairs: [{ name: call.originalTool ?? call.tool, input, result }], losses: [] };
}
