#!/usr/bin/env node
// Has a process in its group that knows nothing of the run, and whose parent has ended.
import { execFileSync } from "node:child_process";

const script = '"$0" -e "setInterval(() => undefined, 1000)" >/dev/null 2>&1 & echo $!';
const pid = execFileSync("sh", ["-c", script, process.execPath], { encoding: "utf8", env: {} });
process.stdout.write(`guard ${process.ppid}\nchild ${pid.trim()}\nall there\n`);
setInterval(() => undefined, 1000);
