// Runs what is measured in processes of their own, so that memory and warm-up are those of the task alone.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A whole process: from its start to its end. */
export interface Ran {
  ms: number;
  stdout: string;
}

const BATON = join(import.meta.dirname, "../bin/baton.js");
/** As the program itself does: what was compiled once is not compiled again. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, "../node_modules/.cache/baton");

export interface Place {
  home: string;
  batonHome: string;
}

/** `baton …` with a private home. */
export function runBaton(args: readonly string[], place: Place): Promise<Ran> {
  return runNode([BATON, ...args, "--home", place.home], environment(place));
}

function environment({ home, batonHome }: Place): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, BATON_HOME: batonHome, NO_COLOR: "1" };
}

export async function runNode(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), "baton-bench-run-"));
  const output = join(folder, "stdout");
  const file = openSync(output, "w");
  try {
    const start = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", file, "pipe"] });
    let stderr = "";
    child.stderr?.on("data", (text) => {
      stderr += text;
    });
    const [code] = (await once(child, "close")) as [number];
    const ms = performance.now() - start;
    if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}: ${stderr.slice(-2000)}`);
    return { ms, stdout: readFileSync(output, "utf8") };
  } finally {
    closeSync(file);
    await rm(folder, { recursive: true });
  }
}

/** The highest resident set of `baton …` with its threads, in bytes: in a run of its own, because to note it takes time. */
export async function memoryOf(args: readonly string[], place: Place): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "baton-bench-memory-"));
  const noted = join(folder, "exit.json");
  try {
    const preload = ["--import", join(import.meta.dirname, "at-exit.mjs")];
    await runNode([...preload, BATON, ...args, "--home", place.home], {
      ...environment(place),
      BENCH_EXIT_FILE: noted,
    });
    return (JSON.parse(readFileSync(noted, "utf8")) as { rss: number }).rss;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The shortest that a Node process can be. */
export async function runNothing(): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore" });
  await once(child, "close");
  return performance.now() - start;
}

/** A task of one of the scripts beside this one; it prints one JSON line. */
export async function task<Result>(script: string, ...args: string[]): Promise<Result> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, script), ...args],
    { encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, NODE_COMPILE_CACHE } },
  );
  return JSON.parse(stdout) as Result;
}

/** `baton …` that goes on until it is ended. */
export function startBaton(args: readonly string[], place: Place): ChildProcess {
  return spawn(process.execPath, [BATON, ...args, "--home", place.home], {
    env: environment(place),
    stdio: ["ignore", "ignore", "inherit"],
  });
}
