// The options of everything that switches: what becomes of the content, and how a conversation that is too long fits.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { SwitchOptions } from "../switch/prepare-switch.ts";
import type { Strategy } from "../switch/reduction.ts";

export interface SwitchFlags {
  history: "visible" | "full";
  thinking: "drop" | "convert" | "ask";
  strategy?: Strategy;
  budget?: number;
  /** Commander's form of --no-tool-history and --no-system-prompt. */
  toolHistory?: boolean;
  systemPrompt?: boolean;
  summarizer?: string;
}

export function withSwitchOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--history <which>", "visible: what the model sees now; full: compacted history too")
        .choices(["visible", "full"])
        .default("visible"),
    )
    .addOption(
      new Option("--thinking <policy>", "what becomes of thinking in another agent")
        .choices(["drop", "convert", "ask"])
        .default("drop"),
    )
    .addOption(
      new Option(
        "--strategy <how>",
        "what to do with a conversation that is too long for the target",
      ).choices(["truncate", "summarize", "hybrid"]),
    )
    .option(
      "--budget <tokens>",
      "carry at most so many tokens, such as 60k, however large the window is",
      tokensIn,
    )
    .option("--summarizer <command>", "make the summary with this command, which reads stdin", commandOf)
    .option("--no-tool-history", "leave tool calls and their results out")
    .option("--no-system-prompt", "leave the session's own instructions out");
}

export function switchOptions(flags: SwitchFlags): SwitchOptions {
  const { history, thinking, strategy, budget, toolHistory = true, systemPrompt = true } = flags;
  return {
    history,
    thinking,
    ...(strategy && { summarizationStrategy: strategy }),
    ...(budget !== undefined && { budget }),
    includeToolHistory: toolHistory,
    preserveSystemPrompt: systemPrompt,
  };
}

function commandOf(given: string): string {
  if (given.trim() === "") throw new InvalidArgumentError("Write a command that reads stdin.");
  return given;
}

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1000, m: 1_000_000 };

function tokensIn(given: string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(given.trim()) ?? [];
  const tokens = Number(number) * (UNITS[unit.toLowerCase()] ?? 1);
  if (number === "" || tokens < 1)
    throw new InvalidArgumentError("Write a number of tokens, such as 60000 or 60k.");
  return Math.round(tokens);
}
