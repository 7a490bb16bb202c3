// What is installed and how it is set up: the CLI itself, its settings, and whether it holds a session.
import { readdir, readFile, readlink, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Configuration, Home, SessionRef } from "../adapter.ts";
import { filled, isObject, type Json } from "../json.ts";
import { programVersion } from "../program.ts";
import { parseCommented, settingsFiles } from "../settings.ts";
import { isOfRun } from "../strays.ts";
import { geminiHome, projectOf } from "./paths.ts";
import { retentionOf } from "./retention.ts";

export function version(home: Home): Promise<{ version: string; path: string } | undefined> {
  return programVersion("gemini", home, () => ({ GEMINI_CLI_NO_RELAUNCH: "true" }));
}

export async function configuration(home: Home, project?: string): Promise<Configuration> {
  const files = settingsFiles(parseCommented);
  const settings = files.read(join(geminiHome(home), "settings.json"));
  const own = project === undefined ? {} : files.read(join(project, ".gemini", "settings.json"));
  const model = filled(home.env.GEMINI_MODEL) ?? modelIn(own) ?? modelIn(settings);
  const rule = within(within(settings, "general"), "sessionRetention");
  const servers = { ...within(settings, "mcpServers"), ...within(own, "mcpServers") };
  const isOn = turnedOn([settings, own], files.read(join(geminiHome(home), "mcp-server-enablement.json")));
  return {
    provider: "google",
    ...(model !== undefined && { model }),
    mcpServers: Object.keys(servers).filter(isOn).sort(),
    ...retentionOf(rule),
    ...(files.damaged.length > 0 && { damaged: files.damaged }),
  };
}

function modelIn(settings: Json): string | undefined {
  return filled(within(settings, "model").name) ?? filled(settings.model);
}

/** By the lists of the settings, and by what `/mcp disable` leaves. */
function turnedOn(settings: readonly Json[], switches: Json): (server: string) => boolean {
  const named = (field: string, earlier: string): unknown[] =>
    settings.flatMap((one) => [within(one, "mcp")[field], one[earlier]]).flatMap(namesIn);
  const excluded = named("excluded", "excludeMCPServers");
  const allowed = named("allowed", "allowMCPServers");
  return (server) => {
    const name = server.trim().toLowerCase();
    if (excluded.includes(name) || within(switches, name).enabled === false) return false;
    return allowed.length === 0 || allowed.includes(name);
  };
}

function namesIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((name: unknown) => (typeof name === "string" ? name.trim().toLowerCase() : []));
}

export function within(value: Json, field: string): Json {
  const inner = value[field];
  return isObject(inner) ? inner : {};
}

export function settingsIn(path: string): Json {
  return settingsFiles(parseCommented).read(path);
}

/** The CLI opens the file for each line and keeps no lock: it runs in the session's folder and has written since. */
export async function isLive({ path }: SessionRef): Promise<boolean> {
  const project = projectOf(path);
  const processes = await readdir("/proc").catch(() => []);
  if (project === undefined || processes.length === 0) return false;
  const written = (await stat(path)).mtimeMs;
  const folder = await realpath(project).catch(() => project);
  for (const pid of processes.filter((name) => /^\d+$/.test(name)))
    if ((await isGeminiIn(`/proc/${pid}`, folder)) && (await startOf(`/proc/${pid}`)) <= written) return true;
  return false;
}

/** What was written since the first of those that run now was started. */
export async function mayBeLive(): Promise<(ref: SessionRef) => boolean> {
  let first = Number.POSITIVE_INFINITY;
  for (const pid of (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name)))
    if (await isGeminiIn(`/proc/${pid}`)) first = Math.min(first, await startOf(`/proc/${pid}`));
  return ({ files: [main] }) => main !== undefined && main.mtimeMs >= first;
}

async function isGeminiIn(process: string, folder?: string): Promise<boolean> {
  try {
    if (folder !== undefined && (await readlink(join(process, "cwd"))) !== folder) return false;
    const words = (await readFile(join(process, "cmdline"), "utf8")).split("\0");
    // Which session a run of Baton's has is known by its record, and it has no other.
    return isGemini(words) && !isOfRun(Number(basename(process)));
  } catch {
    // Another user's, or gone since it was listed.
    return false;
  }
}

/** Whether a command line runs the CLI itself, rather than something that only mentions it. */
export function isGemini([program = "", ...words]: readonly string[]): boolean {
  const script = RUNNERS.has(basename(program)) ? words.find((word) => !word.startsWith("-")) : program;
  if (script === undefined) return false;
  return basename(script) === "gemini" || /[\\/]gemini-cli[\\/](?:.*[\\/])?gemini\.js$/.test(script);
}

/** Programs that run the file that they are given. */
const RUNNERS: ReadonlySet<string> = new Set(["node", "bun", "sh", "bash", "dash"]);

/** In milliseconds since 1970. */
async function startOf(process: string): Promise<number> {
  const status = await readFile(join(process, "stat"), "utf8").catch(() => "");
  // The program's name, in brackets, may hold anything.
  const ticks = Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[STARTED]);
  const boot = /^btime (\d+)$/m.exec(await readFile("/proc/stat", "utf8"))?.[1];
  return Number(boot) * 1000 + ticks * MS_PER_TICK;
}

const STARTED = 19;
const MS_PER_TICK = 10;
