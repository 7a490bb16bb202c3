#!/usr/bin/env node
// A hundred thousand lines as fast as they are taken.
import { once } from "node:events";

for (let line = 0; line < 100_000; line++)
  if (!process.stdout.write(`a line of no protocol, number ${line}\n`)) await once(process.stdout, "drain");
