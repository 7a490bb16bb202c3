// What a run leaves behind is found by its mark, and where that was wiped out by who started it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { endStrays, straysOf } from "../../src/adapters/strays.ts";
import { isRunning } from "../run/fake.ts";

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
});

/** Starts a shell under a mark, with a child as the script says; the numbers of both. */
async function family(mark: string, script: string) {
  const env = { PATH: process.env.PATH, BATON_RUN_MARK: mark };
  const shell = spawn("sh", ["-c", `${script} & echo $!; wait`], { env, detached: true });
  const [line] = await once(shell.stdout as NonNullable<ChildProcess["stdout"]>, "data");
  const child = Number(line);
  started.push(shell.pid ?? 0, child);
  // Until then it is another program, with the shell's own environment.
  await expect.poll(() => readFileSync(`/proc/${child}/cmdline`, "utf8")).toMatch(/^sleep/);
  return [shell.pid ?? 0, child];
}

it.runIf(process.platform === "linux")(
  "a child without the mark belongs to its parent, in whatever group",
  async () => {
    const pids = await family("mark-1", "exec setsid env -i sleep 60");
    expect([...straysOf("mark-1")].toSorted()).toEqual(pids.toSorted());
    expect([...straysOf("mark-2")]).toEqual([]);
    endStrays("mark-1");
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  },
);

it.runIf(process.platform === "linux")("a run within the run is left to its own guard", async () => {
  const [shell, child] = await family("mark-3", "exec env BATON_RUN_MARK=mark-4 sleep 60");
  expect([...straysOf("mark-4")]).toEqual([child]);
  expect([...straysOf("mark-3")]).toEqual([shell]);
});
