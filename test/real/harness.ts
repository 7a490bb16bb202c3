// Drives a real CLI in a private home against the loopback model, turn by turn, and hands out the requests it
// made and the files it wrote.
import { appendFile, cp, glob, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Exchange } from "../../src/loopback/log.ts";
import type { Reply } from "../../src/loopback/reply.ts";
import type { ModelRequest } from "../../src/loopback/request.ts";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { type Cell, type Isolation, layDown, type Outcome, openCell } from "../../src/verify/run.ts";
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
  start(prompt: string, replies: Replies, more?: TurnOptions): Promise<Turn>;
  resume(id: string, prompt: string, replies: Replies, more?: TurnOptions): Promise<Turn>;
  /** Runs the CLI with arguments of one's own. */
  run(args: readonly string[], replies?: Replies, more?: TurnOptions): Promise<Turn>;
  /** Runs any command where the CLI runs. */
  exec(argv: readonly string[], replies?: Replies, more?: TurnOptions): Promise<Turn>;
  /** A copy of the home as it is now, which later turns do not touch. */
  snapshot(): Promise<string>;
  /** Changes the CLI's configuration file, which is the driver's first. */
  configure(change: (config: string) => string): Promise<void>;
  /** The records of a session's file. */
  records(id: string): Promise<Record<string, unknown>[]>;
  /** Adds a record to a session's file, for what the CLI does only in a terminal. */
  append(id: string, record: unknown): Promise<void>;
  /** Changes a session's file, as if its CLI had been set up differently. */
  rewrite(id: string, change: (content: string) => string): Promise<void>;
  /** Puts a file into the project. */
  write(name: string, content: string | Uint8Array): Promise<string>;
  close(): Promise<void>;
}

type Answer = Reply | ((request: ModelRequest) => Reply);

/** What the model says, in order, or what it says to a request; when there is no more, a short text. */
export type Replies = readonly Answer[] | ((request: ModelRequest) => Reply);

export interface TurnOptions {
  stdin?: string;
  isComplete?(stdout: string): boolean;
  /** Sent to the CLI as soon as a file of its project is there, or it printed a text. */
  signal?: { name: NodeJS.Signals } & ({ file: string } | { output: string });
}

export interface Turn extends Outcome {
  id: string;
  requests: readonly Exchange[];
}

const TURN_MS = 180_000;

export interface RigOptions {
  cli?: Cli;
  isolation?: Isolation;
  /** Models with the same secret take each other's signatures. */
  secret?: string;
  /** Where other CLIs of the same user are; it stays open. */
  place?: Place;
}

/** A home with a project and a model: several CLIs of one user may share it. */
export interface Place {
  cell: Cell;
  loopback: Loopback;
  /** What the model says from now on. */
  answer(replies: Replies): void;
  close(): Promise<void>;
}

export async function openPlace(options: { secret?: string; isolation?: Isolation; strict?: boolean } = {}) {
  let next: (request: ModelRequest) => Reply | undefined = () => undefined;
  const loopback = await startLoopback({
    script: (request) => next(request) ?? { text: "Understood." },
    strict: options.strict ?? true,
    ...(options.secret !== undefined && { secret: options.secret }),
  });
  const cell = await openCell(loopback.port, options.isolation);
  const place: Place = {
    cell,
    loopback,
    answer(replies) {
      const queue = typeof replies === "function" ? [] : [...replies];
      next = (request) => {
        const answer = typeof replies === "function" ? replies : queue.shift();
        return typeof answer === "function" ? answer(request) : answer;
      };
    },
    async close() {
      await cell.close();
      await loopback.close();
    },
  };
  return place;
}

export async function openRig(name: CliName, options: RigOptions = {}): Promise<Rig> {
  const installed = options.cli ?? (await installCli(name));
  const driver = DRIVERS[name];
  const place = options.place ?? (await openPlace({ ...options, strict: driver.sendsTwice !== true }));
  const { cell, loopback } = place;
  await layDown(cell.home, driver.files(loopback.url));
  const snapshots: string[] = [];

  async function exec(
    command: readonly string[],
    replies: Replies = [],
    more: TurnOptions = {},
  ): Promise<Turn> {
    place.answer(replies);
    const first = loopback.requests.length;
    const { signal, ...rest } = more;
    const argv = signal ? signalled(cell, signal, command) : command;
    const env = driver.env(cell.home, loopback.url);
    const outcome = await cell.run({ argv, env, timeoutMs: TURN_MS, ...rest });
    return { ...outcome, id: driver.idOf(outcome.stdout) ?? "", requests: loopback.requests.slice(first) };
  }

  async function fileOf(id: string): Promise<string> {
    const file = driver.file?.(id) ?? `*${id}.jsonl`;
    for await (const path of glob(join(driver.store(cell.home), "**", file))) return path;
    throw new Error(`${name} has written no session ${id}`);
  }

  const told = (prompt: string) => (driver.stdin ? { stdin: driver.stdin(prompt) } : {});
  const run: Rig["run"] = (args, replies, more) => exec([installed.path, ...args], replies, more);
  return {
    name,
    cli: installed,
    home: cell.home,
    cwd: cell.cwd,
    driver,
    loopback,
    run,
    exec,
    start: (prompt, replies, more) => run(driver.start(prompt), replies, { ...told(prompt), ...more }),
    resume: (id, prompt, replies, more) =>
      run(driver.resume(id, prompt), replies, { ...told(prompt), ...more }),
    async snapshot() {
      const copy = await realpath(await mkdtemp(join(tmpdir(), "baton-home-")));
      snapshots.push(copy);
      await cp(cell.home, copy, { recursive: true, preserveTimestamps: true });
      return copy;
    },
    async configure(change) {
      const [file] = Object.keys(driver.files(""));
      if (file !== undefined) await changed(join(cell.home, file), change);
    },
    rewrite: async (id, change) => changed(await fileOf(id), change),
    async records(id) {
      const text = await readFile(await fileOf(id), "utf8");
      return text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    },
    append: async (id, record) => appendFile(await fileOf(id), `${JSON.stringify(record)}\n`),
    async write(file, content) {
      const path = join(cell.cwd, file);
      await writeFile(path, content);
      return path;
    },
    async close() {
      if (!options.place) await place.close();
      for (const copy of snapshots) await rm(copy, { recursive: true, force: true });
    },
  };
}

async function changed(path: string, change: (content: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, "utf8")));
}

type Signal = NonNullable<TurnOptions["signal"]>;

function signalled(cell: Cell, signal: Signal, command: readonly string[]): string[] {
  const program = join(import.meta.dirname, "signal.ts");
  const when = "file" in signal ? `file:${join(cell.cwd, signal.file)}` : `output:${signal.output}`;
  return ["node", program, signal.name, when, ...command];
}
