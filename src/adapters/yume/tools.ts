// Tool calls in universal terms: yume-cli's tools have the names of several agents.
import type { ToolCall, ToolResult } from "../../session/session.ts";
import type { Translated } from "../adapter.ts";

export { commonCall as universalCall } from "../common-tools.ts";

/** Nothing is written here, so a call stays what it is. */
export function tools(call: ToolCall, result: ToolResult | undefined): Translated {
  const input = call.originalInput ?? call.input;
  return { pairs: [{ name: call.originalTool ?? call.tool, input, result }], losses: [] };
}
