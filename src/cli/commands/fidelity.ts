// fidelity: the table of what survives from every agent into every agent, by the real CLIs.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapterNamed } from "../../adapters/named.ts";
import { BatonError, EXIT_STATUS } from "../../session/error.ts";
import { exportFile } from "../../storage/export.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { type Contestant, hasSample, measure, type Pair } from "../fidelity.ts";
import { fidelityPage } from "../fidelity-page.ts";
import { cut, padded } from "../text.ts";
import { namesOf } from "../values.ts";

interface Options {
  agents?: string[];
  write?: string;
}

export function define(command: Command, run: Run): void {
  command
    .option("--agents <agents...>", "only these, also with commas (default: all that are installed)", namesOf)
    .option("--write <file>", "write the table as Markdown, replacing the file")
    .action((options: Options) => run((context) => fidelity(context, options)));
}

async function fidelity(context: Context, options: Options): Promise<number> {
  const { output } = context;
  const contestants = await contestantsOf(context, options.agents);
  const progress = output.progress("Pairs of agents that are proven:");
  const result = await measure(contestants, progress.at);
  progress.end();
  if (options.write !== undefined)
    await exportFile(resolve(options.write), fidelityPage(result), { force: true });
  if (output.isJson) await output.json(result);
  else await output.write(`${[...tableOf(result.pairs), ...result.pairs.flatMap(flawsOf)].join("\n")}\n`);
  return result.pairs.every(({ proven }) => proven) ? 0 : EXIT_STATUS.verification_failed;
}

async function contestantsOf(context: Context, named?: readonly string[]): Promise<Contestant[]> {
  const adapters = await context.adapters();
  const chosen = named
    ? named.map((name) => adapterNamed(name, adapters))
    : adapters.filter((adapter) => adapter.sandbox && hasSample(adapter));
  const contestants: Contestant[] = [];
  for (const adapter of chosen) {
    const cli = await installedOf(context, adapter, named !== undefined);
    if (cli) contestants.push({ adapter, cli });
  }
  if (contestants.length === 0)
    throw new BatonError(
      "agent_not_installed",
      "None of the agents is installed, or in PATH.",
      "The table is made with the real CLIs: install one of them first.",
    );
  return contestants;
}

async function installedOf(context: Context, adapter: Adapter, isNamed: boolean) {
  if (!adapter.sandbox || !hasSample(adapter))
    throw new BatonError(
      "unsupported",
      `${adapter.label} has no CLI that could prove anything.`,
      "Name another agent.",
    );
  const cli = await adapter.version(context.home);
  if (!cli && isNamed)
    throw new BatonError(
      "agent_not_installed",
      `${adapter.label} is not installed, or not in PATH.`,
      "The table is made with the real CLIs: install it first, or leave it out.",
    );
  if (!cli) context.output.message(`${adapter.label} is not installed, or not in PATH, and was left out.`);
  return cli;
}

const HEADINGS = ["from", "to", "facts", "kept", "changed", "lost", ""];

function tableOf(pairs: readonly Pair[]): string[] {
  const rows = pairs.map(({ from, to, total, kept, changed, lost, proven }) => [
    from,
    to,
    ...[total, kept, changed, lost].map(String),
    proven ? "proven" : "NOT PROVEN",
  ]);
  const widths = HEADINGS.map((_, at) => Math.max(...[HEADINGS, ...rows].map((row) => row[at]!.length)));
  return [HEADINGS, ...rows].map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** What was not announced. */
function flawsOf({ from, to, missing, unexpected, problems, proven }: Pair): string[] {
  if (proven) return [];
  const silent = missing.filter(({ named }) => named === undefined);
  return [
    "",
    `From ${from} to ${to}:`,
    ...problems.map((problem) => `  problem: ${problem}`),
    ...silent.map(({ type, excerpt, reason }) => `  missing ${type} "${excerpt}": ${reason}`),
    ...unexpected.map(({ type, excerpt, reason }) => `  unexpected ${type} "${excerpt}": ${reason}`),
  ].map((line) => cut(line, 300));
}
