#!/usr/bin/env node
// Prints a file once it is told anything, and ends when it is told no more.
import { createReadStream } from "node:fs";

process.stdin.once("data", () => createReadStream(process.env.FILE).pipe(process.stdout, { end: false }));
process.stdin.on("end", () => process.exit(0));
