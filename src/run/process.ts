// An agent's process: started under its guard, in a group of its own, with lines going in and out. It ends when it is
// told to, when it ends by itself, or when Baton is gone; nothing that it started outlives it.
import { type ChildProcess, spawn } from "node:child_process";
import { guarded, type Lifeline, lifelineOf } from "../adapters/guarded.ts";
import { end, endStrays } from "../adapters/strays.ts";
import { newLineSplitter } from "./lines.ts";

export interface ProcessOptions {
  argv: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A word that all its children have in their environment, by which they are found. */
  mark: string;
  onLine(line: string): void;
  /** What it complains about, line by line. */
  onComplaint(line: string): void;
  /** It does not take its input any more. */
  onDeaf(): void;
  /** Called once, after the last line. */
  onEnd(ended: Ended): void;
}

export interface Ended {
  exitCode: number | null;
  signal: string | null;
  /** The end of what it complained about. */
  stderr: string;
}

export interface AgentProcess {
  send(line: string): void;
  /** While nobody takes what it says, nothing is read from it. */
  pause(): void;
  resume(): void;
  /** No more input: most agents then end by themselves. */
  closeInput(): void;
  /** Has its guard ask it to end, and end it a second later with all that it has started; a second later we do. */
  end(): void;
}

const LONGEST_COMPLAINT = 8000;
/** A guard that has not ended by then cannot: somebody has stopped it, perhaps with its whole group. */
const ENDING_MS = 2000;
/** A child that left the group may hold the outputs open for ever. */
export const LAST_OUTPUT_MS = 1000;

const nothing = () => undefined;
/** One that is not there. */
export const NO_PROCESS = {
  send: nothing,
  pause: nothing,
  resume: nothing,
  closeInput: nothing,
  end: nothing,
} satisfies AgentProcess;

export function startProcess(options: ProcessOptions): AgentProcess {
  let child: ChildProcess;
  try {
    child = spawned(options);
  } catch (error) {
    // Some of what keeps a process from starting is thrown, such as too long an environment; the rest is an event.
    const stderr = error instanceof Error ? error.message : String(error);
    queueMicrotask(() => options.onEnd({ exitCode: null, signal: null, stderr }));
    return NO_PROCESS;
  }
  const { stdin, stdout } = child;
  const lifeline = lifelineOf(child);
  stdin?.on("error", options.onDeaf);
  follow(child, options, lifeline);
  let ending: NodeJS.Timeout | undefined;
  child.on("exit", () => clearTimeout(ending));
  return {
    send(line) {
      if (stdin?.writable) stdin.write(`${line}\n`);
      else options.onDeaf();
    },
    pause: () => stdout?.pause(),
    resume: () => stdout?.resume(),
    closeInput: () => stdin?.end(),
    end() {
      if (isOver(child)) return;
      lifeline.end();
      ending ??= setTimeout(() => endRest(child, options.mark), ENDING_MS);
    },
  };
}

function spawned({ argv, cwd, env, mark }: ProcessOptions): ChildProcess {
  const [program = "", ...args] = guarded(argv);
  return spawn(program, args, {
    cwd,
    env: { ...env, BATON_RUN_MARK: mark },
    // The fourth is the guard's lifeline: it closes when this process ends, however it ends.
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
}

function follow(child: ChildProcess, options: ProcessOptions, lifeline: Lifeline): void {
  const { stdout, stderr } = child;
  const lines = newLineSplitter(options.onLine);
  let tail = "";
  const complaints = newLineSplitter((line) => {
    tail = `${tail}${line}\n`.slice(-LONGEST_COMPLAINT);
    options.onComplaint(line);
  });
  stdout?.on("data", lines.push);
  stderr?.on("data", complaints.push);
  let isOver = false;
  const finish = (exitCode: number | null, signal: string | null) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(late);
    stdout?.destroy();
    stderr?.destroy();
    lines.end();
    complaints.end();
    lifeline.release();
    const status = lifeline.status();
    options.onEnd({ exitCode: status ?? exitCode, signal: status === null ? signal : null, stderr: tail });
  };
  let late: NodeJS.Timeout | undefined;
  child.on("error", (error) => {
    tail += error.message;
    finish(null, null);
  });
  child.on("exit", (exitCode, signal) => {
    endRest(child, options.mark);
    const look = () => {
      // What is held back for a slow reader is still wanted.
      if (stdout?.isPaused()) late = setTimeout(look, LAST_OUTPUT_MS);
      else finish(exitCode, signal);
    };
    late = setTimeout(look, LAST_OUTPUT_MS);
  });
  child.on("close", finish);
}

/** The guard has done so, unless it could not. Parents tell whose their children are, so the group goes last. */
function endRest({ pid }: ChildProcess, mark: string): void {
  if (pid === undefined) return;
  endStrays(mark);
  end(-pid);
}

/** It was never there, or somebody else may have its number by now. */
function isOver({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}
