// Puts a text into the clipboard of whoever sits before the terminal, also through ssh.
import { spawn } from "node:child_process";

export function copySequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;
}

/** Unless it is set up otherwise, tmux hands on what its own command puts into its buffer, and no sequence of others. */
export function copyInTmux(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn("tmux", ["load-buffer", "-w", "-"], { stdio: ["pipe", "ignore", "ignore"] });
    child.on("error", () => resolve(false));
    child.on("close", (status) => resolve(status === 0));
    child.stdin.on("error", () => resolve(false));
    child.stdin.end(text);
  });
}
