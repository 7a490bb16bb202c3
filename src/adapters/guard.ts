// The process that an agent's CLI runs under: node guard.ts SOCKET PORT COMMAND ARGUMENTS…
// It ends the CLI and all its children when its starter says so or is gone, however that came about, and what the CLI has
// left behind when it ends by itself: itself too, being in their group. Inside a network namespace (SOCKET is then not "-")
// it carries the port of the loopback model across, because a Unix socket is not bound to one.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync } from "node:fs";
import { connect, createServer, Socket } from "node:net";
import { constants } from "node:os";
import { end, endStrays, straysOf } from "./strays.ts";

/** Its other end only the starter has: it ends when that is gone or wants the CLI to end, and is told the CLI's status. */
const LIFELINE = 3;
/** For the CLI to write down what it has. */
const GRACE_MS = 1000;

const [socket = "-", port = "0", command = "", ...args] = process.argv.slice(2);
/** A word that all processes of this run have in their environment, in whatever group they are. */
const mark = process.env.BATON_RUN_MARK;
/** Once their parents have ended, nobody could tell of some whose they were. */
let known: ReadonlySet<number> = new Set();
let isEnding = false;

// Its end says to end the CLI, whose status is still to be told then.
const lifeline = new Socket({ fd: LIFELINE, allowHalfOpen: true });
lifeline.on("end", endGently).on("error", endGently).resume();

if (socket === "-") start();
else carryPort(socket, Number(port), start);

function carryPort(path: string, at: number, ready: () => void): void {
  // A new namespace has its loopback device switched off.
  spawnSync("ip", ["link", "set", "lo", "up"], { stdio: "ignore" });
  const server = createServer((inner) => {
    const outer = connect(path);
    inner.pipe(outer).pipe(inner);
    inner.on("error", () => outer.destroy());
    outer.on("error", () => inner.destroy());
  });
  server.listen(at, "127.0.0.1", ready);
}

function start(): void {
  const child = spawned();
  // Otherwise nobody would notice when the CLI closes its input.
  closeSync(0);
  // They are for the CLI, which has them too: the group gets them as a whole.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  child.on("error", notStarted);
  child.on("exit", (code, signal) => {
    const status = code ?? (signal === null ? 1 : 128 + constants.signals[signal]);
    // The starter may be gone before it could end what the CLI has left, so that is done here, which leaves no exit status.
    lifeline.write(String(status), endAll);
  });
}

function spawned(): ChildProcess {
  try {
    return spawn(command, args, { stdio: ["inherit", "inherit", "inherit"] });
  } catch (error) {
    // Such as a program that is just being written. What is most common is an event.
    return notStarted(error);
  }
}

function notStarted(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(127);
}

function endGently(): void {
  if (isEnding) return;
  isEnding = true;
  if (mark === undefined) {
    endAll();
    return;
  }
  known = straysOf(mark);
  process.kill(-process.pid, "SIGTERM");
  setTimeout(endAll, GRACE_MS);
}

function endRest(): void {
  if (mark === undefined) return;
  for (const pid of known) end(pid);
  endStrays(mark);
}

function endAll(): void {
  endRest();
  // The first process of a process namespace takes everything in it along.
  if (process.pid === 1) process.exit(1);
  // Elsewhere the starter has made this process the leader of a group.
  process.kill(-process.pid, "SIGKILL");
}
