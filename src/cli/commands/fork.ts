// fork: branch a session at any entry and edit it on the way, as a new session in its own agent or in another one.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { BatonError } from "../../session/error.ts";
import type { Source } from "../../session/source.ts";
import { type Edits, editsFor, type Replacement } from "../../transform/edit.ts";
import { forkAt } from "../../transform/fork.ts";
import { movedPath } from "../../transform/remap.ts";
import { type Run, SESSION } from "../command.ts";
import type { Context } from "../context.ts";
import { carryInto, folderWarnings, type GoOn, goOn } from "../continue.ts";
import { collected, movesFor, movesWarnings, REMAP } from "../moves.ts";
import { openRecorded } from "../session.ts";
import { agentFor } from "./resume.ts";

interface Options {
  at?: string;
  drop?: string[];
  replace?: string[];
  in?: string;
  cwd?: string;
  remap?: string[];
  dryRun?: boolean;
  /** The agent starts at once, so its folder has to be there. */
  exec?: boolean;
  yes?: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .argument("<session>", SESSION)
    .option("--at <entry>", "the last entry of the new session (default: the newest one)")
    .option("--drop <entry...>", "leave entries out; a call goes with its result")
    .option(
      "--replace <entry=file>",
      "put the text of a file into an entry, or JSON into a call; - reads stdin; may be repeated",
      collected,
    )
    .option("--in <agent>", "the agent to go on in (default: the session's own)")
    .option("--cwd <dir>", "the folder to go on in (default: the session's own)")
    .option("--remap <old=new>", REMAP, collected)
    .option("--dry-run", "only say what would happen")
    .option("--yes", "go on although something would be missing")
    .action((name: string, options: Options) => run((context) => fork(context, name, options)));
}

async function fork(context: Context, name: string, options: Options): Promise<number> {
  return goOn(context, await prepareFork(context, name, options), false);
}

/** Everything but printing the command: with `dryRun` nothing is written either. */
export async function prepareFork(context: Context, name: string, options: Options): Promise<GoOn> {
  const opened = await openRecorded(context, name);
  const to = await agentFor(context, opened, options.in);
  const source = options.at === undefined ? opened.source : forkAt(opened.source, options.at);
  const project = source.header.project.path;
  const cwd = options.cwd === undefined ? undefined : resolve(options.cwd);
  const edits = await editsOf(source, options);
  const moves = movesFor(project, cwd, options.remap);
  return carryInto(context, source, to, {
    kind: "fork",
    ...(opened.native && { from: opened.native.ref }),
    warnings: [
      ...folderWarnings(cwd ?? movedPath(project, moves), options.exec ?? false),
      ...movesWarnings(moves, options.remap),
      ...(edits?.warnings ?? []),
    ],
    ...(edits && { edits }),
    moves,
    ...(cwd !== undefined && { cwd }),
    ...(options.yes && { yes: true }),
    ...(options.dryRun && { dryRun: true }),
  });
}

async function editsOf(source: Source, { drop = [], replace = [] }: Options): Promise<Edits | undefined> {
  if (drop.length === 0 && replace.length === 0) return undefined;
  if (replace.filter((one) => one.endsWith("=-")).length > 1)
    throw new BatonError("usage", "Only one entry can be read from stdin.", "Use files for the others.");
  return editsFor(source, { drop, replace: await Promise.all(replace.map(replacementIn)) });
}

/** An editor ends a file with a newline, which is not meant. */
async function replacementIn(given: string): Promise<Replacement> {
  // A path may hold the sign, an entry's id does not.
  const at = given.indexOf("=");
  const [entry, file] = [given.slice(0, Math.max(0, at)), given.slice(at + 1)];
  if (entry === "" || file === "")
    throw new BatonError(
      "usage",
      `--replace ${given} does not name an entry and a file.`,
      "Write --replace ENTRY=FILE, or ENTRY=- for stdin.",
    );
  const content = await contentOf(file);
  return { entry, content: content.replace(/\r?\n$/, "") };
}

async function contentOf(file: string): Promise<string> {
  if (file === "-") return text(process.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "is not there" : "cannot be read";
    throw new BatonError("not_found", `The file ${file} ${reason}.`, "Check the path.", error);
  }
}
