#!/usr/bin/env node
// Writes down what it has when it is asked to end, which takes it a while, and ends. What it leaves has left its group, knows nothing of the run,
// and has no parent any more by then.
import { spawn } from "node:child_process";

const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], {
  detached: true,
  env: {},
  stdio: "ignore",
});
const writeDown = () => process.stdout.write("written down\n", () => process.exit(0));
process.on("SIGTERM", () => setTimeout(writeDown, 200));
process.stdout.write(`child ${child.pid}\nall there\n`);
setInterval(() => undefined, 1000);
