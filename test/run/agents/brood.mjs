#!/usr/bin/env node
// Does not end when it is asked to, and has three children: one in its group, one in a session of its own,
// and one that also knows nothing of the run.
import { spawn } from "node:child_process";

const STUBBORN =
  'process.on("SIGTERM", () => undefined); process.stdout.write("up\\n"); setInterval(() => undefined, 1000)';

function child(detached, env = process.env) {
  const one = spawn(process.execPath, ["-e", STUBBORN], {
    detached,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return new Promise((resolve) => one.stdout.once("data", () => resolve(one.pid)));
}

process.on("SIGTERM", () => undefined);
const pids = [process.pid, await child(false), await child(true), await child(true, {})];
for (const pid of pids) console.log(`pid ${pid}`);
console.log("all there");
setInterval(() => undefined, 1000);
