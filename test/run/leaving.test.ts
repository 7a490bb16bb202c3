// How an agent is ended: it may write down what it has, and what it has started goes too, however hard that is to find.
import { afterEach, expect, it } from "vitest";
import { agent, type Collected, isRunning, startFake } from "./fake.ts";

const left: number[] = [];
afterEach(() => {
  for (const pid of left.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
});

/** An agent of which everything is there, and which processes it speaks of. */
async function allOf(program: string): Promise<Collected & { pidOf(name: string): number }> {
  const one = startFake({ program: agent(program) });
  one.run.prompt("Hello");
  await one.until((event) => event.type === "raw" && event.text === "all there");
  const pidOf = (name: string) => {
    const pid = Number(new RegExp(`^${name} (\\d+)$`, "m").exec(rawOf(one))?.[1]);
    expect(isRunning(pid)).toBe(true);
    left.push(pid);
    return pid;
  };
  return { ...one, pidOf };
}

const rawOf = ({ events }: Pick<Collected, "events">) =>
  events.flatMap((event) => (event.type === "raw" ? [event.text] : [])).join("\n");

it("an agent that is ended may write down what it has, and what it leaves without a parent goes too", async () => {
  const one = await allOf("polite.mjs");
  const child = one.pidOf("child");
  one.run.end();
  expect(await one.over).toEqual([]);
  expect(rawOf(one)).toContain("written down");
  await expect.poll(() => isRunning(child)).toBe(false);
});

it("what is in its group goes also where the guard is killed, and neither a mark nor a parent tells whose it is", async () => {
  const one = await allOf("orphan.mjs");
  const orphan = one.pidOf("child");
  process.kill(one.pidOf("guard"), "SIGKILL");
  expect(await one.over).toEqual([]);
  await expect.poll(() => isRunning(orphan)).toBe(false);
});
