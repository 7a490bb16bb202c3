#!/usr/bin/env node
// Does not end when it is asked to.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => undefined);
process.stdin.resume();
setInterval(() => undefined, 1000);
