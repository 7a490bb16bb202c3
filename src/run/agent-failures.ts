// What a run itself finds wrong with an agent: that it is not there, hangs, does not listen, or has ended, as far as its
// exit tells why.
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
    message: `${label} ended with status ${exitCode}.${said}`,
  };
}

/** Some have two names; the first is the better known. */
function signalOf(wanted: number): string | undefined {
  return Object.entries(constants.signals).find(([, number]) => number === wanted)?.[0];
}

export const GONE: DriverFailure = { code: "input_closed", message: "The agent is not there any more." };

/** Whoever runs Baton wanted so. */
export function ended(label: string): DriverFailure {
  return { code: "agent_killed", message: `${label} was ended, because the run was.` };
}

export function missing(label: string): DriverFailure {
  return { code: "agent_missing", message: `${label} is not installed, or not in PATH.` };
}

export function hung(label: string, afterMs: number): DriverFailure {
  return { code: "agent_hung", message: `${label} has said nothing for ${Math.round(afterMs / 1000)} s.` };
}

export function neverStopped(label: string): DriverFailure {
  const message = `${label} did not stop after the interrupt, so it was ended.`;
  return { code: "agent_hung", message, hint: "Run it again to go on." };
}

export function deaf(label: string): DriverFailure {
  return { code: "input_closed", message: `${label} does not take its input any more.` };
}

export function unsupported(label: string, what: string): DriverFailure {
  return { code: "unsupported", message: `${label} takes no ${what} while it runs.` };
}

/** A fault of ours. */
export function unhandled(label: string, error: unknown): DriverFailure {
  const why = error instanceof Error ? error.message : String(error);
  return { code: "failed", message: `What ${label} said could not be handled: ${why}` };
}
