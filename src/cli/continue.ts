// What resume, fork and return share: the session goes on in an agent, and its command is printed or started.
import { statSync } from "node:fs";
import type { Adapter, Command } from "../adapters/adapter.ts";
import { findProgram } from "../adapters/program.ts";
import { aliased } from "../models/defaults.ts";
import { plainId } from "../models/names.ts";
import { readOverrides } from "../models/overrides.ts";
import { loadPrices } from "../models/prices.ts";
import { BatonError } from "../session/error.ts";
import type { Loss } from "../session/losses.ts";
import type { Source } from "../session/source.ts";
import type { SwitchAnalysis } from "../switch/analyse.ts";
import { type CarryRequest, carry } from "../switch/carry.ts";
import type { Carried } from "../switch/perform.ts";
import { prepareSwitch, type SwitchOptions } from "../switch/prepare-switch.ts";
import type { Summarizer } from "../switch/summarize.ts";
import { switchOver } from "../switch/switch-over.ts";
import type { Context } from "./context.ts";
import { inHome } from "./in-home.ts";
import { sentences, tellLosses } from "./losses.ts";
import { redaction } from "./redaction.ts";
import { shellLine, start } from "./start.ts";
import { seriousIn, tellSwitch } from "./switch-report.ts";
import { counted } from "./text.ts";

export interface GoOn {
  agent: string;
  originalId: string;
  path: string;
  command: Command;
  losses: readonly Loss[];
  /** Besides the losses. */
  warnings: readonly string[];
  /** Whether a running agent holds the session, which a warning says too. */
  isLive?: boolean;
  operation: string | null;
  backup: string | null;
  /** For people: what was done, or would be. */
  done: string;
  /** The session to go on with was not written. */
  isDryRun?: boolean;
  /** Of a switch to another agent: says all that the losses say, and more. */
  analysis?: SwitchAnalysis;
}

/** Prints the result, or hands the terminal to the agent. */
export async function goOn(context: Context, result: GoOn, exec: boolean): Promise<number> {
  const { output } = context;
  const command = withEnvironment(context, result.command);
  if (output.isJson) {
    const { agent, originalId, path, losses, operation, backup, analysis } = result;
    const said = analysis ? seriousIn(analysis) : sentences(losses);
    const warnings = [...result.warnings, ...said].map((text) => inHome(context.environment.HOME, text));
    const told = { agent, originalId, path, command, warnings, losses, operation, backup };
    await output.json(analysis ? { ...told, analysis } : told);
    return 0;
  }
  for (const warning of result.warnings) output.warn(warning);
  if (result.analysis) tellSwitch(result.analysis, output);
  else tellLosses(result.losses, output);
  if (result.isDryRun) {
    await output.write(`${result.done}\n`);
    return 0;
  }
  if (result.done !== "") output.message(result.done);
  if (exec) return started(context, command, result);
  await output.write(`${shellLine(command)}\n`);
  return 0;
}

/** A session that was written stays as it was written when its agent fails, and can be gone on with or taken back. */
async function started({ output }: Context, command: Command, result: GoOn): Promise<number> {
  const status = await start(command);
  if (status !== 0 && result.operation !== null)
    output.message(
      `The agent ended with status ${status}. \`${shellLine(command)}\` goes on; \`baton undo ${result.operation}\` takes the session back.`,
    );
  return status;
}

/** The command as it has to be started from here to find the same home. */
export function withEnvironment({ environment }: Pick<Context, "environment">, command: Command): Command {
  return { ...command, env: { ...environment, ...command.env } };
}

/** What cannot be asked for together with --exec. */
export function checkExec({ output }: Context, { exec, dryRun }: { exec?: boolean; dryRun?: boolean }): void {
  if (exec && output.isJson)
    throw new BatonError(
      "usage",
      "--exec gives the terminal away, so --json has no place.",
      "Use one of them.",
    );
  if (exec && dryRun)
    throw new BatonError("usage", "--dry-run starts nothing, so --exec has no place.", "Use one of them.");
}

/** Asked before anything is written: an agent that is to start now needs its folder, later it may be there. */
export function folderWarnings(
  cwd: string,
  exec: boolean,
  hint = "--cwd DIR goes on in another one.",
): string[] {
  if (isFolder(cwd)) return [];
  const sentence =
    cwd === ""
      ? "This session does not say which folder it belongs to."
      : `The session's folder ${cwd} is not here.`;
  if (exec) throw new BatonError("not_found", sentence, hint);
  return [`${sentence} ${hint}`];
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The agent's CLI, which has to be there unless the user says otherwise. */
export async function installed(context: Context, adapter: Adapter, needed: boolean) {
  const found = await adapter.version(context.home);
  if (!found && needed) refuseMissing(adapter);
  return found;
}

/** Without asking for its version, which takes seconds: it starts at once, or is only named. */
export async function checkInstalled(context: Context, adapter: Adapter): Promise<void> {
  if (!(await hasProgram(context, adapter))) refuseMissing(adapter);
}

/** Whether there is a program that goes on with the agent's sessions. */
export async function hasProgram({ home }: Context, adapter: Adapter): Promise<boolean> {
  const [name] = adapter.resumeCommand?.("", { project: { path: "" } }, { home }).argv ?? [];
  return name !== undefined && (await findProgram(name, home)) !== undefined;
}

export function notInstalled({ label }: Pick<Adapter, "label">): string {
  return `${label} is not installed, or not in PATH.`;
}

function refuseMissing(adapter: Adapter): never {
  const hint = "Install it, or go on without it with --yes.";
  throw new BatonError("agent_not_installed", notInstalled(adapter), hint);
}

type Carry = Pick<
  CarryRequest,
  "edits" | "moves" | "kind" | "from" | "reason" | "cwd" | "model" | "yes" | "dryRun"
> & {
  options?: SwitchOptions;
  summarizer?: Summarizer;
  summarizedBy?: string;
  anew?: boolean;
  warnings?: readonly string[];
};

export async function carryInto(
  context: Context,
  source: Source,
  to: Adapter,
  options: Carry,
): Promise<GoOn> {
  const { warnings = [], moves = [] } = options;
  if (!to.write)
    throw new BatonError(
      "refused",
      `Baton only reads ${to.label} sessions.`,
      "Name an agent to go on in with --in AGENT.",
    );
  const isCopy = source.header.source.cli === to.id && !options.options?.summarizationStrategy;
  const carried = isCopy
    ? await copied(context, source, to, options)
    : await switched(context, source, to, options);
  const moved = moves.length === 0 || carried.losses.some(({ kind }) => kind === "paths_remapped");
  return {
    ...carried,
    warnings: [
      ...warnings,
      ...carried.warnings,
      ...(carried.problems ?? []),
      ...(moved || carried.isReused ? [] : [NO_PATHS]),
      ...(carried.isReused && options.reason !== undefined ? [SAME_REASON] : []),
    ],
    done: doneWith(carried, to),
    isDryRun: carried.operation === null,
  };
}

const SAME_REASON =
  "--reason changes nothing here: what was recorded when this was carried stays. --new carries it once more.";

type Arrived = Carried & { warnings: string[]; analysis?: SwitchAnalysis };

/** Into another agent. What it will cost is looked up while its CLI is asked for its version. */
async function switched(context: Context, source: Source, to: Adapter, options: Carry): Promise<Arrived> {
  const { warnings: _, ...rest } = options;
  const { home, batonHome, output } = context;
  const overrides = readOverrides(batonHome);
  const [cli, price, adapters] = await Promise.all([
    installed(context, to, !options.yes && !options.dryRun),
    loadPrices(overrides),
    context.adapters(),
  ]);
  const redactor = redaction();
  const progress = output.progress(`Switching to ${to.label}`);
  try {
    const done = await switchOver({
      ...rest,
      source,
      to,
      home,
      batonHome,
      adapters,
      overrides,
      price,
      asks: true,
      installed: cli,
      onProgress: (at, total) => progress.at(at, total),
      ...(redactor && { redactor }),
    });
    return { ...done, warnings: withoutNeed(done.analysis, options.options ?? {}, options.summarizedBy) };
  } finally {
    progress.end();
  }
}

/** Whether the session does not fit another model of its own agent; the one that it has it was made with. */
export async function isTooLong(
  { home, batonHome, adapters }: Context,
  source: Source,
  to: Adapter,
  { model, budget, strategy }: { model?: string; budget?: number; strategy?: string },
): Promise<boolean> {
  const isOther = model !== undefined && plainId(aliased(model)) !== plainId(source.header.model.model);
  if (!isOther && budget === undefined && strategy === undefined) return false;
  const overrides = readOverrides(batonHome);
  const options = budget === undefined ? {} : { budget };
  const all = await adapters();
  const named = model === undefined ? {} : { model };
  const { isFitting } = await prepareSwitch({
    source,
    to,
    home,
    ...named,
    overrides,
    options,
    adapters: all,
  });
  return !isFitting;
}

/** How many blocks of thinking do not stay what they are, so that somebody has to choose what becomes of them. */
export async function boundThinking(
  { home, batonHome, adapters }: Context,
  source: Source,
  to: Adapter,
  model: string | undefined,
): Promise<number> {
  const { survey, keptThinking } = await prepareSwitch({
    source,
    to,
    home,
    overrides: readOverrides(batonHome),
    adapters: await adapters(),
    ...(model !== undefined && { model }),
  });
  const { counts = new Map<string, number>() } = survey.features.get("thinking") ?? {};
  return [...counts].reduce((sum, [entry, count]) => sum + (keptThinking.has(entry) ? 0 : count), 0);
}

function withoutNeed(
  { requiresSummarization }: SwitchAnalysis,
  { summarizationStrategy: strategy }: SwitchOptions,
  summarizer: string | undefined,
): string[] {
  if (!requiresSummarization && strategy) return ["--strategy has no effect here: all of it fits."];
  const isIdle = summarizer !== undefined && (!strategy || strategy === "truncate");
  return isIdle ? ["--summarizer has no effect here: nothing is summarized."] : [];
}

/** Into the same agent: its own records, as they are. */
async function copied(context: Context, source: Source, to: Adapter, options: Carry): Promise<Arrived> {
  const { home, batonHome } = context;
  const cli = await installed(context, to, !options.yes && !options.dryRun);
  const redactor = redaction();
  const request = { ...options, source, to, home, batonHome, installed: cli, ...(redactor && { redactor }) };
  return { ...(await carry(request)), warnings: unproven(to, cli?.version) };
}

function doneWith({ operation, counts, isReused }: Carried, { label }: Adapter): string {
  const what = carriedWhat(counts);
  if (operation === null && isReused)
    return `Nothing has changed since this was carried into ${label}: it would go on there. Nothing was written.`;
  if (operation === null) return `This would carry ${what} into ${label}. Nothing was written.`;
  const undo = `\`baton undo ${operation}\` takes it back.`;
  if (isReused) return `Nothing has changed since this was carried into ${label}: it goes on there. ${undo}`;
  return `Carried ${what} into ${label}. ${undo}`;
}

const NO_PATHS = "No path of this session lies in the folder that moved, so none was rewritten.";

/** For people: how much it is. What an agent put in for the model is written as a user's message too, so these are no prompts. */
export function carriedWhat(counts: Carried["counts"]): string {
  return [
    counted(counts.user, "user message"),
    counted(counts.assistant, "reply", "replies"),
    counted(counts.tool_call, "tool call"),
  ].join(", ");
}

export function unproven(to: Adapter, version: string | undefined): string[] {
  if (version === undefined || to.proven.includes(version)) return [];
  return [
    `Writing for ${to.label} ${version} is not proven yet; it is for ${to.proven.join(", ") || "none"}.`,
  ];
}
