// How Gemini CLI names the tools of MCP servers: `mcp_server_tool` (0.61.0), earlier `server__tool` or the tool alone.
import type { McpTool } from "../adapter.ts";
import { ofServer } from "../mcp.ts";

export function mcpTool(name: string, servers: readonly string[]): McpTool | undefined {
  const known =
    ofServer(name, servers, (server) => `mcp_${asNamed(server)}_`) ??
    ofServer(name, servers, (server) => `${asNamed(server)}__`);
  if (known) return known;
  // The CLI itself takes a server to have no underscore.
  const [, server, tool] = /^mcp_([^_]+)_(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/** A name that already begins like one of these gets no second prefix, so the rest is all that has to fit. */
function asNamed(server: string): string {
  return server.replace(/^mcp_/, "").replace(/[^A-Za-z0-9_\-.:]/g, "_");
}
