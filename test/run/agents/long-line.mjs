#!/usr/bin/env node
// One line of five megabytes.
process.stdout.write(`${"x".repeat(5 << 20)}\n`);
