// list: the sessions of every agent, newest first.
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapterNamed } from "../../catalog/locate.ts";
import { type Page, type Query, query, SORTS } from "../../catalog/query.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { sessionTable } from "../table.ts";
import { counted } from "../text.ts";

interface Options extends Omit<Query, "agents"> {
  agent?: string[];
  archived?: boolean;
}

/** On a terminal, where the newest would scroll away. */
const SHOWN = 30;

export function define(command: Command, run: Run): void {
  command
    .option("--agent <agents...>", "only sessions of these agents")
    .option("--provider <provider>", "only sessions with this provider's badge")
    .option("--project <dir>", "only sessions in this folder or below")
    .option("--model <model>", "only sessions whose model's name holds this")
    .option("--since <time>", "only sessions changed since: a date, or 30m, 12h, 3d, 2w ago", sinceOf)
    .option("--errors", "only sessions whose files have problems")
    .option("--min-cost <dollars>", "only sessions that cost at least this", numberOf)
    .addOption(new Option("--sort <order>", "what to sort by").choices(SORTS).default("updated"))
    .option("--limit <count>", "at most this many", countOf)
    .option("--offset <count>", "leave out the first ones", countOf)
    .option("--subagents", "subagents' sessions too")
    .option("--archived", "also sessions whose native file is gone")
    .addOption(new Option("--format <format>", "how to print them").choices(["table"]).default("table"))
    .action((options: Options) => run((context) => list(context, options)));
}

async function list(context: Context, options: Options): Promise<undefined> {
  const { output, home } = context;
  const adapters = await context.adapters();
  const { agent, project, ...rest } = options;
  for (const name of agent ?? []) adapterNamed(name, adapters);
  const limit = options.limit ?? (output.isTerminal && !output.isJson ? SHOWN : undefined);
  const progress = output.progress("Reading sessions:");
  const problems: string[] = [];
  const page = await query(
    home,
    adapters,
    {
      ...rest,
      ...(agent && { agents: agent }),
      ...(project !== undefined && { project: resolve(project) }),
      ...(limit !== undefined && { limit }),
    },
    { onRead: progress.at, onProblem: (path, error) => problems.push(`${path}: ${error.message}`) },
  );
  progress.end();
  if (problems.length > 0)
    output.warn(
      `${counted(problems.length, "place")} could not be looked at: ${problems[0]}. \`baton doctor\` shows all.`,
    );
  if (options.archived)
    output.warn("--archived has no effect yet: sessions whose native file is gone are not kept.");
  if (output.isJson) await output.json(page);
  else await printTable(context, adapters, page);
}

async function printTable(context: Context, adapters: readonly Adapter[], page: Page): Promise<void> {
  const { output, home } = context;
  const { sessions, total, hasMore } = page;
  if (sessions.length === 0)
    return output.message("No sessions found. `baton doctor` shows which stores were looked at.");
  for (const line of sessionTable(sessions, adapters, output, home.dir)) await output.write(`${line}\n`);
  if (hasMore) output.message(`${sessions.length} of ${total} sessions. --limit and --offset show others.`);
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

function sinceOf(text: string): Date {
  const relative = /^(\d+)([mhdw])$/.exec(text);
  const time = relative
    ? new Date(Date.now() - Number(relative[1]) * UNITS[relative[2] as keyof typeof UNITS])
    : new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError("Give a date, or 30m, 12h, 3d, 2w.");
  return time;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("Give a number.");
  return value;
}

function countOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Give a whole number.");
  return Number(text);
}
