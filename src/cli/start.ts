// An agent's command: as a line to copy into a shell, or started in the foreground.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Command } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import { whileChildHasTerminal } from "./interrupt.ts";
import { shellWord } from "./text.ts";

export function shellLine({ argv, cwd, env }: Command): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`);
  const words = [...variables, ...argv.map(shellWord)].join(" ");
  return cwd === "" ? words : `cd ${shellWord(cwd)} && ${words}`;
}

/** Hands the terminal over to the agent and returns its exit status. */
export async function start({ argv, cwd, env }: Command): Promise<number> {
  const [program = "", ...words] = argv;
  const child = spawn(program, words, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
  const pass = (signal: NodeJS.Signals) => {
    // A terminal sends Ctrl-C to the whole foreground group: the child has it already.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, pass);
  try {
    return await whileChildHasTerminal(
      () =>
        new Promise<number>((resolve, reject) => {
          child.on("error", (error) => reject(notStarted(program, error)));
          child.on("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
        }),
    );
  } finally {
    for (const signal of signals) process.off(signal, pass);
  }
}

function notStarted(program: string, error: Error): BatonError {
  return new BatonError(
    "agent_not_installed",
    `${program} could not be started: ${error.message}`,
    `Install it, or put it into PATH.`,
    error,
  );
}
