// compare: two sessions aligned by prompt, what was done in each and what it took.
import type { Command } from "commander";
import { displayName } from "../../models/names.ts";
import type { Source } from "../../session/source.ts";
import { compare } from "../../transform/compare.ts";
import { thread, visible } from "../../transform/visible.ts";
import { type Run, SESSION } from "../command.ts";
import { comparisonText, leftOut, type Side } from "../comparison.ts";
import type { Context } from "../context.ts";
import { page } from "../pager.ts";
import { pricesFor } from "../prices.ts";
import { openSession } from "../session.ts";

interface Options {
  visible?: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .argument("<first>", SESSION)
    .argument("<second>", "the same")
    .option("--visible", "only what the model would see if the agent resumed now")
    .action((first: string, second: string, options: Options) =>
      run((context) => compareSessions(context, first, second, options)),
    );
}

async function compareSessions(
  context: Context,
  first: string,
  second: string,
  options: Options,
): Promise<undefined> {
  const { output } = context;
  const [a, b] = [await openSession(context, first), await openSession(context, second)];
  const streamOf = (source: Source) => (options.visible ? visible(source) : thread(source));
  const found = await compare(streamOf(a.source), streamOf(b.source), await pricesFor(context.batonHome));
  const compared = { a: sideOf(a.source), b: sideOf(b.source), ...found };
  if (output.isJson) return output.json(compared).then(() => undefined);
  const { colors, width, isVerbose } = output;
  await page(lines(comparisonText(compared, { colors, width, isWhole: isVerbose })), output);
  for (const side of ["a", "b"] as const) {
    const told = leftOut(compared[side], compared.totals[side]);
    if (told !== undefined) output.message(told);
  }
}

function sideOf({ header }: Source): Side {
  const { id, source, title = "", project, model, metadata } = header;
  return {
    id,
    agent: source.cli,
    title,
    project: project.path,
    model: model.model,
    modelDisplay: displayName(model.model),
    tokens: metadata.tokens ?? null,
  };
}

async function* lines(texts: Iterable<string>): AsyncGenerator<string> {
  for (const text of texts) yield `${text}\n`;
}
