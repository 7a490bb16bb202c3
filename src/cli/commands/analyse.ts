// analyse: what a switch to another agent or model would keep, change and lose, before anything is written.
import { resolve } from "node:path";
import type { Command } from "commander";
import { readOverrides } from "../../models/overrides.ts";
import { loadPrices } from "../../models/prices.ts";
import { type AnalyseRequest, analysed, type SwitchAnalysis } from "../../switch/analyse.ts";
import { nameOf } from "../../switch/name.ts";
import { type Prepared, prepareSwitch } from "../../switch/prepare-switch.ts";
import { preparedConversation } from "../../switch/prepared-conversation.ts";
import { type Run, SESSION } from "../command.ts";
import type { Context } from "../context.ts";
import { batonIn } from "../in-home.ts";
import { redaction } from "../redaction.ts";
import { openSession } from "../session.ts";
import { commandSummarizer } from "../summarizer.ts";
import { type SwitchFlags, switchOptions, withSwitchOptions } from "../switch-options.ts";
import { reportLines } from "../switch-report.ts";
import { shellWord } from "../text.ts";
import { modelOf } from "../values.ts";
import { agentFor } from "./resume.ts";

interface Options extends SwitchFlags {
  to: string;
  model?: string;
  cwd?: string;
  prepared?: boolean;
}

export function define(command: Command, run: Run): void {
  withSwitchOptions(
    command
      .argument("<session>", SESSION)
      .requiredOption("--to <agent>", "the agent that would go on")
      .option(
        "--model <model>",
        "the model that would go on (default: the one that the agent is set to)",
        modelOf,
      )
      .option("--cwd <dir>", "the folder to go on in (default: the session's own)")
      .option("--prepared", "print the conversation as the target's model would be sent it, as JSON"),
  ).action((name: string, options: Options) => run((context) => look(context, name, options)));
}

async function look(context: Context, name: string, options: Options): Promise<undefined> {
  const { output, home, batonHome } = context;
  const { source, native } = await openSession(context, name);
  const to = await agentFor(context, { source, path: "" }, options.to);
  const overrides = readOverrides(batonHome);
  const [installed, price, adapters] = await Promise.all([
    to.version(home),
    loadPrices(overrides),
    context.adapters(),
  ]);
  const progress = output.progress("Reading the session");
  const request: AnalyseRequest = {
    source,
    to,
    home,
    adapters,
    overrides,
    price,
    installed,
    asks: true,
    options: switchOptions(options),
    onProgress: (done, total) => progress.at(done, total),
    ...(native && { from: native.ref }),
    ...(options.model !== undefined && { model: options.model }),
    ...(options.cwd !== undefined && { cwd: resolve(options.cwd) }),
    ...(options.summarizer !== undefined &&
      options.prepared && { summarizer: commandSummarizer(options.summarizer, output.message) }),
  };
  const prepared = await prepareSwitch(request).finally(() => progress.end());
  const { analysis } = await analysed(prepared, request);
  if (options.prepared)
    return output.json(await preparedConversation(prepared, analysis)) as Promise<undefined>;
  if (output.isJson) return output.json(analysis) as Promise<undefined>;
  const lines = reportLines(analysis, { ...output, isWhole: true });
  const named = native ? nameOf(source.header) : name;
  const command = [batonIn(context.environment.HOME), ...(redaction() ? ["--redact"] : [])].join(" ");
  await output.write(`${[...lines, ...next(command, analysis, prepared, named, options)].join("\n")}\n`);
}

/** What to type to do just that. */
function next(
  baton: string,
  { canSwitch, requiresSummarization }: SwitchAnalysis,
  prepared: Prepared,
  name: string,
  options: Options,
) {
  if (!canSwitch) return ["Next     nothing: this switch cannot be made"];
  const isHopeless = requiresSummarization && prepared.impossible !== undefined;
  if (isHopeless) return ["Next     a model with a larger window; `baton models` lists them"];
  const {
    model,
    budget,
    cwd,
    history,
    thinking,
    toolHistory = true,
    systemPrompt = true,
    summarizer,
  } = options;
  const strategy = requiresSummarization ? (options.strategy ?? "hybrid") : undefined;
  const words = Object.entries({
    in: prepared.target.agent.id,
    model,
    cwd,
    history: history === "visible" ? undefined : history,
    thinking: thinking === "drop" ? undefined : thinking,
    strategy,
    budget,
    summarizer: strategy === undefined ? undefined : summarizer,
  }).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag} ${shellWord(String(value))}`]));
  const left = [
    ...(toolHistory ? [] : ["--no-tool-history"]),
    ...(systemPrompt ? [] : ["--no-system-prompt"]),
  ];
  return [`Next     ${baton} resume ${[shellWord(name), ...words, ...left].join(" ")}`];
}
