// A summary by a command of the user's choice: it gets the task and the conversation on its standard input, where
// there is no limit to their length, and answers on its standard output.
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Summarizer } from "../switch/summarize.ts";

/** `command`: as one types it into a shell, such as an agent's CLI that takes a prompt and ends. */
export function commandSummarizer(
  command: string,
  say: (text: string) => void = () => undefined,
): Summarizer {
  let part = 0;
  return async ({ prompt, transcript, signal }) => {
    part++;
    say(`Summarizing with \`${command}\`${part === 1 ? "" : `, part ${part}`} …`);
    const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "pipe"], ...(signal && { signal }) });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    // A command that does not read all of it ends the pipe, which its exit status is about.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${prompt}\n\n${transcript}\n`);
    const [said, complaint, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (status !== 0) throw new Error(`\`${command}\` ended with ${status}. ${complaint.trim().slice(-500)}`);
    return said.trim();
  };
}
