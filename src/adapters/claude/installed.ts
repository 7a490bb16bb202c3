// The Claude Code of this machine: which version, how the user set it up, and which sessions it holds open.
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Activity, Configuration, Home, SessionRef } from "../adapter.ts";
import { programVersion } from "../program.ts";
import { count, filled, isObject, type Json } from "./native.ts";
import { configDir } from "./paths.ts";

/** How long the CLI keeps sessions unless it is told otherwise. */
const RETENTION_DAYS = 30;

export function version(home: Home): Promise<{ version: string; path: string } | undefined> {
  return programVersion("claude", home, () => ({ DISABLE_AUTOUPDATER: "1" }));
}

export async function configuration(home: Home): Promise<Configuration> {
  const settings = readJson(join(configDir(home), "settings.json"));
  // The file lies beside the folder, unless the folder was moved.
  const global = readJson(join(home.env.CLAUDE_CONFIG_DIR || home.dir, ".claude.json"));
  const model = filled(settings.model);
  const period = settings.cleanupPeriodDays;
  return {
    provider: "anthropic",
    ...(model !== undefined && { model }),
    mcpServers: serversIn(global),
    retentionDays: typeof period === "number" ? period : RETENTION_DAYS,
  };
}

/** The folders that Claude Code was started in. */
export async function projects(home: Home): Promise<string[]> {
  const global = readJson(join(home.env.CLAUDE_CONFIG_DIR || home.dir, ".claude.json"));
  return isObject(global.projects) ? Object.keys(global.projects) : [];
}

/** Servers of the user and of each project. */
function serversIn(global: Json): string[] {
  const projects = isObject(global.projects) ? Object.values(global.projects) : [];
  const names = [global, ...projects].flatMap((one) =>
    isObject(one) && isObject(one.mcpServers) ? Object.keys(one.mcpServers) : [],
  );
  return [...new Set(names)].sort();
}

/**
 * Empty when the file is not there or is not an object: the CLI then takes its defaults as well. Subagents have one
 * each, and waiting for so little would take longer than reading it.
 */
export function readJson(path: string): Json {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
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
