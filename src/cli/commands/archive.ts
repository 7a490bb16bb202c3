// archive: keeps the native bytes of every session; archive list and archive prune show and shrink it.
import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { adapterNamed } from "../../adapters/named.ts";
import { checkArchive, damagedSessions } from "../../catalog/archive/check.ts";
import { archivedNamed } from "../../catalog/archive/find.ts";
import { goneAmong } from "../../catalog/archive/gone.ts";
import { materialise, materialiseOlder } from "../../catalog/archive/open.ts";
import { type Pruned, type PrunedSession, pruneArchive } from "../../catalog/archive/prune.ts";
import { type ArchivedVersion, archivedSessions, versionsOf } from "../../catalog/archive/read.ts";
import { type ArchiveReport, reportArchive } from "../../catalog/archive/report.ts";
import { walk } from "../../catalog/scan.ts";
import { BatonError } from "../../session/error.ts";
import { archiveAll } from "../archiving.ts";
import { warnOfUnseen } from "../catalog.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { redaction } from "../redaction.ts";
import { bytes, counted, cut, shortPath } from "../text.ts";
import { namesOf } from "../values.ts";

export function define(command: Command, run: Run): void {
  command
    .option("--check", "read everything that is archived, and archive anew what is damaged")
    .action((options: { check?: boolean }) => run((context) => archive(context, options)));
  command
    .command("list")
    .description("what is archived, newest first")
    .option("--gone", "only sessions that no store holds any more")
    .action((options: { gone?: boolean }) => run((context) => list(context, options)));
  command
    .command("versions")
    .description("a session's versions: older ones are of files that were cut or replaced")
    .argument("<session>", "id, unique prefix (4+), agent:id, latest, latest:agent, or the path that it had")
    .option("--write <dir>", "write its files into this folder")
    .option("--which <number>", "which version (default: 0, the newest)", count)
    .action((name: string, options: VersionOptions) => run((context) => versions(context, name, options)));
  command
    .command("prune")
    .description("take sessions out of the archive; says what would go unless --yes")
    .option("--older-than <time>", "sessions that last changed before: a date, or 90d, 12w ago", before)
    .option("--keep-newest <count>", "leave that many of the newest, however old", count)
    .option("--agent <agents...>", "only sessions of these agents, also with commas", namesOf)
    .option("--gone", "also sessions that are nowhere else any more, or have files that are not")
    .option("--versions", "also sessions with older versions of their files, which are nowhere else")
    .option("--yes", "do it")
    .action((options: PruneOptions) => run((context) => prune(context, options)));
}

interface VersionOptions {
  write?: string;
  which?: number;
}

/** Lists them, or writes the files of one into a folder that is empty or not there yet. */
async function versions(context: Context, name: string, options: VersionOptions): Promise<undefined> {
  const { output, batonHome, home } = context;
  if (options.which !== undefined && options.write === undefined)
    throw new BatonError(
      "usage",
      "--which says which version is written, and nothing is to be.",
      "Name a folder for it with --write DIR; without --which all versions are listed.",
    );
  const session = archivedNamed(name, await archivedSessions(batonHome), await context.adapters());
  if (options.write !== undefined) {
    if (redaction())
      throw new BatonError(
        "refused",
        "The files of a version are native bytes, in which --redact hides nothing.",
        "Write them without --redact, then `baton convert FILE --to FORMAT --redact` makes one without secrets.",
      );
    const folder = resolve(options.write);
    if (existsSync(folder) && readdirSync(folder).length > 0)
      throw new BatonError("refused", `${folder} is not empty.`, "Name a folder that is not there yet.");
    const { path } = await materialise(batonHome, session, folder, options.which ?? 0);
    const older = await materialiseOlder(batonHome, session, folder);
    if (output.isJson) await output.json({ path, older });
    else await output.write(`${[path, ...older].join("\n")}\n`);
    return;
  }
  const [main, ...others] = await versionsOf(batonHome, session);
  const all = (main?.versions ?? []).map(versionRow);
  const files = others
    .filter((file) => file.versions.length > 1)
    .map((file) => ({ path: file.path, versions: file.versions.map(versionRow) }));
  if (output.isJson) return output.json({ versions: all, files }).then(() => undefined);
  for (const row of all) await output.write(`${versionLine(row)}\n`);
  for (const file of files) {
    await output.write(`${shortPath(file.path, home.dir)}\n`);
    for (const row of file.versions) await output.write(`  ${versionLine(row)}\n`);
  }
}

function versionRow({ size, since, until }: ArchivedVersion, version: number) {
  return {
    version,
    size,
    archived: new Date(since).toISOString(),
    replaced: until === null ? null : new Date(until).toISOString(),
  };
}

function versionLine({ version, size, archived, replaced }: ReturnType<typeof versionRow>): string {
  const until = replaced === null ? "" : `, replaced ${replaced.slice(0, 16)}`;
  return `${version}  ${bytes(size).padStart(8)}  archived ${archived.slice(0, 16)}${until}`;
}

async function archive(context: Context, options: { check?: boolean }): Promise<number> {
  const { output, batonHome } = context;
  if (options.check) await check(context);
  const unseen: string[] = [];
  const archived = await archiveAll(context, {
    onProblem: (path, error) => unseen.push(`${path}: ${error.message}`),
  });
  warnOfUnseen(output, unseen);
  const report = await reportArchive(batonHome);
  const damaged = await damagedSessions(batonHome);
  for (const { agent, originalId, file, isThere } of damaged) {
    const own = isThere
      ? `${shortPath(file, context.home.dir)} was not archived anew`
      : "its own file is gone";
    output.warn(`${agent}:${originalId} is damaged in the archive, and ${own}.`);
  }
  if (output.isJson) await output.json({ ...archived, ...report, damaged });
  else {
    const { added, updated, unchanged } = archived;
    output.message(`Archived ${counted(added, "new session")}, ${updated} changed, ${unchanged} unchanged.`);
    if (report.nativeBytes === 0)
      output.message(`Nothing is archived yet; the empty manifest takes ${bytes(report.archivedBytes)}.`);
    else for (const line of reportLines(report)) await output.write(`${line}\n`);
  }
  return archived.problems.length + (options.check ? damaged.length : 0) > 0 ? 1 : 0;
}

async function check({ output, batonHome }: Context): Promise<void> {
  const progress = output.progress("Checking");
  const lost = await checkArchive(batonHome, (done, total) => progress.at(done, total, bytes));
  progress.end();
  if (lost > 0)
    output.warn(`${counted(lost, "frame")} of the archive ${lost === 1 ? "was" : "were"} damaged.`);
}

function sizeRow(row: ArchiveReport["agents"][number]): string[] {
  const part = row.nativeBytes === 0 ? "" : `${Math.round((row.archivedBytes / row.nativeBytes) * 100)} %`;
  return [row.agent, String(row.sessions), bytes(row.nativeBytes), bytes(row.archivedBytes), part];
}

function reportLines(report: ArchiveReport): string[] {
  const rows = [
    ["agent", "sessions", "native", "archived", ""],
    ...report.agents.map(sizeRow),
    ["other", "", "", bytes(report.otherBytes), ""],
    sizeRow({ ...report, agent: "all" }),
  ];
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join("  ")
      .trimEnd(),
  );
}

async function list(context: Context, options: { gone?: boolean }): Promise<undefined> {
  const { output, batonHome, home } = context;
  const all = await archivedSessions(batonHome);
  const gone = new Set(await goneAmong(batonHome, all, walk(home, await context.adapters())));
  const rows = all
    .filter((session) => !options.gone || gone.has(session))
    .map(({ facts: _, updated, archived, files, ...session }, at, shown) => ({
      ...session,
      updated: new Date(updated).toISOString(),
      archived: new Date(archived).toISOString(),
      files: files.length,
      gone: gone.has(shown[at]!),
    }));
  if (output.isJson) await output.json({ sessions: rows, total: rows.length });
  else if (all.length === 0) output.message("Nothing is archived. `baton archive` keeps what there is.");
  else if (rows.length === 0)
    output.message(`None is gone: the stores hold every session that is archived (${all.length}).`);
  else for (const row of rows) await output.write(`${rowLine(row, context)}\n`);
}

type Row = Pick<PrunedSession, "id" | "agent" | "updated" | "size" | "path" | "gone">;

function rowLine({ id, agent, updated, size, path, gone }: Row, { output, home }: Context): string {
  const columns = [
    id,
    gone ? "gone" : "    ",
    agent.padEnd(8),
    updated.slice(0, 10),
    bytes(size).padStart(8),
  ];
  const before = columns.join("  ");
  return `${before}  ${cut(shortPath(path, home.dir), Math.max(10, output.width - before.length - 2))}`;
}

interface PruneOptions {
  olderThan?: Date;
  keepNewest?: number;
  agent?: string[];
  gone?: boolean;
  versions?: boolean;
  yes?: boolean;
}

async function prune(context: Context, options: PruneOptions): Promise<undefined> {
  if (!options.agent && !options.olderThan && options.keepNewest === undefined)
    throw new BatonError(
      "usage",
      "It is not said which sessions are to go.",
      "Name them by --older-than, --keep-newest or --agent; nothing goes without --yes.",
    );
  const { output, batonHome, home } = context;
  const adapters = await context.adapters();
  for (const name of options.agent ?? []) adapterNamed(name, adapters);
  const pruned = await pruneArchive(batonHome, {
    found: walk(home, adapters),
    ...(options.agent && { agents: options.agent }),
    ...(options.olderThan && { before: options.olderThan }),
    ...(options.keepNewest !== undefined && { keepNewest: options.keepNewest }),
    ...(options.gone && { gone: true }),
    ...(options.versions && { versions: true }),
    ...(options.yes && { yes: true }),
  });
  if (output.isJson) await output.json(pruned);
  else await printPruned(context, pruned, options);
}

async function printPruned(context: Context, pruned: Pruned, options: PruneOptions): Promise<void> {
  const { output } = context;
  for (const row of pruned.sessions) await output.write(`${rowLine(row, context)}\n`);
  for (const line of keptLines(pruned.kept, options)) output.message(line);
  const older = pruned.sessions.reduce((sum, { versions: n }) => sum + n, 0);
  const more = older > 0 ? ` with ${counted(older, "older version")}` : "";
  const what = `${counted(pruned.sessions.length, "session")}${more}, ${bytes(pruned.freed)}`;
  output.message(
    pruned.done
      ? `Took out ${what}.`
      : `This would take out ${what}. Nothing was changed: add --yes to do it.`,
  );
}

const NAMED = 5;

/** What stays because the archive is its only copy, and what takes it too. */
function keptLines(kept: readonly PrunedSession[], options: PruneOptions): string[] {
  const gone = options.gone ? [] : kept.filter((session) => session.gone);
  const partly = options.gone ? [] : kept.filter((session) => session.missing.length > 0);
  const older = options.versions ? [] : kept.filter((session) => session.versions > 0);
  const files = partly.reduce((sum, session) => sum + session.missing.length, 0);
  const versions = older.reduce((sum, session) => sum + session.versions, 0);
  const some = (sessions: readonly PrunedSession[]) => {
    const ids = sessions.slice(0, NAMED).map(({ id }) => id);
    return `${ids.join(", ")}${sessions.length > NAMED ? " …" : ""}`;
  };
  const lines: string[] = [];
  if (gone.length > 0)
    lines.push(
      `${counted(gone.length, "session")} nowhere else any more, so kept (--gone takes them): ${some(gone)}`,
    );
  if (partly.length > 0)
    lines.push(
      `${counted(partly.length, "session")} with ${counted(files, "file")} nowhere else, so kept (--gone takes them): ${some(partly)}`,
    );
  if (older.length > 0)
    lines.push(
      `${counted(older.length, "session")} with ${counted(versions, "older version")} nowhere else, so kept (--versions takes them): ${some(older)}`,
    );
  return lines;
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

function before(text: string): Date {
  const relative = /^(\d+)([mhdw])$/.exec(text);
  const time = relative
    ? new Date(Date.now() - Number(relative[1]) * UNITS[relative[2] as keyof typeof UNITS])
    : new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError("Give a date, or 12h, 90d, 12w.");
  return time;
}

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Give a whole number.");
  return Number(text);
}
