// The process that a CLI runs under while it is being verified: node guard.ts SOCKET PORT COMMAND ARGUMENTS…
// It ends the CLI and all its children when whoever started it is gone. Inside a network namespace (SOCKET is
// then not "-") it carries the port of the loopback model across, because a Unix socket is not bound to one.
import { spawn, spawnSync } from "node:child_process";
import { connect, createServer, Socket } from "node:net";

/** The reading end of a pipe that only the starter holds open. */
const LIFELINE = 3;

const [socket = "-", port = "0", command = "", ...args] = process.argv.slice(2);

new Socket({ fd: LIFELINE }).on("close", endAll).on("error", endAll).resume();

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
  const child = spawn(command, args, { stdio: ["inherit", "inherit", "inherit"] });
  child.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
}

function endAll(): void {
  // The first process of a process namespace takes everything in it along.
  if (process.pid === 1) process.exit(1);
  // Elsewhere the starter has made this process the leader of a group.
  process.kill(-process.pid, "SIGKILL");
}
