// Installs the real CLIs that the tests drive, each from a manifest of its own, into a folder that outlives the
// checkout: the folder's name is a hash of what pins it, so a fresh clone finds what another one installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CLIS = {
  claude: "@anthropic-ai/claude-code",
  codex: "@openai/codex",
  opencode: "opencode-ai",
  gemini: "@google/gemini-cli",
} as const;
export type CliName = keyof typeof CLIS;
export const NAMES = Object.keys(CLIS) as CliName[];

export interface Cli {
  name: CliName;
  version: string;
  path: string;
}

/** Not under the home folder: the tests promise to leave that alone. */
const CACHE = process.env.BATON_CLI_CACHE ?? join(tmpdir(), "baton-cli-cache");

/** Versions to take instead of the pinned ones, such as "claude@2.1.325,codex@0.166.0". */
const CHOSEN = new Map(
  process.env.BATON_CLI_VERSIONS?.split(",").map((one) => one.split("@") as [string, string]),
);

/** The pinned version, or another one by its npm tag or number. */
export async function installCli(name: CliName, version = CHOSEN.get(name)): Promise<Cli> {
  const folder = version === undefined ? await installPinned(name) : await installOther(name, version);
  const manifest = JSON.parse(
    await readFile(join(folder, "node_modules", CLIS[name], "package.json"), "utf8"),
  );
  return { name, version: manifest.version, path: join(folder, "node_modules", ".bin", name) };
}

async function installPinned(name: CliName): Promise<string> {
  const pinned = join(import.meta.dirname, "clis", name);
  const files = ["package.json", "package-lock.json"].filter((file) => existsSync(join(pinned, file)));
  const lock = await readFile(join(pinned, files.at(-1) ?? ""));
  const hash = createHash("sha256").update(lock).update(`${process.platform}-${process.arch}`).digest("hex");
  const folder = join(CACHE, `${name}-${hash.slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  return intoPlace(folder, async (temporary) => {
    for (const file of files) await copyFile(join(pinned, file), join(temporary, file));
    // A package without dependencies but those of its platform is pinned by its manifest's exact version.
    npm(temporary, [files.length === 2 ? "ci" : "install"]);
  });
}

/** A tag is asked for anew, because it moves; the version it then stands for is kept. */
async function installOther(name: CliName, version: string): Promise<string> {
  const isExact = /^\d+\.\d+\.\d+/.test(version);
  const exact = isExact ? version : npm(await cache(), ["view", `${CLIS[name]}@${version}`, "version"]);
  if (exact === (await pinnedVersion(name))) return installPinned(name);
  const folder = join(CACHE, `${name}-${exact}`);
  if (existsSync(folder)) return folder;
  return intoPlace(folder, async (temporary) => {
    await writeFile(join(temporary, "package.json"), JSON.stringify({ private: true }));
    npm(temporary, ["install", `${CLIS[name]}@${exact}`]);
  });
}

async function pinnedVersion(name: CliName): Promise<string> {
  const manifest = await readFile(join(import.meta.dirname, "clis", name, "package.json"), "utf8");
  return JSON.parse(manifest).dependencies[CLIS[name]];
}

/** Whoever comes second finds the first one's work and throws its own away. */
async function intoPlace(folder: string, fill: (temporary: string) => Promise<void>): Promise<string> {
  const temporary = await mkdtemp(join(await cache(), "installing-"));
  try {
    await fill(temporary);
    if (!existsSync(folder)) await rename(temporary, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

async function cache(): Promise<string> {
  await mkdir(CACHE, { recursive: true, mode: 0o700 });
  return CACHE;
}

function npm(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("npm", [...args, "--no-audit", "--no-fund"], {
    cwd,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed: ${error?.message ?? stderr.trim()}`);
  return stdout.trim();
}
