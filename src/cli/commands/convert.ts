// convert: a session from any format into any other, to a file or to stdout.
import { createReadStream, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { Adapter } from "../../adapters/adapter.ts";
import { type Format, formats } from "../../formats/index.ts";
import { BatonError } from "../../session/error.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type { Source, Stream } from "../../session/source.ts";
import { type ExportPiece, exists, exportFile, exportFiles, withSpooled } from "../../storage/export.ts";
import { bundle } from "../../switch/bundle.ts";
import { thread, visible, visiblePositions } from "../../transform/visible.ts";
import { type Run, SESSION } from "../command.ts";
import type { Context } from "../context.ts";
import { tellLosses } from "../losses.ts";
import { openAs, openSession } from "../session.ts";
import { isInStore } from "../store.ts";
import { counted } from "../text.ts";

interface Options {
  from?: string;
  to: string;
  output?: string;
  losses?: string;
  force?: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .argument("<source>", `${SESSION}; - reads stdin`)
    .option("--from <format>", "what the source is, when it should not be guessed")
    .requiredOption("--to <format>", `${formats.map(({ id }) => id).join(", ")}, or an agent`)
    .option("-o, --output <file>", "where to write it (default: stdout)")
    .option("--losses <file>", "write what was lost or changed to this file, as JSON")
    .addOption(new Option("--force", "replace files that are there"))
    .action((source: string, options: Options) => run((context) => convert(context, source, options)));
}

async function convert(context: Context, name: string, options: Options): Promise<undefined> {
  if (context.output.isJson && options.output === undefined)
    throw new BatonError(
      "usage",
      "With --json the converted session cannot go to stdout.",
      "Name a file with -o FILE.",
    );
  const target = await targetNamed(context, options.to);
  // A pipe can be read but once, so it is kept like stdin.
  const isPipe = name !== "-" && statSync(resolve(name), { throwIfNoEntry: false })?.isFIFO() === true;
  if (name !== "-" && !isPipe) return convertFrom(context, name, target, options);
  return withSpooled(isPipe ? createReadStream(resolve(name)) : process.stdin, async (path) => {
    try {
      return await convertFrom(context, path, target, options);
    } catch (error) {
      if (!(error instanceof BatonError)) throw error;
      throw new BatonError(
        error.code,
        error.message.replaceAll(path, isPipe ? name : "stdin"),
        error.hint,
        error,
      );
    }
  });
}

type Target = { format: Format } | { adapter: Adapter };

async function targetNamed(context: Context, name: string): Promise<Target> {
  const format = formats.find(({ id }) => id === name);
  if (format) return { format };
  const adapters = await context.adapters();
  const adapter = adapters.find(({ id }) => id === name);
  if (adapter) return { adapter };
  const known = [...formats, ...adapters.filter(({ write }) => write)].map(({ id }) => id);
  throw new BatonError(
    "usage",
    `There is no format called "${name}".`,
    `Known formats: ${known.join(", ")}.`,
  );
}

async function convertFrom(
  context: Context,
  name: string,
  target: Target,
  options: Options,
): Promise<undefined> {
  const { output } = context;
  const { source, path: from } = await (options.from === undefined
    ? openSession(context, name)
    : openAs(context, name, options.from));
  const main = options.output === undefined ? STDOUT : resolve(options.output);
  await checkPlaces(context, main, options);
  const losses: Loss[] = [];
  const pieces =
    "format" in target
      ? formatPieces(context, target.format, source, from, main, losses)
      : adapterPieces(context, target.adapter, source, main, losses);
  const force = options.force ?? false;
  const files =
    main === STDOUT ? await toStdout(context, pieces) : await exportFiles(pieces, { force, main });
  if (options.losses !== undefined)
    await exportFile(resolve(options.losses), `${JSON.stringify({ losses }, null, 2)}\n`, { force });
  if (output.isJson) await output.json({ format: options.to, files, losses });
  else tellLosses(losses, output);
}

const STDOUT = "-";

/** Before anything is written: a store is written to by `resume` and `fork` only, with a journal. */
async function checkPlaces({ home, adapters }: Context, main: string, options: Options): Promise<void> {
  const losses = options.losses === undefined ? undefined : resolve(options.losses);
  if (losses === main)
    throw new BatonError("usage", "The session and its losses cannot share a file.", "Name another file.");
  for (const path of [main, losses]) {
    if (path === undefined || path === STDOUT) continue;
    const store = (await adapters()).find((adapter) => isInStore(adapter, home, path));
    if (store)
      throw new BatonError(
        "refused",
        `${path} lies in the store of ${store.label}, where a file of an agent's may never be replaced.`,
        `Name a file elsewhere, or use \`baton resume SESSION --in ${store.id}\`, which can be undone.`,
      );
  }
  if (losses !== undefined && !options.force && existsSync(losses)) throw exists(losses);
}

async function* formatPieces(
  { output }: Context,
  format: Format,
  source: Source,
  from: string,
  path: string,
  losses: Loss[],
): AsyncGenerator<ExportPiece> {
  const { stream, losses: hidden } = streamFor(format, source);
  losses.push(...hidden);
  const known = source.losses.length;
  const write = {
    losses: output.isVerbose,
    path: from,
    onLoss: (found: Loss) => losses.push(found),
  };
  for await (const bytes of format.write({ ...stream, losses }, write)) yield { path, bytes };
  // What only reading it shows.
  losses.push(...source.losses.slice(known));
}

/** As much of the session as the format takes, and what it therefore does not get. */
function streamFor(format: Format, source: Source): { stream: Stream; losses: readonly Loss[] } {
  if (format.takes === "all") return { stream: source, losses: source.losses };
  if (format.takes === "request") {
    const stream = visible(source);
    return { stream, losses: stream.losses };
  }
  const others = source.skeleton.length - visiblePositions(source.skeleton, { history: "full" }).length;
  const hidden = others > 0 ? [loss("history_hidden", {}, `${others} entries on other branches`)] : [];
  return { stream: thread(source), losses: [...source.losses, ...hidden] };
}

async function* adapterPieces(
  { home }: Context,
  to: Adapter,
  source: Source,
  path: string,
  losses: Loss[],
): AsyncGenerator<ExportPiece> {
  const made = await bundle({ source, to, home, path });
  yield* made.pieces;
  losses.push(...made.losses);
}

/** The main file; the others have no place there. */
async function toStdout({ output }: Context, pieces: AsyncIterable<ExportPiece>): Promise<string[]> {
  const others = new Set<string>();
  for await (const { path, bytes } of pieces) {
    if (path !== STDOUT) others.add(path);
    else await output.document(bytes);
  }
  if (others.size > 0)
    output.warn(`${counted(others.size, "more file")} of this session left out; -o FILE writes all of them.`);
  return [];
}
