// fork: branch a session at any entry, as a new session in its own agent or in another one.
import { resolve } from "node:path";
import type { Command } from "commander";
import { forkAt } from "../../transform/fork.ts";
import { type Run, SESSION } from "../command.ts";
import type { Context } from "../context.ts";
import { carryInto, folderWarnings, goOn } from "../continue.ts";
import { openSession } from "../session.ts";
import { agentFor } from "./resume.ts";

interface Options {
  at?: string;
  in?: string;
  cwd?: string;
  dryRun?: boolean;
  yes?: boolean;
}

export function define(command: Command, run: Run): void {
  command
    .argument("<session>", SESSION)
    .option("--at <entry>", "the last entry of the new session (default: the newest one)")
    .option("--in <agent>", "the agent to go on in (default: the session's own)")
    .option("--cwd <dir>", "the folder to go on in (default: the session's own)")
    .option("--dry-run", "only say what would happen")
    .option("--yes", "go on although something would be missing")
    .action((name: string, options: Options) => run((context) => fork(context, name, options)));
}

async function fork(context: Context, name: string, options: Options): Promise<number> {
  const opened = await openSession(context, name);
  const to = await agentFor(context, opened, options.in);
  const source = options.at === undefined ? opened.source : forkAt(opened.source, options.at);
  const cwd = options.cwd === undefined ? undefined : resolve(options.cwd);
  const result = await carryInto(context, source, to, {
    kind: "fork",
    ...(opened.native && { from: opened.native.ref }),
    warnings: folderWarnings(cwd ?? source.header.project.path, false),
    ...(cwd !== undefined && { cwd }),
    ...(options.yes && { yes: true }),
    ...(options.dryRun && { dryRun: true }),
  });
  return goOn(context, result, false);
}
