// The Claude Code of this machine: which version, how the user set it up, and which sessions it holds open.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Activity, Configuration, Home, SessionRef } from "../adapter.ts";
import { programVersion } from "../program.ts";
import { type SettingsFiles, settingsFiles } from "../settings.ts";
import { count, filled, isObject, type Json } from "./native.ts";
import { configDir } from "./paths.ts";

/** How long the CLI keeps sessions unless it is told otherwise. */
const RETENTION_DAYS = 30;

export function version(home: Home): Promise<{ version: string; path: string } | undefined> {
  return programVersion("claude", home, () => ({ DISABLE_AUTOUPDATER: "1" }));
}

export async function configuration(home: Home, project?: string): Promise<Configuration> {
  const files = settingsFiles(JSON.parse);
  const settings = settingsFor(files, home, project);
  const model = modelOf(home, settings);
  const period = settings
    .map(({ cleanupPeriodDays }) => cleanupPeriodDays)
    .find((days) => days !== undefined);
  const servers =
    project === undefined ? allServers(files, home) : serversFor(files, home, project, settings);
  return {
    provider: "anthropic",
    ...(model !== undefined && { model }),
    mcpServers: [...new Set(servers)].sort(),
    retentionDays: typeof period === "number" ? period : RETENTION_DAYS,
    ...(files.damaged.length > 0 && { damaged: files.damaged }),
  };
}

/** The file lies beside the folder, unless the folder was moved. */
export function globalFile(home: Home): string {
  return join(home.env.CLAUDE_CONFIG_DIR || home.dir, ".claude.json");
}

/** The strongest first. */
function settingsFor(files: SettingsFiles, home: Home, project: string | undefined): Json[] {
  const own = project === undefined ? [] : ["settings.local.json", "settings.json"];
  return [
    ...own.map((name) => join(project ?? "", ".claude", name)),
    join(configDir(home), "settings.json"),
  ].map(files.read);
}

function modelOf(home: Home, settings: readonly Json[]): string | undefined {
  const variables = settings.map(({ env }) => (isObject(env) ? filled(env.ANTHROPIC_MODEL) : undefined));
  const models = settings.map(({ model }) => filled(model));
  return [...variables, filled(home.env.ANTHROPIC_MODEL), ...models].find((model) => model !== undefined);
}

/** The folders that Claude Code was started in. */
export async function projects(home: Home): Promise<string[]> {
  return Object.keys(objectIn(readJson(globalFile(home)), "projects"));
}

/** Servers of the user and of each project. */
function allServers(files: SettingsFiles, home: Home): string[] {
  const global = files.read(globalFile(home));
  const projects = Object.values(objectIn(global, "projects"));
  return [global, ...projects].flatMap((one) =>
    isObject(one) ? Object.keys(objectIn(one, "mcpServers")) : [],
  );
}

/** Servers of the user, and of a project in either of the two places, without those that were turned off there. */
function serversFor(files: SettingsFiles, home: Home, project: string, settings: readonly Json[]): string[] {
  const global = files.read(globalFile(home));
  const own = objectIn(objectIn(global, "projects"), project);
  const off = new Set<unknown>(listIn(own, "disabledMcpServers"));
  const refused = new Set<unknown>(
    [own, ...settings].flatMap((one) => listIn(one, "disabledMcpjsonServers")),
  );
  const shared = Object.keys(objectIn(files.read(join(project, ".mcp.json")), "mcpServers"));
  return [
    ...[global, own].flatMap((one) => Object.keys(objectIn(one, "mcpServers"))),
    ...shared.filter((name) => !refused.has(name)),
  ].filter((name) => !off.has(name));
}

function objectIn(value: Json, field: string): Json {
  const inner = value[field];
  return isObject(inner) ? inner : {};
}

function listIn(value: Json, field: string): unknown[] {
  const inner = value[field];
  return Array.isArray(inner) ? inner : [];
}

/** Empty when the file is not there or is not an object: the CLI then takes its defaults as well. */
export function readJson(path: string): Json {
  return settingsFiles(JSON.parse).read(path);
}

/**
 * A running CLI says in `sessions/<pid>.json` which session it holds (seen since 2.1.2xx). Of earlier versions
 * there is no evidence, so false means "not known to be live".
 */
export async function isLive(ref: SessionRef): Promise<boolean> {
  return (await heldBy(ref)) !== undefined;
}

const STATES: Record<string, Activity["state"]> = {
  busy: "busy",
  shell: "busy",
  idle: "idle",
  waiting: "waiting",
};

/** The same file says what the CLI does: these are the words that 2.1.325 knows. */
export async function activity(ref: SessionRef): Promise<Activity | undefined> {
  const held = await heldBy(ref);
  const state = typeof held?.status === "string" ? STATES[held.status] : undefined;
  const waitingFor = filled(held?.waitingFor);
  return state && { state, ...(waitingFor !== undefined && { waitingFor }) };
}

/** A session that a running CLI says it holds, whenever it last wrote to it. */
export async function mayBeLive(home: Home): Promise<(ref: SessionRef) => boolean> {
  const held = new Set<unknown>();
  for await (const { sessionId } of running(configDir(home))) held.add(sessionId);
  return ({ parent, originalId }) => held.has(parent ?? originalId);
}

/** What the running CLI that holds the session says of itself. */
async function heldBy(ref: SessionRef): Promise<Json | undefined> {
  const at = ref.path.lastIndexOf("/projects/");
  if (at === -1) return undefined;
  const session = ref.parent ?? ref.originalId;
  for await (const held of running(ref.path.slice(0, at))) if (held.sessionId === session) return held;
  return undefined;
}

async function* running(store: string): AsyncGenerator<Json> {
  const folder = join(store, "sessions");
  for (const name of await filesIn(folder)) {
    if (!/^\d+\.json$/.test(name)) continue;
    const held = readJson(join(folder, name));
    if (await isRunning(count(held.pid), held.procStart)) yield held;
  }
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

/** The start time tells a process from a later one that was given its number. */
async function isRunning(pid: number, started: unknown): Promise<boolean> {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return isObject(error) && error.code === "EPERM";
  }
  if (process.platform !== "linux" || typeof started !== "string") return true;
  try {
    const facts = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold blanks; the start time is the 20th field after it.
    return facts.slice(facts.lastIndexOf(")") + 2).split(" ")[19] === started;
  } catch {
    return false;
  }
}
