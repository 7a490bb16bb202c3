// What is installed and how it is set up: the CLI itself, its configuration, and whether it holds a session.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import type { Configuration, Home, SessionRef } from "../adapter.ts";
import { programVersion } from "../program.ts";
import { isObject, word } from "./native.ts";
import { codexHome, rootOf } from "./paths.ts";

export function version(home: Home): Promise<{ version: string; path: string } | undefined> {
  return programVersion("codex", home, (folder) => ({ CODEX_HOME: folder }));
}

/** A broken configuration file is the CLI's to complain about. */
export async function configuration(home: Home): Promise<Configuration> {
  const file = join(codexHome(home), "config.toml");
  const source = await readFile(file, "utf8").catch(() => "");
  const config = tableOf(source);
  const model = word(config.model);
  const provider = word(config.model_provider);
  return {
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    mcpServers: isObject(config.mcp_servers) ? Object.keys(config.mcp_servers) : [],
  };
}

/** The folders that the user was asked to trust. */
export async function projects(home: Home): Promise<string[]> {
  const config = tableOf(await readFile(join(codexHome(home), "config.toml"), "utf8").catch(() => ""));
  return isObject(config.projects) ? Object.keys(config.projects) : [];
}

function tableOf(source: string): Record<string, unknown> {
  try {
    return parse(source);
  } catch {
    return {};
  }
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
