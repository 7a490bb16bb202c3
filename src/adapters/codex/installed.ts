// What is installed and how it is set up: the CLI itself, its configuration, and whether it holds a session.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import type { Configuration, Home, SessionRef } from "../adapter.ts";
import { programVersion } from "../program.ts";
import { type SettingsFiles, settingsFiles } from "../settings.ts";
import { isObject, type JsonObject, word } from "./native.ts";
import { codexHome, rootOf } from "./paths.ts";

export function version(home: Home): Promise<{ version: string; path: string } | undefined> {
  return programVersion("codex", home, (folder) => ({ CODEX_HOME: folder }));
}

export async function configuration(home: Home, project?: string): Promise<Configuration> {
  const files = settingsFiles(parse);
  const config = files.read(fileIn(codexHome(home)));
  const own = project === undefined ? {} : projectConfig(files, config, project);
  // 0.166 refuses a profile that is named here; earlier versions go by it.
  const profile = tableIn(tableIn(config, "profiles"), word(config.profile) ?? "");
  const model = word(own.model) ?? word(profile.model) ?? word(config.model);
  const provider = word(profile.model_provider) ?? word(config.model_provider);
  const servers = { ...tableIn(config, "mcp_servers"), ...tableIn(own, "mcp_servers") };
  const window = own.model_context_window ?? profile.model_context_window ?? config.model_context_window;
  return {
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(typeof window === "number" && window > 0 && { window }),
    mcpServers: Object.keys(servers).filter((name) => tableIn(servers, name).enabled !== false),
    ...(files.damaged.length > 0 && { damaged: files.damaged }),
  };
}

/** Read only where the user trusts the folder. */
function projectConfig(files: SettingsFiles, config: JsonObject, project: string): JsonObject {
  const { trust_level: trust } = tableIn(tableIn(config, "projects"), project);
  return trust === "trusted" ? files.read(fileIn(join(project, ".codex"))) : {};
}

/** The folders that the user was asked to trust. */
export async function projects(home: Home): Promise<string[]> {
  return Object.keys(tableIn(configIn(codexHome(home)), "projects"));
}

export function configIn(folder: string): JsonObject {
  return settingsFiles(parse).read(fileIn(folder));
}

function fileIn(folder: string): string {
  return join(folder, "config.toml");
}

function tableIn(table: JsonObject, name: string): JsonObject {
  const inner = table[name];
  return isObject(inner) ? inner : {};
}

/** A writer holds a lock on a file that bears the thread's name; the file may outlive it. */
export async function isLive(ref: SessionRef): Promise<boolean> {
  const lock = join(rootOf(ref.path), "thread-writer-locks", `${ref.originalId}.lock`);
  const found = await stat(lock).catch(() => undefined);
  if (!found) return false;
  const held = await readFile("/proc/locks", "utf8").catch(() => undefined);
  // Where the system does not say who holds what, a lock file is taken for a lock.
  return held === undefined || new RegExp(`:${found.ino}\\s`).test(held);
}
