// list: the sessions of every agent, newest first.
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapterNamed } from "../../catalog/locate.ts";
import { type Page, type Query, query, SORTS } from "../../catalog/query.ts";
import type { SessionSummary } from "../../catalog/scan.ts";
import { badge } from "../badge.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { ago, cut, padded, shortPath, widthOf } from "../text.ts";

interface Options extends Omit<Query, "agents"> {
  agent?: string[];
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
  const page = await query(
    home,
    adapters,
    {
      ...rest,
      ...(agent && { agents: agent }),
      ...(project !== undefined && { project: resolve(project) }),
      ...(limit !== undefined && { limit }),
    },
    progress.at,
  );
  progress.end();
  if (output.isJson) await output.json(page);
  else await printTable(context, adapters, page);
}

async function printTable(context: Context, adapters: readonly Adapter[], page: Page): Promise<void> {
  const { output, home } = context;
  if (page.sessions.length === 0)
    return output.message("No sessions found. `baton doctor` shows which stores were looked at.");
  const rows = page.sessions.map((row) => cellsOf(row, home.dir));
  const widths = columnWidths(rows, output.width);
  const { colors } = output;
  for (const [at, cells] of rows.entries()) {
    const [id, agent, title, project, messages, when] = cells.map((cell, column) =>
      padded(cut(cell, widths[column] ?? 0), widths[column] ?? 0),
    ) as [string, string, string, string, string, string];
    const problems = page.sessions[at]?.problems.length ? colors.yellow("!") : " ";
    const colored = agent.replace(/\S+/, (name) => badge(name, adapters, colors));
    const line = [
      colors.dim(id),
      colored,
      `${problems}${title}`,
      colors.dim(project),
      messages,
      colors.dim(when),
    ];
    await output.write(`${line.join("  ").trimEnd()}\n`);
  }
  if (page.hasMore)
    output.message(`${page.sessions.length} of ${page.total} sessions. --limit and --offset show others.`);
}

function cellsOf(row: SessionSummary, home: string): string[] {
  const title = row.title || row.problems[0] || row.path;
  return [row.id, row.agent, title, shortPath(row.project, home), String(row.messageCount), ago(row.updated)];
}

const TITLE = 2;
const PROJECT = 3;
const NARROWEST_TITLE = 16;

/** Every column as wide as its content; the title and the project give way to the terminal. */
function columnWidths(rows: readonly string[][], width: number): number[] {
  const widths = rows.reduce<number[]>(
    (widest, cells) => cells.map((cell, at) => Math.max(widest[at] ?? 0, widthOf(cell))),
    [],
  );
  const gaps = 2 * (widths.length - 1) + 1;
  const over = () => widths.reduce((sum, one) => sum + one, gaps) - width;
  const shrink = (column: number, least: number) => {
    const own = widths[column] ?? 0;
    widths[column] = Math.max(Math.min(own, least), own - Math.max(0, over()));
  };
  shrink(PROJECT, NARROWEST_TITLE);
  shrink(TITLE, NARROWEST_TITLE);
  shrink(PROJECT, 0);
  return widths;
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
