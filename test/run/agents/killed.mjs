#!/usr/bin/env node
// Is killed in the middle of its work.
process.stdout.write("at work\n", () => process.kill(process.pid, "SIGKILL"));
