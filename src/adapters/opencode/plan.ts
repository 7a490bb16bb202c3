// What has to happen for the lines to be a session that the CLI finds: rows in a database whose shape is known, or
// else the CLI's own import, which also makes the database where there is none.
import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { BatonError } from "../../session/error.ts";
import type { Change, Guard, RowsChange } from "../../storage/changes.ts";
import { exportFiles } from "../../storage/export.ts";
import { readRecords } from "../../storage/records.ts";
import type { RowLine } from "../../storage/rows.ts";
import type { Command, Home, ResumeOptions, Target, WrittenRecord } from "../adapter.ts";
import { storeVariable } from "../store-variable.ts";
import { reading } from "./database.ts";
import { exportPieces } from "./exported.ts";
import { version } from "./installed.ts";
import { dataFolder } from "./paths.ts";
import { OFFLINE, QUIET } from "./sandbox.ts";
import { databaseOf, endingOf, isProvenSchema, PROVEN_VERSIONS, schemaIn, TABLES } from "./store.ts";

export function pathOf(target: Target, file = "main"): string {
  const database = databaseOf(target);
  return file === "main" ? database : `${database}#${file}`;
}

export async function* plan(records: AsyncIterable<WrittenRecord>, target: Target): AsyncGenerator<Change> {
  const database = databaseOf(target);
  const way = await wayInto(database, target);
  const main = guardsOf(target);
  for await (const { file, bytes } of records) {
    const guards = file === "main" ? main : newGuards(file);
    yield { type: "rows", path: pathOf(target, file), database, guards, ...way, bytes };
  }
}

type Way = Pick<RowsChange, "schema" | "insert">;

async function wayInto(database: string, target: Target): Promise<Way> {
  if (isProvenSchema(database, target.version)) {
    const hash = reading(database, schemaIn);
    return { schema: { tables: [...TABLES], hash } };
  }
  if (target.onto)
    throw new BatonError(
      "unsupported",
      `Adding to ${database} is not proven with OpenCode ${target.version}, only with ${PROVEN_VERSIONS.join(", ")}.`,
      "Use `baton resume` to carry it into a new session, which OpenCode's own import makes.",
    );
  const cli = target.cli ?? (await version(target.home))?.path;
  if (cli === undefined) throw noWay(database);
  return { insert: (lines, file) => importLines(cli, target, lines, file) };
}

function noWay(database: string): BatonError {
  const why = existsSync(database)
    ? `Writing rows into ${database} is not proven`
    : "OpenCode has no database yet";
  return new BatonError(
    "agent_not_installed",
    `${why}, and the \`opencode\` command is not there to import the session.`,
    "Install OpenCode or put it on the PATH, or write a file with `baton convert SESSION --to opencode`.",
  );
}

const IMPORT_MS = 120_000;

/** It takes the folder it is started in for the session's. */
async function importLines(cli: string, target: Target, lines: string, file: string): Promise<void> {
  if (!statSync(target.cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new BatonError(
      "not_found",
      `There is no folder ${target.cwd}.`,
      "Name another one with --cwd DIR.",
    );
  const pieces = exportPieces(linesIn(lines));
  await exportFiles(named(file, pieces), { main: file, force: true });
  const own = await mkdtemp(join(tmpdir(), "baton-import-"));
  try {
    const options = { cwd: target.cwd, env: await environment(target.home, own), timeout: IMPORT_MS };
    await promisify(execFile)(cli, ["import", file], options);
  } catch (error) {
    const words = error instanceof Error ? error.message.split("\n").slice(0, 3).join(" ") : String(error);
    throw new BatonError(
      "failed",
      `OpenCode could not import the session: ${words}`,
      "Start OpenCode once, then try again.",
      error,
    );
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function* named(
  path: string,
  pieces: AsyncIterable<string>,
): AsyncGenerator<{ path: string; bytes: string }> {
  for await (const bytes of pieces) yield { path, bytes };
}

async function* linesIn(path: string): AsyncGenerator<RowLine> {
  for await (const batch of readRecords(path)) for (const { value } of batch) yield value as RowLine;
}

/**
 * The store of this home and no other. The configuration is an empty one in a folder of its own, and the project's
 * is not looked at: its plugins would be run, and their library fetched (1.18.33).
 */
async function environment(home: Home, own: string): Promise<Record<string, string>> {
  const folder = join(own, "config", "opencode");
  for (const [name, content] of QUIET) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return {
    PATH: home.env.PATH ?? process.env.PATH ?? "",
    HOME: own,
    XDG_DATA_HOME: dirname(dataFolder(home)),
    XDG_CONFIG_HOME: join(own, "config"),
    XDG_STATE_HOME: join(own, "state"),
    XDG_CACHE_HOME: join(own, "cache"),
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    OPENCODE_PURE: "1",
    ...OFFLINE,
  };
}

function guardsOf(target: Target): Guard[] {
  if (!target.onto) return newGuards(target.originalId);
  const { messages, parts, todos, events } = endingOf(target.onto);
  const counts = [messages, parts, todos, events];
  return newGuards(target.originalId).map((guard, at) => ({ ...guard, count: counts[at] ?? 0 }));
}

function newGuards(session: string): Guard[] {
  return [
    { table: "message", column: "session_id", value: session, count: 0 },
    { table: "part", column: "session_id", value: session, count: 0 },
    { table: "todo", column: "session_id", value: session, count: 0 },
    { table: "event", column: "aggregate_id", value: session, count: 0 },
  ];
}

export function resumeCommand(
  originalId: string,
  header: { project: { path: string } },
  { home, model }: ResumeOptions,
): Command {
  const chosen = model === undefined ? [] : ["-m", model];
  const folder = dataFolder(home).replace(/[\\/]opencode$/, "");
  return {
    argv: ["opencode", "-s", originalId, ...chosen],
    cwd: header.project.path,
    env: home.env.XDG_DATA_HOME ? storeVariable("XDG_DATA_HOME", folder) : {},
  };
}
