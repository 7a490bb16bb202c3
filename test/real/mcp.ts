// node mcp.ts: a small MCP server on stdio with one tool, so that a CLI can make a real call to one.
import { createInterface } from "node:readline";

const TOOL = {
  name: "look_up",
  description: "Looks a word up in the catalogue.",
  inputSchema: {
    type: "object",
    properties: { word: { type: "string" }, exact: { type: "boolean" } },
    required: ["word"],
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer(method, params) })}\n`);
}

function answer(method: string, params: Record<string, unknown> = {}): object {
  switch (method) {
    case "initialize":
      return {
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "catalogue", version: "1.0.0" },
        },
      };
    case "tools/list":
      return { result: { tools: [TOOL] } };
    case "tools/call": {
      const { word } = params.arguments as { word: string };
      return {
        result: { content: [{ type: "text", text: `“${word}” stands on shelf 7, in two volumes.` }] },
      };
    }
    case "ping":
      return { result: {} };
    default:
      return { error: { code: -32601, message: `There is no method ${method}.` } };
  }
}
