// The form in which rollouts of 2025 name the tool of an MCP server. Today's have a namespace, of which the reader makes
// the form that other agents have.
import type { McpTool } from "../adapter.ts";
import { inLetters, ofServer } from "../mcp.ts";

export function mcpTool(name: string, servers: readonly string[]): McpTool | undefined {
  return ofServer(name, servers, (server) => `${inLetters(server)}__`);
}
