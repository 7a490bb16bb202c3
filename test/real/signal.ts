// node signal.ts SIGNAL WHEN COMMAND ARGUMENTS…: runs a command and signals it as soon as WHEN is so: a file
// is there (file:PATH), or the command printed something (output:TEXT).
import { spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { dirname } from "node:path";
import { drawnText } from "./terminal.ts";

const [signal = "SIGTERM", when = "", command = "", ...args] = process.argv.slice(2);
const wanted = when.slice(when.indexOf(":") + 1);
const child = spawn(command, args, { stdio: ["inherit", "pipe", "inherit"] });
const watcher = when.startsWith("file:") ? watch(dirname(wanted), lookForFile) : undefined;
let printed = "";

child.stdout.on("data", (chunk: Buffer) => {
  process.stdout.write(chunk);
  printed += chunk;
  if (watcher === undefined && drawnText(printed).includes(wanted)) child.kill(signal as NodeJS.Signals);
});
child.on("exit", (code, ended) => {
  watcher?.close();
  process.exitCode = code ?? (ended === null ? 1 : 128);
});
if (watcher) lookForFile();

function lookForFile(): void {
  if (!existsSync(wanted)) return;
  watcher?.close();
  child.kill(signal as NodeJS.Signals);
}
