#!/usr/bin/env node
// Ends when it is asked to. Has a process in its group that does not, that knows nothing of the run, holds one
// of its outputs open, and whose parent has ended.
import { execFileSync } from "node:child_process";

const stubborn = `process.on("SIGTERM", () => undefined);
  process.stdout.write(String(process.pid), () => require("node:fs").closeSync(1));
  setInterval(() => undefined, 1000)`;
const script = `"$0" -e '${stubborn}' &`;
const pid = execFileSync("sh", ["-c", script, process.execPath], {
  encoding: "utf8",
  env: {},
  stdio: ["ignore", "pipe", "inherit"],
});
process.stdout.write(`guard ${process.ppid}\nself ${process.pid}\nchild ${pid}\nall there\n`);
setInterval(() => undefined, 1000);
