// models: what is known of models: names, vendors, windows and prices.
import type { Command } from "commander";
import { knownModels, type ModelRow } from "../../models/list.ts";
import { readOverrides } from "../../models/overrides.ts";
import { loadPrices } from "../../models/prices.ts";
import { BADGES } from "../../models/providers.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import type { Output } from "../output.ts";
import { harmless, padded, widthOf } from "../text.ts";
import { short } from "../usage-table.ts";

export function define(command: Command, run: Run): void {
  command.action(() => run(models));
}

async function models({ output, batonHome }: Context): Promise<undefined> {
  const overrides = readOverrides(batonHome);
  const rows = knownModels(overrides, await loadPrices(overrides));
  if (output.isJson) await output.json({ models: rows, providers: BADGES });
  else for (const line of table(rows, output)) await output.write(`${line}\n`);
}

const HEADINGS = ["model", "id", "provider", "window", "input", "output", "cache read", "cache write"];
/** From here on numbers, which stand under each other. */
const NUMBERS = 3;

/** Prices are US dollars for a million tokens. */
function table(rows: readonly ModelRow[], { colors, width }: Pick<Output, "colors" | "width">): string[] {
  const cells = rows.map(({ id, display, provider, window, prices }) => [
    harmless(display),
    harmless(id),
    provider,
    window === null ? "" : short(window),
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
const LEAST = ["cache write", "cache read", "provider", "window"];

function fitting(widths: readonly number[], width: number): number[] {
  let shown = widths.map((_, at) => at);
  const isTooWide = () =>
    shown.reduce((sum, at) => sum + (widths[at] ?? 0) + GAP.length, 0) - GAP.length > width;
  for (const name of LEAST) if (isTooWide()) shown = shown.filter((at) => HEADINGS[at] !== name);
  return shown;
}

const GAP = "  ";
