// Why an agent's process has ended in the middle of a turn, as far as its exit tells.
import type { DriverFailure } from "../adapters/driver.ts";
import type { Ended } from "./process.ts";

const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  9: "SIGKILL",
  11: "SIGSEGV",
  15: "SIGTERM",
};

export function whyOver({ exitCode, signal, stderr }: Ended, label: string): DriverFailure {
  const words = stderr.trim().split("\n").at(-1) ?? "";
  const said = words === "" ? "" : ` It said: ${words}`;
  // What a shell says of a program that is not there or is none; the guard says the same.
  const isNone = exitCode === 127 || exitCode === 126 || (exitCode === null && signal === null);
  if (isNone) return { code: "agent_broken", message: `${label} could not be started.${said}` };
  const killed = signal ?? (exitCode !== null && exitCode > 128 ? SIGNALS[exitCode - 128] : undefined);
  if (killed !== undefined)
    return { code: "agent_killed", message: `${label} was ended by ${killed}.${said}` };
  return {
    code: "agent_crashed",
    message: `${label} ended with status ${exitCode} in the middle of the turn.${said}`,
  };
}
