// run: an agent live, with a prompt, on a new session or on any session of any agent.
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readOverrides } from "../../models/overrides.ts";
import { loadPrices } from "../../models/prices.ts";
import { type Runnable, runnable } from "../../run/agents.ts";
import { keepInStep } from "../../run/in-step.ts";
import { type LiveRun, type RunOptions, startRun } from "../../run/live.ts";
import { openRunLog } from "../../run/record.ts";
import { BatonError } from "../../session/error.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../session/events.ts";
import { holdSession } from "../../storage/runs.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { isFolder, notInstalled } from "../continue.ts";
import { whileChildHasTerminal } from "../interrupt.ts";
import { follow, promptOf } from "../live/follow.ts";
import { tellNotStarted } from "../live/not-started.ts";
import { type SwitchFlags, withSwitchOptions } from "../switch-options.ts";
import { tellSwitch } from "../switch-report.ts";
import { folderOf, modelOf } from "../values.ts";
import { version } from "../version.ts";
import { prepareResume } from "./resume.ts";

export interface Options extends SwitchFlags {
  prompt?: string;
  session?: string;
  model?: string;
  cwd?: string;
  permissionMode: PermissionMode;
  outputFormat: "text" | "stream-json";
  inputFormat: "text" | "stream-json";
  timeout: number;
  approvalTimeout: number;
  bell?: boolean;
  notify?: boolean;
  yes?: boolean;
}

export function define(command: Command, run: Run): void {
  withSwitchOptions(
    command
      .argument("<agent>", "one that `baton doctor` lists, or acp:COMMAND")
      .option("-p, --prompt <text>", "what to say (default: standard input)")
      .option("--session <session>", "go on with this session, of whatever agent it is")
      .option("--model <model>", "the model to run with", modelOf)
      .option("--cwd <dir>", "the folder to work in (default: the session's own, or this one)", folderOf)
      .addOption(
        new Option(
          "--permission-mode <mode>",
          "default: as the agent is set up; interactive: ask before every change; auto: allow; deny: refuse",
        )
          .choices([...PERMISSION_MODES])
          .default("default"),
      )
      .addOption(
        new Option("--output-format <format>", "stream-json: one event a line, for programs")
          .choices(["text", "stream-json"])
          .default("text"),
      )
      .addOption(
        new Option("--input-format <format>", "stream-json: prompts, approvals and interrupts, one a line")
          .choices(["text", "stream-json"])
          .default("text"),
      )
      .option("--timeout <seconds>", "how long the agent may say nothing", seconds, 300)
      .option("--approval-timeout <seconds>", "how long an approval is waited for", seconds, 300)
      .option("--bell", "ring when it has finished, failed or waits")
      .option("--notify", "the same as a notification on the desktop"),
  )
    .option("--yes", "go on although something would be missing, or somebody else has the session")
    .action((agent: string, options: Options) => run((context) => runAgent(context, agent, options)));
}

function seconds(given: string): number {
  const value = Number(given);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("Give a number of seconds.");
  return value;
}

async function runAgent(context: Context, name: string, options: Options): Promise<number> {
  let isStarted = false;
  const onStart = () => {
    isStarted = true;
  };
  try {
    return await runIn(context, name, options, onStart);
  } catch (error) {
    const isForProgram = options.outputFormat === "stream-json" && error instanceof BatonError;
    if (isStarted || !isForProgram) throw error;
    return tellNotStarted(context, name, options, error);
  }
}

async function runIn(context: Context, name: string, options: Options, onStart: () => void): Promise<number> {
  const agent = await runnable(name, await context.adapters(), context.home);
  const given = await promptOf(options);
  // Nothing is carried for a run that cannot be.
  if (agent.program === null && (given === undefined || options.session !== undefined))
    throw new BatonError("agent_not_installed", notInstalled(agent.who), "Install it, or put it into PATH.");
  const { letGo, ...place } = await placeOf(context, agent, options);
  try {
    return await runAt(context, { agent, given, place, options, onStart });
  } finally {
    letGo?.();
  }
}

interface Running {
  agent: Runnable;
  /** The prompt, unless somebody types or steers. */
  given: string | undefined;
  place: Place;
  options: Options;
  onStart(): void;
}

async function runAt(context: Context, { agent, given, place, options, onStart }: Running): Promise<number> {
  const { batonHome, home, output } = context;
  const id = process.getBuiltinModule("node:crypto").randomUUID();
  const problem = (what: string) => (error: unknown) =>
    output.warn(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  const facts = { batonHome, id, agent: agent.id, ...place };
  const log = await openRunLog({ ...facts, onProblem: problem("No record of this run can be kept") });
  const inStep =
    agent.adapter &&
    keepInStep({
      home,
      batonHome,
      place: agent.adapter,
      onProblem: problem("The catalog is not kept in step"),
    });
  const prices = await pricesOf(context, agent);
  const start = (hasApprover: boolean): LiveRun => {
    onStart();
    return startRun({
      ...agentOptions(context, agent, options),
      ...prices,
      onPrompt: log.prompt,
      keepInput: log.keepInput,
      id,
      hasApprover,
      request: requestOf(context, options, place),
    });
  };
  try {
    return await whileChildHasTerminal(() => follow({ context, agent, options, given, start, log }));
  } finally {
    await log.close();
    await inStep?.close();
  }
}

interface Place {
  cwd: string;
  session?: string;
}

/** Where it runs, and which session goes on: one of another agent is carried first. */
async function placeOf(
  context: Context,
  agent: Runnable,
  options: Options,
): Promise<Place & { letGo?(): void }> {
  const { session, cwd } = options;
  if (session === undefined) {
    const folder = resolve(cwd ?? ".");
    if (isFolder(folder)) return { cwd: folder };
    throw new BatonError("not_found", `There is no folder ${folder}.`, "Name another with --cwd.");
  }
  if (!agent.adapter)
    throw new BatonError(
      "unsupported",
      "Sessions cannot be carried into an agent that Baton knows only by its command.",
      "Leave --session out, or run one of the agents that `baton doctor` lists.",
    );
  const carried = await prepareResume(context, session, { ...options, in: agent.id, exec: true });
  const letGo = await held(context, agent, carried.originalId, options);
  if (carried.isLive && !options.yes) {
    letGo();
    throw busy(`A running ${agent.who.label} seems to have this session open.`);
  }
  for (const warning of carried.warnings) context.output.warn(warning);
  if (carried.analysis) tellSwitch(carried.analysis, context.output);
  if (carried.done !== "") context.output.message(carried.done);
  return { cwd: carried.command.cwd, session: carried.originalId, letGo };
}

/** Of two that write to one session, one loses its turns, or gets the other's. */
async function held(
  { batonHome, output }: Context,
  { id }: Runnable,
  session: string,
  { yes }: Options,
): Promise<() => void> {
  const letGo = await holdSession(batonHome, { agent: id, session });
  if (letGo) return letGo;
  const sentence = "Another run of Baton goes on with this session.";
  if (!yes) throw busy(sentence);
  output.warn(sentence);
  return () => undefined;
}

function busy(sentence: string): BatonError {
  const hint =
    "Wait until it has ended, or go on in a copy: `baton fork SESSION`. --yes goes on all the same, and turns may be lost.";
  return new BatonError("busy", sentence, hint);
}

function requestOf(
  { home }: Context,
  { model, permissionMode }: Options,
  place: Place,
): RunOptions["request"] {
  return { home, mode: permissionMode, version: version(), ...place, ...(model !== undefined && { model }) };
}

function agentOptions(
  { environment, output }: Context,
  { id, provider, driver, program, who }: Runnable,
  { timeout, approvalTimeout }: Options,
) {
  return {
    agent: id,
    provider,
    driver,
    program,
    who,
    env: { ...process.env, ...environment },
    silenceMs: timeout * 1000,
    approvalTimeoutMs: approvalTimeout * 1000,
    // Logs name who complains, because several may run at once.
    onComplaint: (line: string) => output.detail(`[${id}] ${line}`),
  };
}

async function pricesOf({ batonHome }: Context, { adapter }: Runnable): Promise<Pick<RunOptions, "priced">> {
  if (!adapter) return {};
  return { priced: { find: await loadPrices(readOverrides(batonHome)), provider: adapter.provider } };
}
