// The cell that a CLI runs in: what it can see, whom it can reach, and that it ends.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { glob, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Loopback, startLoopback } from "../../src/loopback/server.ts";
import { type Cell, type Isolation, isolationHere, openCell } from "../../src/verify/run.ts";

let loopback: Loopback;
let cell: Cell;

const run = (code: string, more: { timeoutMs?: number; env?: Record<string, string>; stdin?: string } = {}) =>
  cell.run({ argv: ["node", "-e", code], env: {}, timeoutMs: 20_000, ...more });

/** Whether a process with this argument is there, seen from outside any namespace. */
async function isRunning(argument: string): Promise<boolean> {
  const wanted = ["sleep", argument].join("\0");
  if (!existsSync("/proc")) {
    const { stdout } = spawnSync("ps", ["-e", "-o", "args"], { encoding: "utf8" });
    return stdout.split("\n").includes(`sleep ${argument}`);
  }
  for await (const path of glob("/proc/[0-9]*/cmdline")) {
    // A process may end between the two looks.
    const words = await readFile(path, "utf8").catch(() => "");
    if (words.startsWith(wanted)) return true;
  }
  return false;
}

describe.each<Isolation>(["namespace", "proxy"])("a cell kept apart by a %s", (isolation) => {
  const none = isolation === "namespace" && isolationHere() !== "namespace";

  beforeEach(async ({ skip }) => {
    skip(none, "this user may not make namespaces");
    loopback = await startLoopback();
    cell = await openCell(loopback.port, isolation);
  });
  afterEach(async () => {
    if (none) return;
    await cell.close();
    await loopback.close();
  });

  /** A time to sleep for that no other process of this machine has. */
  const nap = (name: string) => `6${name.length}.${process.pid}${isolation.length}`;

  it("has a home and a repository of its own and nothing of the user's environment", async () => {
    process.env.BATON_TEST_SECRET = "a key of the user";
    const { stdout, exitCode } = await run(
      "console.log(JSON.stringify({ env: process.env, cwd: process.cwd() }))",
      { env: { EXTRA: "1" } },
    );
    delete process.env.BATON_TEST_SECRET;
    const { env, cwd } = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(env).toMatchObject({ HOME: cell.home, EXTRA: "1" });
    expect(stdout).not.toContain("a key of the user");
    expect(cwd).toBe(cell.cwd);
    expect(await readFile(join(cell.cwd, ".git/HEAD"), "utf8")).toBe("ref: refs/heads/main\n");
  });

  it("reaches the loopback model", async () => {
    const { stdout } = await run(`fetch("${loopback.url}/").then((r) => console.log(r.status))`);
    expect(stdout).toBe("200\n");
  });

  it("reaches no other host, and an attempt through the proxy is on record", async () => {
    const code = `
      const request = require("node:http").request(process.env.HTTPS_PROXY, { method: "CONNECT", path: "example.com:443" });
      request.on("connect", (response) => console.log(response.statusCode)).on("error", () => console.log("failed")).end();
    `;
    expect((await run(code)).stdout).toBe("403\n");
    expect(loopback.refusals).toEqual([{ method: "CONNECT", host: "example.com:443", foreign: true }]);
  });

  it("passes input, output and status on", async () => {
    const outcome = await run(
      'process.stdin.pipe(process.stdout); process.stdin.on("end", () => { console.error("bad"); process.exitCode = 7; })',
      { stdin: "given" },
    );
    expect(outcome).toEqual({ exitCode: 7, timedOut: false, stdout: "given", stderr: "bad\n" });
  });

  it("keeps the input open until the answer is there", async () => {
    const code =
      'process.stdin.on("data", (data) => setTimeout(() => console.log("heard", String(data)), 50)).on("end", () => process.exit(3))';
    const command = { argv: ["node", "-e", code], env: {}, timeoutMs: 20_000, stdin: "this" };
    const outcome = await cell.run({ ...command, isComplete: (stdout) => stdout.includes("\n") });
    expect(outcome).toMatchObject({ exitCode: 3, stdout: "heard this\n" });
  });

  it("says so when there is no such program", async () => {
    const outcome = await cell.run({ argv: [join(cell.home, "nothing")], env: {}, timeoutMs: 20_000 });
    expect(outcome.exitCode).toBe(127);
    expect(outcome.stderr).toContain("ENOENT");
  });

  it("ends with everything in it when the time is up", async () => {
    const time = nap("group");
    const outcome = await run(
      `require("node:child_process").spawn("sleep", ["${time}"]); console.log("started"); process.on("SIGTERM", () => {});`,
      { timeoutMs: 1500 },
    );
    expect(outcome).toMatchObject({ timedOut: true, stdout: "started\n" });
    await vi.waitFor(async () => expect(await isRunning(time)).toBe(false));
  });

  it("takes daemons along when the CLI ends, where the kernel lets us", async ({ skip }) => {
    skip(isolation !== "namespace", "a daemon that left its group is only found again in a namespace");
    const time = nap("a daemon");
    const options = '{ detached: true, stdio: "ignore" }';
    await run(`require("node:child_process").spawn("sleep", ["${time}"], ${options}).unref();`);
    await vi.waitFor(async () => expect(await isRunning(time)).toBe(false));
  });

  it("ends when whoever opened it is killed", async () => {
    const time = nap("lifeline");
    const code = `
      import { openCell } from ${JSON.stringify(new URL("../../src/verify/run.ts", import.meta.url).href)};
      const cell = await openCell(${loopback.port}, "${isolation}");
      console.log(cell.home);
      await cell.run({ argv: ["sleep", "${time}"], env: {}, timeoutMs: 60_000 });
    `;
    const opener = spawn(process.execPath, ["--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const home = await new Promise<string>((resolve) =>
      opener.stdout.once("data", (data) => resolve(String(data).trim())),
    );
    await vi.waitFor(async () => expect(await isRunning(time)).toBe(true), { timeout: 10_000 });
    opener.kill("SIGKILL");
    await vi.waitFor(async () => expect(await isRunning(time)).toBe(false), { timeout: 10_000 });
    await rm(dirname(home), { recursive: true });
  });

  it("is gone when it is closed", async () => {
    await cell.close();
    expect(existsSync(cell.home)).toBe(false);
  });
});
