// A summary by a command of the user's choice: it gets the task and the conversation on its standard input, where
// there is no limit to their length, and answers on its standard output.
import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Summarizer } from "../switch/summarize.ts";

/** `command`: as one types it into a shell, such as an agent's CLI that takes a prompt and ends. */
export function commandSummarizer(
  command: string,
  say: (text: string) => void = () => undefined,
): Summarizer {
  let part = 0;
  return async ({ prompt, transcript, signal }) => {
    signal?.throwIfAborted();
    part++;
    say(`Summarizing with \`${command}\`${part === 1 ? "" : `, part ${part}`} …`);
    // A group of its own, so that all that the shell has started ends with us, however that comes about.
    const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "pipe"], detached: true });
    const onExit = () => endGroup(child);
    process.once("exit", onExit);
    const ended = new Promise<number | null>((resolve, reject) => {
      const stop = () => {
        endGroup(child);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", stop, { once: true });
      child.on("error", reject);
      child.on("close", (status) => {
        process.off("exit", onExit);
        signal?.removeEventListener("abort", stop);
        resolve(status);
      });
    });
    // A command that does not read all of it ends the pipe, which its exit status is about.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${prompt}\n\n${transcript}\n`);
    const [said, complaint, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (status !== 0) throw new Error(`\`${command}\` ended with ${status}. ${complaint.trim().slice(-500)}`);
    return said.trim();
  };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid);
  } catch (error) {
    // All of it may have ended by itself.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
