// models: what is known of models: names, vendors, windows, abilities and prices; of one model everything.
import type { Command } from "commander";
import { aliased, DEFAULT_MODELS, FAMILIES } from "../../models/defaults.ts";
import { familyOf } from "../../models/facts.ts";
import { SOURCE } from "../../models/known.ts";
import { knownModels, type ModelRow, modelRow } from "../../models/list.ts";
import { idNamed, modelOf } from "../../models/names.ts";
import { readOverrides } from "../../models/overrides.ts";
import { loadPrices } from "../../models/prices.ts";
import { BADGES } from "../../models/providers.ts";
import { RATE_LIMITS, RATE_LIMITS_SOURCE, type RateLimit, rateLimitsOf } from "../../models/rate-limits.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import type { Output } from "../output.ts";
import { harmless, padded, widthOf } from "../text.ts";
import { priceText, short } from "../usage-table.ts";

export function define(command: Command, run: Run): void {
  command
    .argument("[model]", "one model, in any spelling (default: all that are known)")
    .action((id: string | undefined) =>
      run((context) => (id === undefined ? models(context) : oneModel(context, aliased(idNamed(id))))),
    );
}

async function models({ output, batonHome }: Context): Promise<undefined> {
  const overrides = readOverrides(batonHome);
  const rows = knownModels(overrides, await loadPrices(overrides));
  if (output.isJson) {
    await output.json({
      source: SOURCE,
      models: rows,
      defaults: DEFAULT_MODELS,
      providers: BADGES,
      rateLimits: RATE_LIMITS,
      rateLimitsSource: RATE_LIMITS_SOURCE,
    });
    return;
  }
  for (const line of table(rows, output)) await output.write(`${line}\n`);
  output.message(`${FROM} \`baton models MODEL\` shows all of one.`);
  for (const limit of RATE_LIMITS)
    output.detail(`${limitName(limit)}: ${limitText(limit)}; ${limit.strategy}`);
}

async function oneModel({ output, batonHome }: Context, id: string): Promise<undefined> {
  const overrides = readOverrides(batonHome);
  const row = modelRow(id, overrides, await loadPrices(overrides));
  const family = familyOf(id);
  // Whoever serves open weights has limits of their own.
  const rateLimits = family === "other" ? [] : rateLimitsOf(row.provider);
  if (output.isJson) {
    await output.json({ source: SOURCE, model: row, assumed: row.known ? null : family, rateLimits });
    return;
  }
  for (const [name, value] of factLines(row, rateLimits)) await output.write(`${padded(name, 10)}${value}\n`);
  if (row.known) output.message(modelOf(id) ? FROM : "From models.json; what it does not say is assumed.");
  else
    output.message(
      `Not known: this is assumed of ${FAMILIES[family]}. models.json can say better (docs/models.md).`,
    );
}

const FROM = `From ${SOURCE.name}, ${SOURCE.date}.`;

function factLines(row: ModelRow, limits: readonly RateLimit[]): [name: string, value: string][] {
  const { prices, matched } = row;
  return [
    ["model", harmless(row.display)],
    ["id", harmless(row.id)],
    ["vendor", row.vendor ?? "unknown"],
    ["window", `${row.window.toLocaleString("en")} tokens`],
    ["output", `${row.output.toLocaleString("en")} tokens`],
    ["takes", row.input.join(", ")],
    ["tools", row.tools ? "yes" : "no"],
    ["thinking", row.thinking],
    ["caching", row.caching ? "yes" : "no"],
    ["price", prices ? `${priceText(prices)} (${harmless(matched ?? "")})` : "not known"],
    ...limits.map((limit): [string, string] => [
      "limit",
      `${limitText(limit)}${limit.tier ? ` (${limit.tier})` : ""}`,
    ]),
  ];
}

function limitName({ provider, tier }: RateLimit): string {
  return tier === undefined ? provider : `${provider}, ${tier}`;
}

function limitText({ requestsPerMinute, tokensPerMinute }: RateLimit): string {
  if (requestsPerMinute === null || tokensPerMinute === null) return "differs";
  return `about ${requestsPerMinute.toLocaleString("en")} requests and ${short(tokensPerMinute)} tokens a minute`;
}

const HEADINGS = [
  "model",
  "id",
  "provider",
  "thinking",
  "takes",
  "window",
  "input",
  "output",
  "cache read",
  "cache write",
];
/** From here on numbers, which stand under each other. */
const NUMBERS = 5;

/** Prices are US dollars for a million tokens. */
function table(rows: readonly ModelRow[], { colors, width }: Pick<Output, "colors" | "width">): string[] {
  const cells = rows.map(({ id, display, provider, thinking, input, window, prices }) => [
    harmless(display),
    harmless(id),
    provider,
    thinking,
    input.join(" "),
    short(window),
    ...[prices?.input, prices?.output, prices?.cacheRead, prices?.cacheWrite].map((price) =>
      price === undefined ? "" : `$${price}`,
    ),
  ]);
  const all = [HEADINGS, ...cells];
  const widths = HEADINGS.map((_, at) => Math.max(...all.map((row) => widthOf(row[at] ?? ""))));
  const shown = fitting(widths, width);
  const line = (row: readonly string[]) =>
    shown
      .map((at) =>
        at < NUMBERS ? padded(row[at] ?? "", widths[at] ?? 0) : (row[at] ?? "").padStart(widths[at] ?? 0),
      )
      .join(GAP)
      .trimEnd();
  return [colors.dim(line(HEADINGS)), ...cells.map(line)];
}

/** The first of these columns that do not fit are left out; --json has them all. */
const LEAST = ["takes", "cache write", "cache read", "thinking", "provider", "window"];

function fitting(widths: readonly number[], width: number): number[] {
  let shown = widths.map((_, at) => at);
  const isTooWide = () =>
    shown.reduce((sum, at) => sum + (widths[at] ?? 0) + GAP.length, 0) - GAP.length > width;
  for (const name of LEAST) if (isTooWide()) shown = shown.filter((at) => HEADINGS[at] !== name);
  return shown;
}

const GAP = "  ";
