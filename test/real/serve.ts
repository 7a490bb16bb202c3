// node serve.ts STEPS COMMAND ARGUMENTS…: starts an HTTP server, asks it for one thing after the other as soon as it
// says where it listens, prints what it answered and ends it.
import { spawn } from "node:child_process";

export interface Ask {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

const [steps = "[]", command = "", ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
server.on("exit", (code) => process.exit(code ?? 1));

const url = await listening();
const results: unknown[] = [];
for (const { method, path, body } of JSON.parse(steps) as Ask[]) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  results.push(response.ok ? JSON.parse(text || "null") : { error: response.status, text });
}
process.stdout.write(JSON.stringify(results), () => {
  server.removeAllListeners("exit");
  server.on("exit", () => process.exit(0));
  server.kill();
});

function listening(): Promise<string> {
  return new Promise((resolve) => {
    let printed = "";
    server.stdout.on("data", (chunk: Buffer) => {
      printed += chunk;
      const found = /listening on (http:\S+)/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
}
