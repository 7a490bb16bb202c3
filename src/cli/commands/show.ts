// show: one session, as text on the terminal or in a file format.
import { type Command, Option } from "commander";
import { changedAt } from "../../catalog/scan.ts";
import { formats } from "../../formats/index.ts";
import { BatonError } from "../../session/error.ts";
import type { Source, Stream } from "../../session/source.ts";
import { entryText } from "../../session/text.ts";
import { lineageOf, wayOf } from "../../switch/lineage.ts";
import { nameOf } from "../../switch/name.ts";
import { positionOf } from "../../transform/fork.ts";
import { thread, visible, visiblePositions } from "../../transform/visible.ts";
import { badge } from "../badge.ts";
import { type Run, SESSION } from "../command.ts";
import type { Context } from "../context.ts";
import { tellLosses } from "../losses.ts";
import { page } from "../pager.ts";
import { render } from "../render.ts";
import { type Opened, openSession } from "../session.ts";
import { counted } from "../text.ts";

/** What they are called here, and in the table of formats. */
const FORMATS: Record<string, string> = {
  json: "universal",
  jsonl: "universal-jsonl",
  markdown: "markdown",
  html: "html",
};

interface Options {
  format?: string;
  visible?: boolean;
  entry?: string;
}

export function define(command: Command, run: Run): void {
  command
    .argument("<session>", SESSION)
    .addOption(new Option("--format <format>", "how to show it").choices(["text", ...Object.keys(FORMATS)]))
    .option("--visible", "only what the model would see if the agent resumed now")
    .option("--entry <id>", "only this entry, in full")
    .action((name: string, options: Options) => run((context) => show(context, name, options)));
}

async function show(context: Context, name: string, options: Options): Promise<undefined> {
  const { output } = context;
  if (output.isJson && options.format !== undefined && options.format !== "json")
    throw new BatonError(
      "usage",
      `--json is the universal document, so --format ${options.format} has no place.`,
      "Use one of them.",
    );
  const opened = await openSession(context, name);
  const { source } = opened;
  if (options.entry !== undefined) return showEntry(context, source, options.entry);
  const id = FORMATS[options.format ?? (output.isJson ? "json" : "text")];
  const format = formats.find((one) => one.id === id);
  const stream = streamOf(source, options.visible ?? false, format?.takes === "all", context);
  if (format) {
    const records = !options.visible;
    for await (const piece of format.write(stream, { records })) await output.document(piece);
    return tellHidden(source, context);
  }
  const { colors, width, isVerbose } = output;
  const own = nameOf(source.header);
  const shown = badge(source.header.source.cli, await context.adapters(), colors);
  const text = render(stream, {
    colors,
    width,
    unfold: isVerbose,
    badge: shown,
    home: context.home.dir,
    lineage: wayOf(await lineageOf(context.batonHome, own), own),
    ...changedBy(opened),
  });
  await page(text, output);
  tellHidden(source, context);
}

/** As text: what it says and nothing else, for whoever wants all of what is shortened elsewhere. */
async function showEntry({ output }: Context, source: Source, id: string): Promise<undefined> {
  const at = positionOf(source, id);
  for await (const entry of source.entries({ from: at, to: at + 1 })) {
    if (output.isJson) await output.json(entry);
    else await output.document(`${entryText(entry)}\n`);
  }
}

/** By the store, as everywhere in lists: a session's own times may be older, and its text is not read for them. */
function changedBy({ native, archived }: Opened): { changed?: string } {
  const time = native ? changedAt(native.ref) : archived?.updated;
  return time === undefined ? {} : { changed: new Date(time).toISOString() };
}

/** All of it has been read now. */
function tellHidden({ losses }: Source, { output }: Context): undefined {
  tellLosses(
    losses.filter(({ kind }) => kind === "secrets_redacted"),
    output,
  );
}

/** A text follows one branch; the others are in the JSON formats. */
function streamOf(source: Source, onlyVisible: boolean, branches: boolean, { output }: Context): Stream {
  if (onlyVisible) return visible(source);
  if (branches) return source;
  const others = source.skeleton.length - visiblePositions(source.skeleton, { history: "full" }).length;
  if (others > 0)
    output.message(
      `${counted(others, "entry", "entries")} on other branches not shown; --format json has them.`,
    );
  return thread(source);
}
