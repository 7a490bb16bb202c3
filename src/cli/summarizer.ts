// A summary by a command of the user's choice: it gets the task and the conversation on its standard input, where
// there is no limit to their length, and answers on its standard output.
import { isUtf8 } from "node:buffer";
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
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
    const ended = new Promise<string | undefined>((resolve, reject) => {
      const stop = () => {
        endGroup(child);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", stop, { once: true });
      child.on("error", reject);
      child.on("close", (status, killed) => {
        process.off("exit", onExit);
        signal?.removeEventListener("abort", stop);
        resolve(status === 0 ? undefined : `ended with ${status ?? killed}`);
      });
    });
    // A command that does not read all of it ends the pipe, which its exit status is about.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${prompt}\n\n${transcript}\n`);
    const [said, complaint, failure] = await Promise.all([
      readAll(child, child.stdout),
      readAll(child, child.stderr),
      ended,
    ]);
    if (said.isTooLong || complaint.isTooLong)
      throw new Error(`\`${command}\` wrote more than any summary has.`);
    if (failure !== undefined)
      throw new Error(`\`${command}\` ${failure}. ${complaint.bytes.toString().trim().slice(-500)}`);
    if (!isUtf8(said.bytes)) throw new Error(`\`${command}\` wrote something that is no text.`);
    return said.bytes.toString().trim();
  };
}

/** A summary has some thousand words; a command may echo what it was given. */
const MOST_BYTES = 64 << 20;

/** What does not end is ended. */
async function readAll(child: ChildProcess, from: Readable): Promise<{ bytes: Buffer; isTooLong: boolean }> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of from) {
    length += piece.length;
    if (length > MOST_BYTES) {
      endGroup(child);
      return { bytes: Buffer.alloc(0), isTooLong: true };
    }
    pieces.push(piece);
  }
  return { bytes: Buffer.concat(pieces), isTooLong: false };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid);
  } catch (error) {
    // All of it may have ended by itself.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
