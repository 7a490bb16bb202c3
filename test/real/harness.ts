// Drives a real CLI in a private home against the loopback model, turn by turn, and hands out the requests it
// made and the files it wrote.
import { cp, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exchange } from "../../src/loopback/log.ts";
import type { Reply } from "../../src/loopback/reply.ts";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { type Cell, layDown, type Outcome, openCell } from "../../src/verify/run.ts";
import { DRIVERS, type Driver } from "./drivers.ts";
import { type Cli, type CliName, installCli } from "./install.ts";

export interface Rig {
  name: CliName;
  cli: Cli;
  home: string;
  cwd: string;
  driver: Driver;
  loopback: Loopback;
  /** Starts a session with a prompt; the model answers with these replies, in order. */
  start(prompt: string, replies: Reply[], more?: TurnOptions): Promise<Turn>;
  resume(id: string, prompt: string, replies: Reply[], more?: TurnOptions): Promise<Turn>;
  /** Runs the CLI with arguments of one's own. */
  run(args: readonly string[], replies?: Reply[], more?: TurnOptions): Promise<Turn>;
  /** Runs any command where the CLI runs. */
  exec(argv: readonly string[], replies?: Reply[], more?: TurnOptions): Promise<Turn>;
  /** A copy of the home as it is now, which later turns do not touch. */
  snapshot(): Promise<string>;
  write(name: string, content: string | Uint8Array): Promise<string>;
  close(): Promise<void>;
}

export interface TurnOptions {
  stdin?: string;
  isComplete?(stdout: string): boolean;
  /** Sent to the CLI as soon as this file of its project is there. */
  signal?: { name: NodeJS.Signals; file: string };
}

export interface Turn extends Outcome {
  id: string;
  requests: readonly Exchange[];
}

const TURN_MS = 60_000;

export async function openRig(name: CliName, cli?: Cli): Promise<Rig> {
  const installed = cli ?? (await installCli(name));
  const driver = DRIVERS[name];
  const replies: Reply[] = [];
  const loopback = await startLoopback({ script: () => replies.shift() ?? { text: "Understood." } });
  const cell = await openCell(loopback.port);
  await layDown(cell.home, driver.files(loopback.url));
  const snapshots: string[] = [];

  async function exec(
    command: readonly string[],
    script: Reply[] = [],
    more: TurnOptions = {},
  ): Promise<Turn> {
    replies.splice(0, replies.length, ...script);
    const first = loopback.requests.length;
    const { signal, ...rest } = more;
    const argv = signal ? signalled(cell, signal, command) : command;
    const env = driver.env(cell.home, loopback.url);
    const outcome = await cell.run({ argv, env, timeoutMs: TURN_MS, ...rest });
    return { ...outcome, id: driver.idOf(outcome.stdout) ?? "", requests: loopback.requests.slice(first) };
  }

  const run: Rig["run"] = (args, script, more) => exec([installed.path, ...args], script, more);
  return {
    name,
    cli: installed,
    home: cell.home,
    cwd: cell.cwd,
    driver,
    loopback,
    run,
    exec,
    start: (prompt, script, more) => run(driver.start(prompt), script, more),
    resume: (id, prompt, script, more) => run(driver.resume(id, prompt), script, more),
    async snapshot() {
      const copy = await realpath(await mkdtemp(join(tmpdir(), "baton-home-")));
      snapshots.push(copy);
      await cp(cell.home, copy, { recursive: true, preserveTimestamps: true });
      return copy;
    },
    async write(file, content) {
      const path = join(cell.cwd, file);
      await writeFile(path, content);
      return path;
    },
    async close() {
      await cell.close();
      await loopback.close();
      for (const copy of snapshots) await rm(copy, { recursive: true, force: true });
    },
  };
}

function signalled(cell: Cell, signal: { name: string; file: string }, command: readonly string[]): string[] {
  const program = join(import.meta.dirname, "signal.ts");
  return ["node", program, signal.name, join(cell.cwd, signal.file), ...command];
}
