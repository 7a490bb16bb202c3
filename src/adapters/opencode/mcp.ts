// How OpenCode names the tools of MCP servers: `server_tool`, which only the list of servers can tell apart.
import type { McpTool } from "../adapter.ts";
import { inLetters, ofServer } from "../mcp.ts";

export function mcpTool(name: string, servers: readonly string[]): McpTool | undefined {
  return ofServer(name, servers, (server) => `${inLetters(server)}_`);
}
