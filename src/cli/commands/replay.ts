// replay: goes through a session step by step, on the screen or as text.
import { type Command, InvalidArgumentError } from "commander";
import { BatonError } from "../../session/error.ts";
import type { Source } from "../../session/source.ts";
import { type Steps, stepsOf } from "../../transform/steps.ts";
import { thread, visible } from "../../transform/visible.ts";
import { badge } from "../badge.ts";
import { type Run, SESSION } from "../command.ts";
import type { Context } from "../context.ts";
import { hasScreen } from "../person.ts";
import { pricesFor } from "../prices.ts";
import { play } from "../replay/play.ts";
import { onStage } from "../replay/stage.ts";
import { replayJson, replayText } from "../replay/told.ts";
import { openSession } from "../session.ts";

interface Options {
  from?: string;
  speed?: number;
  visible?: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .argument("<session>", SESSION)
    .option("--from <entry>", "begin at this entry, by id")
    .option("--speed <times>", "on a terminal: play it, that many times faster than it happened", speedOf)
    .option("--visible", "only what the model would see if the agent resumed now")
    .action((name: string, options: Options) => run((context) => replay(context, name, options)));
}

async function replay(context: Context, name: string, options: Options): Promise<undefined> {
  const { output, home } = context;
  const { source } = await openSession(context, name);
  const steps = stepsOf(source.skeleton, { visible: options.visible ?? false });
  const from = startOf(source, steps, options.from);
  const { colors, width, isVerbose } = output;
  const own = badge(source.header.source.cli, await context.adapters(), colors);
  const priceOf = await pricesFor(context.batonHome);
  const look = { colors, badge: own, home: home.dir };
  if (hasScreen() && !output.isJson) {
    if (steps.length === 0) {
      output.message("There is nothing in this session.");
      return;
    }
    const { speed } = options;
    await onStage((stage) =>
      play(stage, { source, steps, from, look, priceOf, ...(speed !== undefined && { speed }) }),
    );
    return;
  }
  const stream = options.visible ? visible(source) : thread(source);
  const later =
    options.from === undefined ? stream : { ...stream, entries: () => entriesFrom(source, steps, from) };
  if (output.isJson) for await (const piece of replayJson(later, priceOf)) await output.document(piece);
  else
    for await (const text of replayText(later, { ...look, width, unfold: isVerbose }, priceOf))
      await output.write(text);
}

function startOf(source: Source, steps: Steps, entry: string | undefined): number {
  if (entry === undefined) return 0;
  const position = source.skeleton.find(entry);
  const step = position === -1 ? -1 : steps.at(position);
  if (step !== -1) return step;
  throw new BatonError(
    "not_found",
    position === -1
      ? `No entry of this session is called "${entry}".`
      : `"${entry}" is not shown: it was taken back or compacted away.`,
    "`baton show SESSION --format jsonl` has every entry with its id.",
  );
}

async function* entriesFrom(source: Source, steps: Steps, from: number) {
  const first = Math.min(...steps.positions(from));
  let position = first;
  for await (const entry of source.entries({ from: first })) if (steps.at(position++) >= from) yield entry;
}

function speedOf(text: string): number {
  const speed = Number(text);
  if (!(speed > 0) || !Number.isFinite(speed)) throw new InvalidArgumentError("Give a number above 0.");
  return speed;
}
