// Finds an agent's CLI in the search path and asks for its version.
import { execFile } from "node:child_process";
import { access, constants, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Home } from "./adapter.ts";

/** A busy machine takes its time to start a program of 200 MB. */
const TIMEOUT_MS = 30_000;

interface Program {
  version: string;
  path: string;
}

/** What was answered in this process: to ask takes seconds. */
const answers = new Map<string, Promise<Program | undefined>>();

/** `env`: what keeps the CLI quiet; where a variable names its home, the value is a path inside the one it is given. */
export async function programVersion(
  name: string,
  home: Home,
  env: (home: string) => Record<string, string>,
): Promise<Program | undefined> {
  const path = await findProgram(name, home);
  if (path === undefined) return undefined;
  const { mtimeMs, size } = await stat(path);
  // Another program under the same path is asked anew.
  const key = [path, mtimeMs, size].join(" ");
  const answer = answers.get(key) ?? asked(path, name, searchPath(home), env);
  answers.set(key, answer);
  return answer;
}

async function asked(
  path: string,
  name: string,
  search: string,
  env: (home: string) => Record<string, string>,
): Promise<Program | undefined> {
  // A home of its own, because a CLI may write into its home whatever it is asked.
  const folder = await mkdtemp(join(tmpdir(), `baton-${name}-`));
  try {
    const options = { env: { PATH: search, HOME: folder, ...env(folder) }, timeout: TIMEOUT_MS };
    const { stdout } = await promisify(execFile)(path, ["--version"], options);
    const found = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
    return found === undefined ? undefined : { version: found, path };
  } catch {
    // A program of this name that does not answer is not the CLI.
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function searchPath(home: Home): string {
  return home.env.PATH ?? process.env.PATH ?? "";
}

/** Where a program of this name lies, without starting it. */
export async function findProgram(name: string, home: Home): Promise<string | undefined> {
  const names = process.platform === "win32" ? [`${name}.cmd`, `${name}.exe`] : [name];
  for (const folder of searchPath(home)
    .split(delimiter)
    .filter((one) => one !== ""))
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
