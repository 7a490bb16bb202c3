// `baton run` as a process beside others: what it keeps in step while it runs, and what is left of it when it is killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { end } from "../../../src/adapters/strays.ts";
import { openCatalog } from "../../../src/catalog/catalog.ts";
import { listSessions } from "../../../src/catalog/query.ts";
import { oldNodes } from "../../package/old-node.ts";
import { agent, isRunning } from "../../run/fake.ts";

const LAUNCHER = join(import.meta.dirname, "../../../bin/baton.js");
let home: string;
/** Those that nothing else tells of. */
const started: number[] = [];
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "baton-process-")));
  mkdirSync(join(home, "bin"));
});
afterEach(() => {
  // What should not have been left keeps the outputs of the tests open for as long as it is there.
  for (const pid of [...atHome(), ...started.splice(0)]) end(pid);
  rmSync(home, { recursive: true, maxRetries: 5 });
});

/** Without a prompt it is read from its input. */
function start(program: string, prompt?: string, node: readonly string[] = []): ChildProcess {
  symlinkSync(agent(program), join(home, "bin", "claude"));
  const PATH = [join(home, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  const [file = process.execPath, ...flags] = node;
  const said = prompt === undefined ? [] : ["-p", prompt];
  const args = [...flags, LAUNCHER, "run", "claude", ...said, "--output-format", "stream-json"];
  return spawn(file, args, {
    cwd: home,
    env: { PATH, HOME: home },
    stdio: [prompt === undefined ? "pipe" : "ignore", "pipe", "inherit"],
  });
}

/** Reads on, because a reader that goes away would end it. */
function saidUntil(child: ChildProcess, words: string): Promise<string> {
  let said = "";
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      said += chunk;
      if (said.includes(words)) resolve(said);
    });
    child.stdout?.once("end", () => reject(new Error(`it ended without ${words}: ${said}`)));
  });
}

/** Processes that have this home in their environment, as all have that came of the run. */
function atHome(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter(
      (pid) => Number.isInteger(pid) && environmentOf(pid).includes(`HOME=${home}\0`) && isRunning(pid),
    );
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // It has ended meanwhile, or is somebody else's.
    return "";
  }
}

/** Kills it while its agent is at work; who is still there. */
async function killed(node?: readonly string[]): Promise<() => number[]> {
  const child = start("brood.mjs", "Hello", node);
  const said = await saidUntil(child, "all there");
  const pids = Array.from(said.matchAll(/pid (\d+)/g), ([, pid]) => Number(pid));
  expect(pids).toHaveLength(4);
  started.push(...pids);
  // One of them has no environment any more, so it is known by its number alone.
  expect(pids.filter(isRunning)).toEqual(pids);
  expect(atHome()).toContain(child.pid);
  child.kill("SIGKILL");
  await once(child, "exit");
  return () => [...atHome(), ...pids.filter(isRunning)];
}

it("nothing outlives it when it is killed", async () => {
  await expect.poll(await killed()).toEqual([]);
});

it("nor where an old Node has handed over, and only that one is killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-old-node-"));
  try {
    for (const [name, node] of await oldNodes(folder)) {
      await expect.poll(await killed(node), { message: name }).toEqual([]);
      rmSync(join(home, "bin", "claude"));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("what the agent writes down is in the catalog while it runs", async () => {
  const child = start("storing.mjs", "wait");
  await saidUntil(child, "Waiting");
  const batonHome = join(home, ".baton");
  const counts = () => {
    const catalog = openCatalog(batonHome);
    try {
      return listSessions(catalog, { limit: 10 }).sessions.map(({ messageCount }) => messageCount);
    } finally {
      catalog.close();
    }
  };
  await expect.poll(counts).toEqual([2]);
  expect(child.exitCode).toBe(null);
  child.kill("SIGTERM");
  await once(child, "exit");
  await expect.poll(atHome).toEqual([]);
});

it("it ends by a signal also where nobody ever reads what it has written", async () => {
  const child = start("claude.mjs");
  const { stdin, stdout } = child as ChildProcess & { stdin: Writable; stdout: Readable };
  // Much more than a pipe holds, and few enough events for all of them to be kept.
  stdin.end(`say ${`${"x".repeat(15_000)} `.repeat(100)}`);
  await once(stdout, "data");
  stdout.pause();
  await expect.poll(atHome).toEqual([child.pid]);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([143, null]);
}, 30_000);
