#!/usr/bin/env node
// Closes its input and goes on.
import { closeSync } from "node:fs";

closeSync(0);
setInterval(() => undefined, 1000);
