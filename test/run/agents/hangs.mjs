#!/usr/bin/env node
// Reads everything, says nothing, never ends.
process.stdin.resume();
setInterval(() => undefined, 1000);
