#!/usr/bin/env node
// Closes its input, says so and goes on.
import { closeSync } from "node:fs";

closeSync(0);
console.log("closed");
setInterval(() => undefined, 1000);
