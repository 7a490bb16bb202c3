// What is installed and how it is set up: the CLI itself, its configuration, and whether it holds a session.
import { execFile } from "node:child_process";
import { access, constants, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { parse } from "smol-toml";
import type { Configuration, Home, SessionRef } from "../adapter.ts";
import { isObject, word } from "./native.ts";
import { codexHome, rootOf } from "./paths.ts";

const TIMEOUT = 10_000;

export async function version(home: Home): Promise<{ version: string; path: string } | undefined> {
  const search = home.env.PATH ?? process.env.PATH ?? "";
  const path = await findProgram("codex", search);
  if (path === undefined) return undefined;
  // A home of its own, because the CLI writes into its home whatever it is asked.
  const folder = await mkdtemp(join(tmpdir(), "baton-codex-"));
  try {
    const env = { PATH: search, HOME: folder, CODEX_HOME: folder };
    const { stdout } = await promisify(execFile)(path, ["--version"], { env, timeout: TIMEOUT });
    const found = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
    return found === undefined ? undefined : { version: found, path };
  } catch {
    // A program of this name that does not answer is not the CLI.
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findProgram(name: string, search: string): Promise<string | undefined> {
  const names = process.platform === "win32" ? [`${name}.cmd`, `${name}.exe`] : [name];
  for (const folder of search.split(delimiter).filter((folder) => folder !== ""))
    for (const candidate of names) {
      const path = join(folder, candidate);
      const isThere = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return path;
    }
  return undefined;
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
