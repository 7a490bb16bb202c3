// usage: tokens and cost of all sessions, by day, agent, model, project or session.
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { adapterNamed } from "../../adapters/named.ts";
import { hereIn, storesIn } from "../../catalog/here.ts";
import { GROUPINGS, type Grouping, type UsageReport, usageOf } from "../../catalog/usage/usage.ts";
import { type Overrides, readOverrides } from "../../models/overrides.ts";
import { loadPrices } from "../../models/prices.ts";
import { withCatalog } from "../catalog.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { counted } from "../text.ts";
import { priceText, usageTable } from "../usage-table.ts";
import { folderOf, namesOf, sinceOf } from "../values.ts";

interface Options {
  by: Grouping;
  since?: Date;
  agent?: string[];
  project?: string;
}

export function define(command: Command, run: Run): void {
  command
    .addOption(new Option("--by <what>", "what to sum up by").choices(GROUPINGS).default("day"))
    .option("--since <time>", "only messages since: a date, or 30m, 12h, 3d, 2w ago", sinceOf)
    .option("--agent <agents...>", "only sessions of these agents, also with commas", namesOf)
    .option("--project <dir>", "only sessions in this folder or below", folderOf)
    .action((options: Options) => run((context) => usage(context, options)));
}

async function usage(context: Context, { agent, project, ...rest }: Options): Promise<undefined> {
  const { output, batonHome } = context;
  const adapters = await context.adapters();
  for (const name of agent ?? []) adapterNamed(name, adapters);
  const models = readOverrides(batonHome);
  const prices = await loadPrices(models);
  const query = {
    ...rest,
    ...(agent && { agents: agent }),
    ...(project !== undefined && { project: resolve(project) }),
  };
  const isHere = hereIn(storesIn(context.home, adapters));
  const [report, sessions] = await withCatalog<[UsageReport, number]>(
    context,
    { words: false },
    ({ shards }, found) => [usageOf(shards, { ...query, isHere }, prices), found.sessions],
  );
  const isFiltered = agent !== undefined || project !== undefined || rest.since !== undefined;
  if (output.isJson) await output.json(report);
  else if (report.rows.length === 0) output.message(whyNone(sessions, isFiltered));
  else await print(context, report, models);
}

function whyNone(sessions: number, isFiltered: boolean): string {
  if (sessions === 0) return "No tokens found. `baton doctor` shows which stores were looked at.";
  const where = `in ${counted(sessions, "session")}.`;
  return isFiltered ? `No tokens that match ${where} Fewer filters count more.` : `No tokens found ${where}`;
}

async function print(context: Context, report: UsageReport, models: Overrides): Promise<void> {
  const { output, home } = context;
  const labels = { home: home.dir, displayName: models.displayName };
  for (const line of usageTable(report, labels, output)) await output.write(`${line}\n`);
  const { cost, unpriced } = report.total;
  if (cost.computed + cost.estimated > 0)
    output.message(
      "computed: what the tokens cost at the vendors' API prices; not a bill. --verbose shows prices.",
    );
  if (unpriced.messages > 0) {
    const names = report.models.filter(({ matched }) => matched === null).map(({ model }) => model);
    output.message(`unpriced: no price is known for ${names.join(", ")}. models.json can give one.`);
  }
  for (const model of report.models)
    if (model.matched !== null) output.detail(`${model.model}: ${model.matched}, ${priceText(model.prices)}`);
}
