// Runs a real CLI where it can do no harm: a private home, an empty project, a clean environment, no way to
// any host but the loopback model, and an end to it all when the time is up.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { guarded, lifelineOf } from "../adapters/guarded.ts";

/** namespace = the kernel keeps the CLI off the network; proxy = it is told to use a proxy that refuses. */
export type Isolation = "namespace" | "proxy";

export interface Cell {
  home: string;
  cwd: string;
  isolation: Isolation;
  run(command: CellCommand): Promise<Outcome>;
  /** Ends what still runs and removes everything. */
  close(): Promise<void>;
}

export interface CellCommand {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  stdin?: string;
  /** The input stays open until this is so; absent = it is closed at once. */
  isComplete?(stdout: string): boolean;
  timeoutMs: number;
}

export interface Outcome {
  /** null when it was ended by us. */
  exitCode: number | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
}

/** More than this of an output is of no use for a diagnosis. */
const MOST_OUTPUT = 4 << 20;
const LAST_OUTPUT_MS = 2000;

export async function openCell(port: number, isolation = isolationHere()): Promise<Cell> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "baton-verify-")));
  const running = new Set<ChildProcess>();
  // Ctrl-C ends the process at any point, and a copy of the session must not stay behind.
  const removeNow = () => {
    for (const child of running) endGroup(child);
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once("exit", removeNow);
  const home = join(root, "home");
  const cwd = join(root, "project");
  await layOut(root, home, cwd);
  const bridge = isolation === "namespace" ? await bridgeTo(port, join(root, "loopback.sock")) : undefined;
  return {
    home,
    cwd,
    isolation,
    run: (command) => runInside({ root, home, cwd, port, isolation }, command, running),
    async close() {
      for (const child of running) endGroup(child);
      bridge?.close();
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
      process.off("exit", removeNow);
    },
  };
}

async function layOut(root: string, home: string, cwd: string): Promise<void> {
  for (const folder of [home, join(root, "tmp"), join(root, "bin"), join(cwd, ".git", "objects")])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  // The least that git takes for a repository: agents look for one, and must not find one further up.
  await mkdir(join(cwd, ".git", "refs", "heads"), { recursive: true });
  await writeFile(join(cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(cwd, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  await symlink(process.execPath, join(root, "bin", "node"));
}

let known: Isolation | undefined;

/** Whether this user may make a network namespace, tried once. */
export function isolationHere(): Isolation {
  known ??= process.platform === "linux" && mayUnshare() ? "namespace" : "proxy";
  return known;
}

/** A process namespace as well: a CLI's daemons then end with it, whatever group they moved to. */
const UNSHARE = [
  "unshare",
  "--user",
  "--map-root-user",
  "--net",
  "--pid",
  "--fork",
  "--kill-child",
  "--",
] as const;

function mayUnshare(): boolean {
  const [program, ...args] = [...UNSHARE, "ip", "link", "set", "lo", "up"];
  return spawnSync(program, args, { stdio: "ignore", timeout: 10_000 }).status === 0;
}

/** A Unix socket that leads to the loopback model. */
function bridgeTo(port: number, path: string): Promise<Server> {
  const server = createServer((inner) => {
    const outer = connect(port, "127.0.0.1");
    inner.pipe(outer).pipe(inner);
    inner.on("error", () => outer.destroy());
    outer.on("error", () => inner.destroy());
  });
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(path, () => resolve(server));
  });
}

interface Inside {
  root: string;
  home: string;
  cwd: string;
  port: number;
  isolation: Isolation;
}

async function runInside(inside: Inside, command: CellCommand, running: Set<ChildProcess>): Promise<Outcome> {
  const isApart = inside.isolation === "namespace";
  const socket = isApart ? join(inside.root, "loopback.sock") : "-";
  const own = guarded(command.argv, { socket, port: inside.port });
  const [program = "", ...args] = isApart ? [...UNSHARE, ...own] : own;
  const child = spawn(program, args, {
    cwd: inside.cwd,
    env: environment(inside, command.env),
    // The fourth is the guard's lifeline: it closes when this process ends, however it ends.
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  try {
    return await outcomeOf(child, command);
  } finally {
    endGroup(child);
    running.delete(child);
  }
}

/** Nothing of the user's environment: neither keys nor variables that lead to a store. */
function environment(inside: Inside, env: Readonly<Record<string, string>>): Record<string, string> {
  const proxy = `http://127.0.0.1:${inside.port}`;
  const local = "127.0.0.1,localhost,::1";
  const path = [join(inside.root, "bin"), "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];
  return {
    PATH: path.join(":"),
    HOME: inside.home,
    TMPDIR: join(inside.root, "tmp"),
    LANG: "C.UTF-8",
    TERM: "dumb",
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    NO_PROXY: local,
    no_proxy: local,
    ...env,
  };
}

function outcomeOf(child: ChildProcess, command: CellCommand): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const stdout = gather(child.stdout);
    const stderr = gather(child.stderr);
    const { status } = lifelineOf(child);
    let timedOut = false;
    const watchdog = setTimeout(() => {
      timedOut = true;
      endGroup(child);
    }, command.timeoutMs);
    child.on("error", reject);
    child.on("exit", (exitCode) => {
      clearTimeout(watchdog);
      endGroup(child);
      const finish = () =>
        resolve({ exitCode: status() ?? exitCode, timedOut, stdout: stdout(), stderr: stderr() });
      child.on("close", finish);
      // A daemon that left the group may hold the outputs open for ever.
      setTimeout(finish, LAST_OUTPUT_MS).unref();
    });
    // A CLI that does not read its input closes it early; that is its own affair.
    child.stdin?.on("error", () => undefined);
    child.stdin?.write(command.stdin ?? "");
    if (!command.isComplete) child.stdin?.end();
    child.stdout?.on("data", () => {
      if (command.isComplete?.(stdout())) child.stdin?.end();
    });
  });
}

function gather(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST_OUTPUT) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // Gone already, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Puts files into a private home, folders included. */
export async function layDown(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { mode: 0o600 });
  }
}
