// What a command's file provides, and the option texts that several of them share.
import type { Command } from "commander";
import type { Context } from "./context.ts";

/** Runs a command's work; the number it returns is the exit status, none means 0. */
export type Run = (work: (context: Context) => Promise<number | undefined>) => Promise<void>;

export interface CommandFile {
  define(command: Command, run: Run): void;
}

export const SESSION = "an id, the beginning of one, AGENT:ID, a file, `latest` or `latest:AGENT`";
