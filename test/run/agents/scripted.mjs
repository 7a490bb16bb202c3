#!/usr/bin/env node
// Answers each prompt with the lines that it was given as arguments, which are JSON or not. After `wait` it goes on
// once it is told something else, after `later` a second later.
import { createInterface } from "node:readline";

const lines = process.argv.slice(2);
let rest = [];
const go = () => {
  while (rest.length > 0) {
    const line = rest.shift();
    if (line === "wait") return;
    if (line === "later") return void setTimeout(go, 1000);
    if (line === "exit") process.exit(0);
    process.stdout.write(`${line}\n`);
  }
};
createInterface({ input: process.stdin }).on("line", (told) => {
  const { type } = JSON.parse(told);
  if (type === "prompt") rest = [...lines];
  go();
});
