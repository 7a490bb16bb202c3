// list: the sessions of every agent, newest first.
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Place } from "../../adapters/adapter.ts";
import { adapterNamed } from "../../adapters/named.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import { hereIn, type Stores, storesIn } from "../../catalog/here.ts";
import { listSessions, type Page, providersIn, type Query, SORTS } from "../../catalog/query.ts";
import { sessionIndex } from "../../catalog/session-index.ts";
import type { SessionCosts } from "../../catalog/usage/session-costs.ts";
import { type Overrides, readOverrides } from "../../models/overrides.ts";
import { providerNamed } from "../../models/providers.ts";
import { withCatalog } from "../catalog.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { sessionTable } from "../table.ts";
import { counted } from "../text.ts";
import { countOf, folderOf, namesOf, sinceOf } from "../values.ts";

interface Options extends Omit<Query, "agents"> {
  agent?: string[];
  format: "table" | "session-index";
}

/** On a terminal, where the newest would scroll away. */
const SHOWN = 30;

export function define(command: Command, run: Run): void {
  command
    .option("--agent <agents...>", "only sessions of these agents, also with commas", namesOf)
    .option("--provider <provider>", "only sessions with this provider's badge")
    .option("--project <dir>", "only sessions in this folder or below", folderOf)
    .option("--model <model>", "only sessions whose model's name or id holds this")
    .option("--since <time>", "only sessions changed since: a date, or 30m, 12h, 3d, 2w ago", sinceOf)
    .option("--errors", "only sessions whose files have problems")
    .option("--min-cost <dollars>", "only sessions that cost at least this", numberOf)
    .addOption(new Option("--sort <order>", "what to sort by").choices(SORTS).default("updated"))
    .option("--limit <count>", "at most this many", countOf)
    .option("--offset <count>", "leave out the first ones", countOf)
    .option("--subagents", "subagents' sessions too")
    .option("--archived", "also sessions whose native file is gone")
    .addOption(
      new Option("--format <format>", "how to print them")
        .choices(["table", "session-index"])
        .default("table"),
    )
    .action((options: Options) => run((context) => list(context, options)));
}

async function list(context: Context, options: Options): Promise<undefined> {
  const { output } = context;
  const places = await context.places();
  const { agent, project, format, ...rest } = options;
  const asked = agent?.map((name) => adapterNamed(name, places));
  const isIndex = format === "session-index";
  const isShort = output.isTerminal && !output.isJson && !isIndex;
  const limit = options.limit ?? (isShort ? SHOWN : undefined);
  const wanted: Query = {
    ...rest,
    ...(agent && { agents: agent }),
    ...(project !== undefined && { project: resolve(project) }),
    ...(limit !== undefined && { limit }),
  };
  const newest = newestNeeded(wanted);
  const syncing = {
    words: false,
    ...(newest !== undefined && { newest }),
    ...(asked && { places: asked }),
  };
  await withCatalog(context, syncing, async (catalog, report) => {
    if (options.provider !== undefined)
      providerNamed(options.provider, [...places.map(({ badge }) => badge), ...providersIn(catalog)]);
    // Loaded only then: it reads sessions, which a list does not.
    if (options.archived) await (await import("../archiving.ts")).addGone(context, catalog);
    const stores = storesIn(context.home, places);
    const models = modelsOf(context);
    const isCosted = output.isJson || isIndex || isAboutCost(wanted);
    const costs = isCosted ? { costs: await costsOf(catalog, models, stores) } : {};
    // Sessions that were not read yet are not in the catalog, but they are there.
    const known = newest === undefined ? {} : { total: report.sessions };
    const page = listSessions(catalog, wanted, { isHere: hereIn(stores), models, ...costs, ...known });
    const { total } = page;
    const whole = { ...page, hasMore: (wanted.offset ?? 0) + page.sessions.length < total };
    if (isIndex) await output.json(sessionIndex(page.sessions));
    else if (output.isJson) await output.json(whole);
    else if (page.sessions.length === 0) output.message(whyNone(total, report.sessions));
    else await printTable(context, places, whole, isAboutCost(wanted));
  });
}

const isAboutCost = ({ sort, minCost }: Query) => sort === "cost" || minCost !== undefined;

function modelsOf({ output, batonHome }: Context): Overrides {
  return readOverrides(batonHome, ({ message, hint }) =>
    output.warn(`${message} Our own names and prices are taken. ${hint}`),
  );
}

/** What every session cost is asked for only where it is shown: it may take longer than all the rest. */
async function costsOf(catalog: Catalog, models: Overrides, stores: Stores): Promise<SessionCosts> {
  const { keptCosts } = await import("../../catalog/usage/kept-costs.ts");
  const { loadPrices, priceStamp } = await import("../../models/prices.ts");
  return keptCosts(catalog, [priceStamp(models), stores], async () => {
    const { sessionCosts } = await import("../../catalog/usage/session-costs.ts");
    return sessionCosts(catalog.shards, await loadPrices(models), hereIn(stores));
  });
}

/** Of the newest no more need to be read than are shown; filters and other orders need them all. */
function newestNeeded({ limit, offset = 0, agents: _, ...wanted }: Query): number | undefined {
  const isFiltered = Object.entries(wanted).some(([name, value]) => name !== "sort" && value !== undefined);
  const isNewest = wanted.sort === undefined || wanted.sort === "updated";
  return limit !== undefined && isNewest && !isFiltered ? limit + offset : undefined;
}

/** `total`: of those that match; `all`: that are there. */
function whyNone(total: number, all: number): string {
  if (total > 0) return `None of ${counted(total, "session")} is shown. --limit and --offset show others.`;
  if (all > 0) return `No match among ${counted(all, "session")}. Fewer filters show more.`;
  return "No sessions found. `baton doctor` shows which stores were looked at.";
}

async function printTable(
  context: Context,
  places: readonly Place[],
  page: Page,
  withCost: boolean,
): Promise<void> {
  const { output, home } = context;
  const { sessions, total, hasMore } = page;
  const lines = sessionTable(sessions, places, output, home.dir, withCost);
  await output.write(`${lines.join("\n")}\n`);
  if (hasMore) output.message(`${sessions.length} of ${total} sessions. --limit and --offset show others.`);
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("Give a number.");
  return value;
}
