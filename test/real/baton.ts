// Runs `baton` as a user does: by its launcher, with the real CLIs in PATH and nothing else of our environment.
import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import type { Replies, Rig } from "./harness.ts";
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

export async function programs(): Promise<string> {
  const folders: string[] = [];
  for (const name of NAMES) folders.push(dirname((await installCli(name)).path));
  return [...folders, dirname(process.execPath), ...SYSTEM].join(delimiter);
}

export async function baton(home: string, cwd: string, ...args: string[]): Promise<Answer> {
  const PATH = await programs();
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

/** The same where a CLI runs, with the network and the account that it has. */
export async function batonIn(rig: Rig, args: readonly string[], replies: Replies = []): Promise<Answer> {
  const command = ["env", `PATH=${await programs()}`, process.execPath, LAUNCHER, ...args, "--json"];
  const { exitCode, stdout, stderr } = await rig.exec(command, replies);
  return { status: exitCode ?? -1, stderr, result: stdout === "" ? undefined : JSON.parse(stdout) };
}
