// node serve.ts STEPS COMMAND ARGUMENTS…: starts an HTTP server that prints where it listens, asks it for one thing
// after the other, and prints what it answered.
import { spawn } from "node:child_process";

export interface HttpStep {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

const [steps = "[]", command = "", ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise<string>((resolve, reject) => {
  let printed = "";
  server.stdout.on("data", (chunk: Buffer) => {
    printed += chunk;
    const found = /https?:\/\/[\d.]+:\d+/.exec(printed)?.[0];
    if (found) resolve(found);
  });
  server.on("exit", () => reject(new Error(`it ended before it listened: ${printed}`)));
});
const answers: unknown[] = [];
for (const { method, path, body } of JSON.parse(steps) as HttpStep[]) {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  answers.push(await answer.json().catch(() => answer.status));
}
server.removeAllListeners("exit");
server.kill("SIGTERM");
process.stdout.write(JSON.stringify(answers));
