// A small MCP server, as a program, with a tool that wants a form filled in by its user.

const FORM = {
  message: "Tell us about you.",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Name", description: "Who you are" },
      size: { type: "string", title: "Size", enum: ["S", "L"], enumNames: ["small", "large"] },
      news: { type: "boolean", title: "Newsletter" },
      age: { type: "integer" },
    },
    required: ["name"],
  },
};

export const SHOP = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const said = (id, text, isError = false) => send({ id, result: { content: [{ type: "text", text }], isError } });
const tools = ["look_up", "sign_up", "fails"].map((name) => ({ name, description: name, inputSchema: { type: "object" } }));
let caller;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) said(caller, JSON.stringify(result));
  else if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shop", version: "1" } } });
  else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call" && params.name === "sign_up") {
    caller = id;
    send({ id: "form", method: "elicitation/create", params: ${JSON.stringify(FORM)} });
  } else if (method === "tools/call") said(id, params.name + " has ended", params.name === "fails");
  else if (id !== undefined) send({ id, result: {} });
}
`;
