// How an agent is ended: it may write down what it has, and what it has started goes too, however hard that is to find.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Ended, startProcess } from "../../src/run/process.ts";
import { agent, type Collected, isRunning, startFake } from "./fake.ts";

const left: number[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const pid of left.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
});

type PidOf = (name: string) => number;

/** An agent of which everything is there, and which processes it speaks of. */
async function allOf(program: string): Promise<Collected & { pidOf: PidOf }> {
  const one = startFake({ program: agent(program) });
  one.run.prompt("Hello");
  await one.until((event) => event.type === "raw" && event.text === "all there");
  return { ...one, pidOf: pidsIn(rawOf(one)) };
}

const pidsIn =
  (said: string): PidOf =>
  (name) => {
    const pid = Number(new RegExp(`^${name} (\\d+)$`, "m").exec(said)?.[1]);
    expect(isRunning(pid)).toBe(true);
    left.push(pid);
    return pid;
  };

/** The same under a Baton that can be killed. */
async function besides(program: string) {
  const script = join(import.meta.dirname, "killed-child.ts");
  const baton = spawn(process.execPath, [script, agent(program)], { stdio: ["ignore", "pipe", "inherit"] });
  left.push(baton.pid ?? 0);
  let said = "";
  for await (const chunk of baton.stdout) {
    said += chunk;
    if (said.includes("all there")) break;
  }
  const kill = async () => {
    baton.kill("SIGKILL");
    await once(baton, "exit");
  };
  return { pidOf: pidsIn(said), kill, stop: () => baton.kill("SIGSTOP") };
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

it.each(["group", "guard"])(
  "an agent whose %s is stopped is ended all the same",
  async (what) => {
    const one = await allOf("orphan.mjs");
    const pids = ["guard", "self", "child"].map(one.pidOf);
    const [guard = 0] = pids;
    process.kill(what === "group" ? -guard : guard, "SIGSTOP");
    one.run.end();
    expect(await one.over).toEqual([]);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  },
  20_000,
);

it("what an agent leaves in its group goes as soon as it ends", async () => {
  const one = await allOf("orphan.mjs");
  const [self = 0, child = 0] = ["self", "child"].map(one.pidOf);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  process.kill(self, "SIGTERM");
  expect(await one.over).toEqual([]);
  await expect.poll(() => isRunning(child)).toBe(false);
}, 20_000);

it.each([
  ["exit 3", 3],
  ["kill -9 $$", 137],
])("how an agent has ended (%s) is known also where it is told to end just then", async (last, exitCode) => {
  const ended = await new Promise<Ended>((resolve) => {
    const one = startProcess({
      argv: ["sh", "-c", `echo $PPID; read line; ${last}`],
      cwd: import.meta.dirname,
      env: { PATH: process.env.PATH },
      mark: `leaving-${process.pid}-${exitCode}`,
      onLine(guard) {
        one.send("go on");
        // Nothing is heard of it in the meantime.
        setImmediate(() => {
          while (isRunning(Number(guard))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
          one.end();
        });
      },
      onComplaint: () => undefined,
      onDeaf: () => undefined,
      onEnd: resolve,
    });
  });
  expect(ended).toEqual({ exitCode, signal: null, stderr: "" });
});

describe("a Baton that is killed", () => {
  it("is not outlived by what does not end in its agent's group, though the agent ends politely", async () => {
    const { pidOf, kill } = await besides("orphan.mjs");
    const pids = ["guard", "self", "child"].map(pidOf);
    await kill();
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it("nor where the agent is gone before its guard has noticed anything", async () => {
    const { pidOf, kill } = await besides("orphan.mjs");
    const [guard = 0, self = 0, child = 0] = ["guard", "self", "child"].map(pidOf);
    process.kill(guard, "SIGSTOP");
    await kill();
    process.kill(self, "SIGKILL");
    await expect.poll(() => isRunning(self)).toBe(false);
    process.kill(guard, "SIGCONT");
    await expect.poll(() => [guard, child].filter(isRunning)).toEqual([]);
  });

  it("nor where the agent ends while Baton is stopped, which then never hears of it", async () => {
    const { pidOf, kill, stop } = await besides("orphan.mjs");
    const pids = ["guard", "self", "child"].map(pidOf);
    stop();
    process.kill(pidOf("self"), "SIGTERM");
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    await kill();
  });

  it("nor where the agent is killed at the same moment", async () => {
    const { pidOf, kill } = await besides("orphan.mjs");
    const pids = ["guard", "self", "child"].map(pidOf);
    const killed = kill();
    process.kill(pidOf("self"), "SIGKILL");
    await killed;
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it("nor by an agent that is stopped", async () => {
    const { pidOf, kill } = await besides("orphan.mjs");
    const pids = ["guard", "self", "child"].map(pidOf);
    for (const name of ["self", "child"]) process.kill(pidOf(name), "SIGSTOP");
    await kill();
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });
});
