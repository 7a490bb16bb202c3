// node rpc.ts STEPS COMMAND ARGUMENTS…: asks a JSON-RPC server on stdio for one thing after the other and
// prints what it answered. A step may wait for a notification after its answer.
import { spawn } from "node:child_process";

export interface Step {
  method: string;
  params: unknown;
  /** The notification that says the work is done. */
  until?: string;
}

const [steps = "[]", command = "", ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const answers = new Map<number, (value: unknown) => void>();
const notices = new Map<string, () => void>();
let rest = "";

server.stdout.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) receive(JSON.parse(line));
});

function receive(message: { id?: number; method?: string; result?: unknown; error?: unknown }): void {
  if (message.id !== undefined && message.method === undefined)
    answers.get(message.id)?.(message.error === undefined ? message.result : { error: message.error });
  else if (message.method !== undefined) notices.get(message.method)?.();
}

async function perform(step: Step, id: number): Promise<unknown> {
  const answer = new Promise((resolve) => answers.set(id, resolve));
  const done = step.until && new Promise<void>((resolve) => notices.set(step.until as string, resolve));
  server.stdin.write(`${JSON.stringify({ id, method: step.method, params: step.params })}\n`);
  const result = await answer;
  if (result !== null && typeof result === "object" && "error" in result) return result;
  await done;
  return result;
}

const clientInfo = { name: "baton", version: "1.0.0" };
const results: unknown[] = [];
await perform({ method: "initialize", params: { clientInfo, capabilities: { experimentalApi: true } } }, 0);
server.stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
for (const [index, step] of (JSON.parse(steps) as Step[]).entries())
  results.push(await perform(step, index + 1));
server.stdin.end();
process.stdout.write(JSON.stringify(results));
