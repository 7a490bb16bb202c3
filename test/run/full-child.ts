// node full-child.ts: starts an agent when this process may open nothing more, and says how its turns ended.
import { openSync } from "node:fs";
import { agent, startFake } from "./fake.ts";

function openAll(): void {
  try {
    for (;;) openSync("/dev/null", "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EMFILE") throw error;
  }
}

openAll();
const one = startFake({ program: agent("slow.mjs") });
one.run.prompt("Hello");
one.run.finish();
await one.over;
console.log(JSON.stringify(one.events.filter(({ type }) => type === "result")));
