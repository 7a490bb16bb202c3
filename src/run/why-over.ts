// Why an agent's process has ended in the middle of a turn, as far as its exit tells.
import { constants } from "node:os";
import type { DriverFailure } from "../adapters/driver.ts";
import type { Ended } from "./process.ts";

export function whyOver(
  { exitCode, signal, stderr, cause }: Ended & { cause?: string },
  label: string,
): DriverFailure {
  if (cause !== undefined)
    return { code: "agent_crashed", message: `${label} cannot be followed any more: ${cause}.` };
  const words = stderr.trim().split("\n").at(-1) ?? "";
  const said = words === "" ? "" : ` It said: ${words}`;
  // What a shell says of a program that is not there or is none; the guard says the same.
  const isNone = exitCode === 127 || exitCode === 126 || (exitCode === null && signal === null);
  if (isNone) return { code: "agent_broken", message: `${label} could not be started.${said}` };
  const killed = signal ?? (exitCode !== null && exitCode > 128 ? signalOf(exitCode - 128) : undefined);
  if (killed !== undefined)
    return { code: "agent_killed", message: `${label} was ended by ${killed}.${said}` };
  return {
    code: "agent_crashed",
    message: `${label} ended with status ${exitCode} in the middle of the turn.${said}`,
  };
}

/** Some have two names; the first is the better known. */
function signalOf(wanted: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === wanted)?.[0];
}
