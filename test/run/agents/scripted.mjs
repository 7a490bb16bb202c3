#!/usr/bin/env node
// Answers each prompt with the lines that it was given as arguments, which are JSON or not. A line with a `wait` goes
// out once something else than a prompt was told.
import { createInterface } from "node:readline";

const lines = process.argv.slice(2);
let rest = [];
const go = () => {
  while (rest.length > 0) {
    const line = rest.shift();
    if (line === "wait") return;
    if (line === "exit") process.exit(0);
    process.stdout.write(`${line}\n`);
  }
};
createInterface({ input: process.stdin }).on("line", (told) => {
  const { type } = JSON.parse(told);
  if (type === "prompt") rest = [...lines];
  go();
});
