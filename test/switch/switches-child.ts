// A process of its own that switches sessions again and again. Usage: switches-child.ts HOME TO TIMES ID…
import { adapters } from "../../src/adapters/index.ts";
import { switchOver } from "../../src/switch/switch-over.ts";
import { find, named } from "./world.ts";

const [dir = "", to = "", times = "", ...ids] = process.argv.slice(2);
const world = { home: { dir, env: {} }, batonHome: `${dir}/.baton` };
const failed: string[] = [];
// The same moment for all, so that nothing but the time would tell them apart.
const now = new Date("2026-01-02T03:04:05.678Z");

for (let time = 0; time < Number(times); time++)
  for (const id of ids) {
    const { ref, source } = await find(world, { agent: named("claude"), id });
    const request = {
      ...world,
      source,
      from: ref,
      to: named(to),
      adapters,
      kind: "resume",
      anew: true,
      now,
    } as const;
    await switchOver(request).then(
      ({ problems = [] }) => failed.push(...problems),
      (error: Error) => failed.push(error.message),
    );
  }
console.log(JSON.stringify(failed));
