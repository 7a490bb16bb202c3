// Which MCP server a tool of a session belongs to: the form that most agents write, and what their own forms share.
import type { Adapter, McpTool } from "./adapter.ts";

/** `servers`: those that the agent has, by which a name is told apart that could be read in several ways. */
export function mcpToolOf(
  adapter: Pick<Adapter, "mcpTool">,
  name: string,
  servers: readonly string[],
): McpTool | undefined {
  const known = ofServer(name, servers, (server) => `mcp__${inLetters(server)}__`);
  if (known) return known;
  // The second form is that of conversations that are nobody's.
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? /^([\w.-]+):([\w.-]+)$/.exec(name) ?? [];
  return server !== undefined && tool !== undefined ? { server, tool } : adapter.mcpTool?.(name, servers);
}

/** The server whose prefix the name has; the longest, because one may begin like another. */
export function ofServer(
  name: string,
  servers: readonly string[],
  prefixOf: (server: string) => string,
): McpTool | undefined {
  let found: McpTool | undefined;
  for (const server of servers) {
    const prefix = prefixOf(server);
    const tool = name.slice(prefix.length);
    const isLonger = found === undefined || tool.length < found.tool.length;
    if (isLonger && tool !== "" && name.startsWith(prefix)) found = { server, tool };
  }
  return found;
}

/** In the letters that vendors take in the name of a tool. */
export function inLetters(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}
