#!/usr/bin/env node
// Talks for as long as nobody interrupts it, and stops at once when somebody does. It complains every second in which
// nobody takes what it says, and once it has been told to stop. Any later prompt it answers at once. With STUBBORN it does not stop.
import { once } from "node:events";
import { createInterface } from "node:readline";

const say = (event) => process.stdout.write(`${JSON.stringify({ event })}\n`);
let isTold = false;

createInterface({ input: process.stdin }).on("line", (line) => {
  const { type } = JSON.parse(line);
  if (type === "interrupt") {
    isTold = !process.env.STUBBORN;
    console.error("told");
  } else if (isTold) say({ type: "result" });
  else void talk();
});

async function talk() {
  while (!isTold) {
    if (say({ type: "text", text: "x".repeat(1000) })) await new Promise(setImmediate);
    else await taken();
  }
  say({ type: "result", interrupted: true });
}

async function taken() {
  const complaint = setInterval(() => console.error("held"), 1000);
  await once(process.stdout, "drain");
  clearInterval(complaint);
}
