// What is installed and how it is set up: the CLI itself, its configuration, and whether it works on a session.
import { existsSync, readlinkSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Configuration, Home, SessionRef } from "../adapter.ts";
import { programVersion } from "../program.ts";
import { parseRelaxed, type SettingsFiles, settingsFiles } from "../settings.ts";
import { generationOf, reading } from "./database.ts";
import { columnObject, isObject, type JsonObject, objectOf, objects, word } from "./native.ts";
import { kindOf } from "./open.ts";
import { databasePath } from "./paths.ts";

export function version(home: Home): Promise<{ version: string; path: string } | undefined> {
  const quiet = { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
  return programVersion("opencode", home, () => quiet);
}

/** The model of the configuration, else the one that was used last; as `provider/model`. */
export async function configuration(home: Home, project?: string): Promise<Configuration> {
  const files = settingsFiles(parseRelaxed);
  const config = configFor(home, project, files);
  const model = word(config.model) ?? recentModel(home, files);
  const last = model === undefined ? lastModel(home) : undefined;
  const provider = model?.split("/", 1)[0];
  const servers = objectOf(config.mcp);
  const isOn = (name: string) => objectOf(servers[name]).enabled !== false;
  return {
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(last !== undefined && { lastModel: last }),
    mcpServers: Object.keys(servers).filter(isOn).sort(),
    ...(files.damaged.length > 0 && { damaged: files.damaged }),
  };
}

/** All files in the order in which one overrules the other, down to the fields of a server or a provider. */
export function configFor(home: Home, project?: string, from = settingsFiles(parseRelaxed)): JsonObject {
  const folder = join(home.env.XDG_CONFIG_HOME || join(home.dir, ".config"), "opencode");
  const files = ["config.json", ...NAMES].map((name) => join(folder, name));
  if (home.env.OPENCODE_CONFIG) files.push(home.env.OPENCODE_CONFIG);
  const folders = project === undefined ? [] : foldersFrom(project);
  for (const sub of ["", ".opencode"])
    files.push(...folders.flatMap((one) => NAMES.map((name) => join(one, sub, name))));
  let config: JsonObject = {};
  for (const file of files) config = merged(config, from.read(file));
  return config;
}

const NAMES = ["opencode.json", "opencode.jsonc"];

/** From the root of the repository down to the folder; outside of one that folder alone. */
function foldersFrom(project: string): string[] {
  const folders: string[] = [];
  for (let folder = project; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (existsSync(join(folder, ".git"))) return folders;
    if (folder === dirname(folder)) return [project];
  }
}

const DEEPEST = 8;

function merged(below: JsonObject, above: JsonObject, depth = 0): JsonObject {
  const both: JsonObject = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const former = both[name];
    const isBoth = isObject(former) && isObject(value) && depth < DEEPEST;
    both[name] = isBoth ? merged(former, value, depth + 1) : value;
  }
  return both;
}

/** Of the newest prompt in the database: the CLI fails on a model that it does not know, so a guess is no way out. */
function lastModel(home: Home): string | undefined {
  const path = databasePath(home);
  if (!existsSync(path)) return undefined;
  return reading(path, (database) => {
    if (generationOf(database) !== "rows") return undefined;
    const query =
      "SELECT data FROM message WHERE CASE WHEN json_valid(data) THEN json_extract(data, '$.role') END = 'user' ORDER BY time_created DESC LIMIT 1";
    const { providerID, modelID } = objectOf(columnObject(database.prepare(query).get()?.data).model);
    return word(providerID) && word(modelID) ? `${providerID}/${modelID}` : undefined;
  });
}

function recentModel(home: Home, files: SettingsFiles): string | undefined {
  const state = join(home.env.XDG_STATE_HOME || join(home.dir, ".local", "state"), "opencode", "model.json");
  const [first] = objects(files.read(state).recent);
  const provider = word(first?.providerID);
  const model = word(first?.modelID);
  return provider === undefined || model === undefined ? undefined : `${provider}/${model}`;
}

const RECENTLY_MS = 5 * 60_000;

/**
 * There is no lock. A session is taken for live when a process holds the database and the last message is not
 * complete, unless that was left behind a while ago.
 */
export async function isLive(ref: SessionRef): Promise<boolean> {
  if (kindOf(ref.path) !== "database" || !(await isHeld(ref.path))) return false;
  return reading(ref.path, (database) => {
    if (generationOf(database) !== "rows") return false;
    const last = database
      .prepare(
        "SELECT data, time_updated FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1",
      )
      .get(ref.originalId);
    const { role, time } = columnObject(last?.data);
    const isOpen = role === "user" || (role === "assistant" && objectOf(time).completed === undefined);
    return isOpen && Date.now() - Number(last?.time_updated ?? 0) < RECENTLY_MS;
  });
}

/** Its row may be older than the message that is being written. */
const LATELY_MS = 3_600_000;

export async function mayBeLive(): Promise<(ref: SessionRef) => boolean> {
  return ({ files: [main] }) => main !== undefined && Date.now() - main.mtimeMs < LATELY_MS;
}

/** Whether another process has the file open, as far as the system tells; where it does not, it might. */
async function isHeld(path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => path);
  const processes = await readdir("/proc").catch(() => undefined);
  if (!processes) return true;
  for (const pid of processes.filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    const folder = `/proc/${pid}/fd`;
    const handles = await readdir(folder).catch(() => []);
    if (handles.some((handle) => targetOf(join(folder, handle)) === real)) return true;
  }
  return false;
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    // Closed since it was listed.
    return undefined;
  }
}
