// resume: go on with a session, in its own agent or in another one.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapterNamed } from "../../adapters/named.ts";
import type { ArchivedSession } from "../../catalog/archive/read.ts";
import { aliased } from "../../models/defaults.ts";
import { displayName } from "../../models/names.ts";
import { BatonError } from "../../session/error.ts";
import type { Source } from "../../session/source.ts";
import { badgeOf } from "../../session/vendor.ts";
import { isRun } from "../../storage/runs.ts";
import { nameOf } from "../../switch/name.ts";
import { type Origin, originIfAny } from "../../switch/origin.ts";
import { type Move, movedPath } from "../../transform/remap.ts";
import { visiblePositions } from "../../transform/visible.ts";
import { type Run, SESSION } from "../command.ts";
import type { Context } from "../context.ts";
import {
  boundThinking,
  carryInto,
  checkExec,
  checkInstalled,
  folderWarnings,
  type GoOn,
  goOn,
  isTooLong,
} from "../continue.ts";
import { onInterrupt } from "../interrupt.ts";
import { collected, movesFor, movesWarnings, REMAP } from "../moves.ts";
import { redaction } from "../redaction.ts";
import { type Opened, openRecorded } from "../session.ts";
import { isInStore } from "../store.ts";
import { commandSummarizer } from "../summarizer.ts";
import { type SwitchFlags, switchOptions, withSwitchOptions } from "../switch-options.ts";
import { counted, harmless, shellWord } from "../text.ts";
import { modelOf } from "../values.ts";

interface Options extends SwitchFlags {
  in?: string;
  model?: string;
  cwd?: string;
  remap?: string[];
  /** Write a new session even if the same was carried before. */
  new?: boolean;
  reason?: string;
  dryRun?: boolean;
  exec?: boolean;
  yes?: boolean;
  /** Where a new session would have to be written, only say what would happen. */
  onlyOwn?: boolean;
}

export function define(command: Command, run: Run): void {
  withSwitchOptions(
    command
      .argument("<session>", SESSION)
      .option("--in <agent>", "the agent to go on in (default: the session's own)")
      .option("--model <model>", "the model to go on with", modelOf)
      .option("--cwd <dir>", "the folder to go on in (default: the session's own)")
      .option("--remap <old=new>", REMAP, collected),
  )
    .option("--reason <text>", "why, for the record")
    .option("--new", "write a new session even if the same was carried before")
    .option("--dry-run", "only say what would happen")
    .option("--exec", "start the agent instead of printing its command")
    .option("--yes", "go on although something would be missing")
    .action((name: string, options: Options) => run((context) => resume(context, name, options)));
}

async function resume(context: Context, name: string, options: Options): Promise<number> {
  checkExec(context, options);
  return goOn(context, await prepareResume(context, name, options), options.exec ?? false);
}

/** Everything but starting the agent: with `dryRun` nothing is written either. */
export async function prepareResume(context: Context, name: string, options: Options): Promise<GoOn> {
  const opened = await openRecorded(context, name);
  const to = await agentFor(context, opened, options.in);
  if (opened.archived && to.id === opened.archived.agent) throw onlyArchived(opened.archived);
  const project = opened.source.header.project.path;
  const isOwn = isAtHome(context, opened, to);
  const given = options.cwd === undefined ? undefined : resolve(options.cwd);
  const moves = isOwn ? [] : movesFor(project, given, options.remap);
  const cwd = given ?? movedPath(project, moves);
  if (isOwn && (await isTooLong(context, opened.source, to, options))) {
    const anew = movesFor(project, given, options.remap);
    const moved = { ...options, moves: anew };
    if (options.strategy)
      return carried(context, opened, to, moved, folderWarnings(cwd, options.exec ?? false));
    if (!options.yes) throw tooLong(to, options);
  }
  const bound = isOwn && to.isBoundToFolder ? to : undefined;
  const warnings = [
    ...(bound ? elsewhere(bound, opened, given, options.yes ?? false) : []),
    ...folderWarnings(
      cwd,
      options.exec ?? false,
      bound && `${forkInto(opened, given)} goes on in another one.`,
    ),
    ...movesWarnings(moves, options.remap),
    ...withoutEffect(options, isOwn || opened.source.header.source.cli === to.id),
    ...(isOwn && options.remap ? [UNMOVED] : []),
    ...(isOwn && redaction() ? [UNHIDDEN] : []),
    ...whyAnew(opened, to),
  ];
  return isOwn
    ? ownResume(context, opened, to, { ...options, cwd }, warnings)
    : carried(context, opened, to, { ...options, moves, ...(options.onlyOwn && { dryRun: true }) }, warnings);
}

/** The agent itself would find out only when its model refuses. */
function tooLong({ label }: Adapter, { model, budget }: Options): BatonError {
  const named = model === undefined ? label : `${displayName(aliased(model))} in ${label}`;
  const what = budget === undefined ? named : `a budget of ${budget} tokens`;
  return new BatonError(
    "refused",
    `This session is too long for ${what}.`,
    "--strategy hybrid goes on with a copy that fits; --yes goes on with the session as it is.",
  );
}

function onlyArchived({ id, path }: ArchivedSession): BatonError {
  return new BatonError(
    "refused",
    `${path} is gone, and only the archive holds this session.`,
    `\`baton restore ${id}\` writes it back; --in AGENT goes on with it in another one.`,
  );
}

/** The command would be one that the agent refuses. */
function elsewhere({ label }: Adapter, opened: Opened, given: string | undefined, isSure: boolean): string[] {
  const { path } = opened.source.header.project;
  if (given === undefined || path === "" || isSameFolder(given, path)) return [];
  const sentence = `${label} finds this session only in its own folder, ${path}.`;
  const hint = `${forkInto(opened, given)} makes a copy that goes on there.`;
  if (!isSure) throw new BatonError("refused", sentence, hint);
  return [`${sentence} ${hint}`];
}

function forkInto({ source }: Opened, folder = "DIR"): string {
  return `\`baton fork ${nameOf(source.header)} --cwd ${shellWord(folder)}\``;
}

function isSameFolder(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return one === other || (first !== undefined && first.ino === second?.ino && first.dev === second.dev);
}

const UNHIDDEN =
  "--redact hides nothing from the agent here: it goes on with its own session, as it is. `baton fork --redact` makes a copy without secrets.";
const UNMOVED = "--remap has no effect here: `baton fork` writes a session with other paths.";

export async function agentFor(
  context: Context,
  opened: Opened,
  named: string | undefined,
): Promise<Adapter> {
  const adapters = await context.adapters();
  if (named !== undefined) return agentNamed(named, adapters);
  const own = opened.native?.adapter ?? adapters.find(({ id }) => id === opened.source.header.source.cli);
  if (own) return own;
  throw new BatonError(
    "usage",
    "This session belongs to no agent that Baton knows.",
    `Name one with --in: ${adapters.flatMap(({ id, write }) => (write ? [id] : [])).join(", ")}.`,
  );
}

/** A provider's name stands for the agent that it makes. */
function agentNamed(name: string, adapters: readonly Adapter[]): Adapter {
  const byProvider = adapters.filter(({ badge, write }) => write && badge === badgeOf(name));
  const isAgent = adapters.some(({ id }) => id === name);
  const [only] = byProvider;
  return !isAgent && only && byProvider.length === 1 ? only : adapterNamed(name, adapters);
}

/** A session stays as it is in its own agent, so what is left out on the way to another has no meaning. */
function withoutEffect(options: Options, isOwn: boolean): string[] {
  if (!isOwn) return [];
  const { history, thinking, strategy, budget, toolHistory = true, systemPrompt = true, reason } = options;
  const named = [
    history === "visible" ? [] : "--history",
    thinking === "drop" ? [] : "--thinking",
    strategy === undefined ? [] : "--strategy",
    budget === undefined ? [] : "--budget",
    toolHistory ? [] : "--no-tool-history",
    systemPrompt ? [] : "--no-system-prompt",
    options.summarizer === undefined ? [] : "--summarizer",
    reason === undefined ? [] : "--reason",
  ].flat();
  return named.map((option) => `${option} has no effect here: the session stays in its own agent.`);
}

/** Whether the agent finds the session by itself, because it lies in its own store, by whatever way. */
export function isAtHome({ home }: Context, { native }: Opened, to: Adapter): boolean {
  if (!native || native.adapter !== to || !isFound(native)) return false;
  return isInStore(to, home, native.ref.path);
}

function isFound({ adapter, ref }: NonNullable<Opened["native"]>): boolean {
  return adapter.isResumable?.(ref) ?? true;
}

/** A new session where none was asked for needs a reason. */
function whyAnew({ native }: Opened, to: Adapter): string[] {
  if (!native || native.adapter !== to || isFound(native)) return [];
  return [
    `This session is of an older ${to.label} or of another channel's, and today's does not find it: it goes on in a new session.`,
  ];
}

async function ownResume(
  context: Context,
  { source, path, native }: Opened,
  to: Adapter,
  options: Options & { cwd: string },
  warnings: readonly string[],
): Promise<GoOn> {
  if (!to.resumeCommand || !native)
    throw new BatonError("unsupported", `${to.label} sessions cannot be resumed.`, "Use --in AGENT.");
  refuseEmpty(source, "resume");
  if (!options.yes && !options.dryRun) await checkInstalled(context, to);
  const { originalId } = native.ref;
  const choice = { home: context.home, ...(options.model !== undefined && { model: options.model }) };
  const isLive = await to.isLive(native.ref);
  const isHeld = isLive || (await isRun(context.batonHome, { agent: to.id, session: originalId }));
  return {
    agent: to.id,
    originalId,
    path,
    command: to.resumeCommand(originalId, { project: { path: options.cwd } }, choice),
    losses: [],
    warnings: [...warnings, ...(isHeld ? [`A running ${to.label} holds this session.`] : [])],
    isLive,
    operation: null,
    backup: null,
    done: "",
  };
}

async function carried(
  context: Context,
  { source, native }: Opened,
  to: Adapter,
  options: Options & { moves: readonly Move[] },
  warnings: readonly string[],
): Promise<GoOn> {
  const { moves, cwd, model, reason, yes, dryRun, summarizer } = options;
  const origin = await originIfAny(context.batonHome, source.header);
  const thinking =
    options.thinking === "ask" ? await askThinking(context, source, to, model) : options.thinking;
  return carryInto(context, source, to, {
    kind: "resume",
    warnings: [...warnings, ...(origin?.agent === to.id ? [comesFrom(origin, source)] : [])],
    ...(native && { from: native.ref }),
    options: switchOptions({ ...options, thinking }),
    moves,
    ...(summarizer !== undefined && {
      summarizer: commandSummarizer(summarizer, context.output.message),
      summarizedBy: summarizer,
    }),
    ...(options.new && { anew: true }),
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(model !== undefined && { model }),
    ...(reason !== undefined && { reason }),
    ...(yes && { yes }),
    ...(dryRun && { dryRun }),
  });
}

/** All of it in a new session is seldom what is wanted. */
function comesFrom({ agent, originalId }: Origin, { header }: Source): string {
  return `This session was carried here from ${agent}:${originalId}: \`baton return ${nameOf(header)}\` adds only what is new to that one.`;
}

export function refuseEmpty({ skeleton }: Source, purpose: string): void {
  const seen = visiblePositions(skeleton).map((position) =>
    skeleton.injected(position) ? "injected" : skeleton.type(position),
  );
  if (
    seen.some(
      (type) => type === "user" || type === "assistant" || type === "tool_call" || type === "compaction",
    )
  )
    return;
  throw new BatonError(
    "refused",
    `There is nothing to ${purpose}: this session holds no message that a model would see.`,
    "`baton show SESSION` shows what it holds; messages that were taken back do not count.",
  );
}

/** Only where there is something to choose. */
async function askThinking(
  context: Context,
  source: Source,
  to: Adapter,
  model: string | undefined,
): Promise<"drop" | "convert"> {
  const blocks = await boundThinking(context, source, to, model);
  if (blocks === 0) return "drop";
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new BatonError("usage", "--thinking ask needs a terminal.", "Use --thinking drop or convert.");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal is readline's while it asks: Ctrl-C and the end of the input come from there.
  const onClose = () => onInterrupt("SIGINT");
  lines.once("close", onClose);
  try {
    const from = harmless(source.header.model.model);
    const found = `${counted(blocks, "thinking block")} ${blocks === 1 ? "is" : "are"} bound to ${from}.`;
    for (;;) {
      const answer = (await lines.question(`${found} [d]rop or [c]onvert to text? `)).trim().toLowerCase();
      if (answer !== "" && "convert".startsWith(answer)) return "convert";
      if (answer !== "" && "drop".startsWith(answer)) return "drop";
    }
  } finally {
    lines.off("close", onClose);
    lines.close();
  }
}
