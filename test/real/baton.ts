// Runs `baton` as a user does: by its launcher, with the real CLIs in PATH and nothing else of our environment.
import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { installCli, NAMES } from "./install.ts";

const LAUNCHER = join(import.meta.dirname, "../../bin/baton.js");
const SYSTEM = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

export interface Answer {
  status: number;
  stderr: string;
  /** What was printed under --json. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it asks for.
  result: any;
}

export async function baton(home: string, cwd: string, ...args: string[]): Promise<Answer> {
  const folders: string[] = [];
  for (const name of NAMES) folders.push(dirname((await installCli(name)).path));
  const PATH = [...folders, dirname(process.execPath), ...SYSTEM].join(delimiter);
  return new Promise((resolve) => {
    const options = { cwd, env: { PATH, HOME: home } };
    const child = execFile(process.execPath, [LAUNCHER, ...args, "--json"], options, (_, stdout, stderr) =>
      resolve({
        status: child.exitCode ?? -1,
        stderr,
        result: stdout === "" ? undefined : JSON.parse(stdout),
      }),
    );
  });
}
