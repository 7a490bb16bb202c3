// What a run leaves behind is found by its mark, and where that was wiped out by who started it. What is gone already is
// no fault, nor what belongs to another user by now.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";
import { end, endStrays, straysOf } from "../../src/adapters/strays.ts";
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

const STRAYS = join(import.meta.dirname, "../../src/adapters/strays.ts");

it("a process that is not there any more", async () => {
  const child = spawn("true", { stdio: "ignore" });
  await once(child, "exit");
  expect(() => end(child.pid ?? Number.NaN)).not.toThrow();
});

/** Becomes somebody else where it may end everything, and tries only what it may not end. */
const SCRIPT = `
  const { end } = await import(${JSON.stringify(STRAYS)});
  if (process.getuid() === 0) process.setuid(65534);
  const mayNot = () => {
    try {
      process.kill(1, 0);
      return false;
    } catch (error) {
      return error.code === "EPERM";
    }
  };
  if (mayNot()) end(1);
  console.log(mayNot() ? "it stays" : "it may be ended");
`;

it("a process of another user stays, and nothing is thrown", async ({ skip }) => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", SCRIPT], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [status]] = await Promise.all([text(child.stdout), once(child, "close")]);
  skip(said.includes("may be ended"), "the first process is this user's own");
  expect({ said, status }).toEqual({ said: "it stays\n", status: 0 });
});
