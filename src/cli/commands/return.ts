// return: bring the turns that were made in another agent back into the original session.
import { type Command, Option } from "commander";
import { readOverrides } from "../../models/overrides.ts";
import { loadPrices } from "../../models/prices.ts";
import { BatonError } from "../../session/error.ts";
import { operations } from "../../storage/operations.ts";
import { bringBack, type Returned } from "../../switch/return.ts";
import { type Run, SESSION } from "../command.ts";
import type { Context } from "../context.ts";
import { carriedWhat, checkExec, folderWarnings, type GoOn, goOn, installed } from "../continue.ts";
import { redaction } from "../redaction.ts";
import { type Opened, openRecorded } from "../session.ts";

interface Options {
  thinking: "drop" | "convert";
  reason?: string;
  dryRun?: boolean;
  exec?: boolean;
  yes?: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .argument("<session>", `the session that was carried: ${SESSION}`)
    .addOption(
      new Option("--thinking <policy>", "what becomes of thinking in the original's agent")
        .choices(["drop", "convert"])
        .default("drop"),
    )
    .option("--reason <text>", "why, for the record")
    .option("--dry-run", "only say what would happen")
    .option("--exec", "start the agent instead of printing its command")
    .option("--yes", "go on although something would be missing")
    .action((name: string, options: Options) => run((context) => giveBack(context, name, options)));
}

async function giveBack(context: Context, name: string, options: Options): Promise<number> {
  checkExec(context, options);
  const { source, native } = await opened(context, name);
  if (!native)
    throw new BatonError("usage", `${name} is a file, not a session of an agent.`, "Name a session.");
  const { home, batonHome } = context;
  const overrides = readOverrides(batonHome);
  const [adapters, price] = await Promise.all([context.adapters(), loadPrices(overrides)]);
  const { thinking, dryRun, yes, reason, exec = false } = options;
  const redactor = redaction();
  const about: string[] = [];
  const returned = await bringBack({
    source,
    ref: native.ref,
    adapters,
    home,
    batonHome,
    thinking,
    overrides,
    price,
    ...(reason !== undefined && { reason }),
    ...(redactor && { redactor }),
    ...(dryRun && { dryRun }),
    ...(yes && { yes }),
    installed: (to) => installed(context, to, !yes && !dryRun),
    goesOnIn: (cwd) => about.push(...folderWarnings(cwd, exec, "The agent needs it to go on.")),
  });
  const to = adapters.find(({ id }) => id === returned.agent);
  const warnings = [...returned.warnings, ...(returned.problems ?? []), ...about];
  return goOn(context, { ...shown(returned, to?.label ?? returned.agent), warnings }, exec);
}

function shown(returned: Returned, label: string): Omit<GoOn, "warnings"> {
  const { operation, isNothing, isExtended, counts } = returned;
  const isDryRun = operation === null && !isNothing;
  const into = isExtended ? `${label} session ${returned.originalId}` : `a new ${label} session`;
  const what = carriedWhat(counts);
  const done = isDryRun
    ? `This would return ${what} into ${into}. Nothing was written.`
    : `Returned ${what} into ${into}. \`baton undo ${operation}\` takes it back.`;
  return { ...returned, done: isNothing ? "" : done, isDryRun };
}

/** A session that is gone may still be known from when it was made. */
async function opened(context: Context, name: string): Promise<Opened> {
  try {
    return await openRecorded(context, name);
  } catch (error) {
    if (!(error instanceof BatonError) || error.code !== "not_found") throw error;
    const { operations: all } = await operations(context.batonHome);
    const made = all.find(({ facts: { agent, originalId, kind } }) => {
      const isNamed = originalId.startsWith(name) || `${agent}:${originalId}`.startsWith(name);
      return kind !== "return" && isNamed;
    });
    if (!made || name.length < 4) throw error;
    const { agent, originalId, source, path } = made.facts;
    const what = made.state === "undone" ? "was taken back by `baton undo`" : "is no longer in its store";
    throw new BatonError(
      "not_found",
      `${agent}:${originalId} ${what}, so there is nothing to return from it. It was at ${path}.`,
      `The original is as it was: \`baton resume ${source}\` goes on with it.`,
      error,
    );
  }
}
