// node signal.ts SIGNAL FILE COMMAND ARGUMENTS…: runs a command and signals it as soon as a file is there.
import { spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { dirname } from "node:path";

const [signal = "SIGTERM", file = "", command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: "inherit" });
const watcher = watch(dirname(file), look);
look();
child.on("exit", (code, ended) => {
  watcher.close();
  process.exitCode = code ?? (ended === null ? 1 : 128);
});

function look(): void {
  if (!existsSync(file)) return;
  watcher.close();
  child.kill(signal as NodeJS.Signals);
}
