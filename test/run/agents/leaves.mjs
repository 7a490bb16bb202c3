#!/usr/bin/env node
// Leaves a child behind that has moved to a session of its own and holds the output open; says its number.
import { spawn } from "node:child_process";

const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], {
  detached: true,
  stdio: ["ignore", "inherit", "inherit"],
});
process.stdout.write(`child ${child.pid}\n`, () => process.exit(0));
