// restore: writes a session that its CLI has deleted back into its store.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapterNamed } from "../../adapters/named.ts";
import { archivedNamed } from "../../catalog/archive/find.ts";
import { whereabouts } from "../../catalog/archive/gone.ts";
import { type ArchivedSession, archivedSessions } from "../../catalog/archive/read.ts";
import { type Restored, restoreSession } from "../../catalog/archive/restore.ts";
import { type Found, walk } from "../../catalog/scan.ts";
import { BatonError } from "../../session/error.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { folderWarnings, unproven } from "../continue.ts";
import { shellLine } from "../start.ts";
import { isInStore } from "../store.ts";
import { bytes, counted, shellWord } from "../text.ts";

interface Options {
  cwd?: string;
  dryRun?: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .argument(
      "<session>",
      "id, unique prefix (4+), agent:id, the path that it had, latest[:agent] of those that are gone",
    )
    .option("--cwd <dir>", "the folder to go on in (default: the session's own)")
    .option("--dry-run", "only say what would happen")
    .action((name: string, options: Options) => run((context) => restore(context, name, options)));
}

async function restore(context: Context, name: string, options: Options): Promise<undefined> {
  const { home, batonHome, output } = context;
  const adapters = await context.adapters();
  const all = await archivedSessions(batonHome);
  const found = walk(home, adapters);
  const places = await whereabouts(batonHome, all, found);
  const gone = all.filter((one) => !places.has(one));
  const session = archivedNamed(name, all, adapters, gone);
  const adapter = adapterNamed(session.agent, adapters);
  const cwd = options.cwd === undefined ? undefined : resolve(options.cwd);
  const there = places.get(session);
  if (there && /^latest(:|$)/.test(name))
    throw new BatonError(
      "not_found",
      `No archived session${name === "latest" ? "" : ` of ${adapter.label}`} is gone: the stores hold every one.`,
      "`baton archive list` shows what is archived.",
    );
  if (there) return print(context, adapter, await asItIs(context, there, cwd), NOTHING_TO_DO);
  checkPlace(context, adapter, session, cwd);
  const installed = await adapter.version(home);
  const request = { session, all, found, adapter, home, batonHome, installed };
  const restored = await restoreSession({
    ...request,
    ...(cwd !== undefined && { cwd }),
    ...(options.dryRun && { dryRun: true }),
  });
  const { files, subagents, operation } = restored;
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  const more = subagents > 0 ? ` and ${counted(subagents, "subagent")}` : "";
  const what = `${counted(files.length, "file")}, ${bytes(size)}`;
  const about = unproven(adapter, installed?.version);
  if (operation !== null || output.isJson)
    return print(
      context,
      adapter,
      restored,
      `Brought the session${more} back: ${what}. \`baton undo ${operation}\` takes it back.`,
      about,
    );
  for (const warning of about) output.warn(warning);
  await output.write(`This would bring the session${more} back: ${what}. Nothing was written.\n`);
}

const NOTHING_TO_DO = "Nothing to do: the session is in its store.";

async function asItIs(
  { home }: Context,
  { adapter, ref }: Found,
  cwd: string | undefined,
): Promise<Restored> {
  const { header } = await adapter.open(ref);
  const project = header.project.path;
  const command = adapter.resumeCommand?.(ref.originalId, { project: { path: cwd ?? project } }, { home });
  const { agent, originalId, path } = ref;
  return {
    agent,
    originalId,
    path,
    files: [],
    subagents: 0,
    project,
    command: command ?? null,
    operation: null,
  };
}

/** Nothing is written outside the stores of the home that is meant. */
function checkPlace(
  { home }: Context,
  adapter: Adapter,
  { path, agent, originalId }: ArchivedSession,
  cwd: string | undefined,
): void {
  if (!isInStore(adapter, home, path))
    throw new BatonError(
      "refused",
      `${path} does not lie in a store of ${adapter.label} in ${home.dir}.`,
      "Name the home that it was in with --home.",
    );
  if (cwd !== undefined && adapter.isBoundToFolder)
    throw new BatonError(
      "refused",
      `${adapter.label} finds a session only in its own folder.`,
      `Restore it without --cwd, then \`baton fork ${agent}:${originalId} --cwd ${shellWord(cwd)}\` makes a copy that goes on there.`,
    );
}

async function print(
  context: Context,
  adapter: Adapter,
  restored: Restored,
  done: string,
  about: readonly string[] = [],
): Promise<undefined> {
  const { output, environment } = context;
  const { agent, originalId, path, files, subagents, operation } = restored;
  const own = restored.command;
  const command = own && { ...own, env: { ...environment, ...own.env } };
  const warnings = [...about, ...(own ? folderWarnings(own.cwd, false) : [])];
  if (output.isJson) {
    const more = { warnings, losses: [], operation, backup: null, files, subagents };
    return output.json({ agent, originalId, path, command, ...more }).then(() => undefined);
  }
  for (const warning of warnings) output.warn(warning);
  output.message(done);
  if (command) await output.write(`${shellLine(command)}\n`);
  else
    output.message(
      `Baton only reads ${adapter.label} sessions: \`baton resume ${agent}:${originalId} --in AGENT\`.`,
    );
}
