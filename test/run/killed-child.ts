// node killed-child.ts PROGRAM: runs an agent and says what it says, until it is killed.
import { startFake } from "./fake.ts";

const one = startFake({ program: process.argv[2] ?? "" });
one.run.prompt("Hello");
await one.until((event) => event.type === "raw" && event.text.includes("all there"));
for (const event of one.events) if (event.type === "raw") console.log(event.text);
