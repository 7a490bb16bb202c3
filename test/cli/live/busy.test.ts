// Two runs of one session, and a run of one that the agent itself has open: one of them would lose its turns.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newEventChecker } from "../../../src/session/event-rules.ts";
import { agent } from "../../run/fake.ts";

const LAUNCHER = join(import.meta.dirname, "../../../bin/baton.js");
const ID = "33333333-3333-4333-8333-333333333333";
const SESSION = ["--session", `claude:${ID}`];
const STREAM = ["--output-format", "stream-json"];
let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "baton-busy-")));
  mkdirSync(join(home, "bin"));
  symlinkSync(agent("claude.mjs"), join(home, "bin", "claude"));
  const project = join(home, ".claude", "projects", "-p");
  mkdirSync(project, { recursive: true });
  const facts = { uuid: "1", parentUuid: null, sessionId: ID, cwd: home, timestamp: "2026-01-02T03:04:05Z" };
  const line = { type: "user", message: { role: "user", content: "Hello" }, ...facts };
  writeFileSync(join(project, `${ID}.jsonl`), `${JSON.stringify(line)}\n`);
});
afterEach(() => rmSync(home, { recursive: true, maxRetries: 5 }));

function start(args: readonly string[]): ChildProcess {
  const PATH = [join(home, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  return spawn(process.execPath, [LAUNCHER, ...args], { cwd: home, env: { PATH, HOME: home } });
}

async function baton(args: readonly string[]) {
  const child = start(args);
  child.stdin?.end();
  const [stdout, stderr] = await Promise.all([text(child.stdout as never), text(child.stderr as never)]);
  if (child.exitCode === null) await once(child, "exit");
  return { status: child.exitCode, stdout, stderr };
}

function eventsIn(stdout: string) {
  const checker = newEventChecker();
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([...events.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
  return events;
}

it("the second is refused while the first goes on, unless it is sure", async () => {
  const first = start(["run", "claude", ...SESSION, "--input-format", "stream-json", ...STREAM]);
  first.stdin?.write('{"type":"prompt","text":"say One."}\n');
  for await (const line of createInterface({ input: first.stdout as NodeJS.ReadableStream }))
    if (JSON.parse(line).type === "message_stop") break;
  const again = ["run", "claude", ...SESSION, "-p", "say Two."];
  const second = await baton(again);
  expect(second).toMatchObject({ status: 5, stdout: "" });
  expect(second.stderr).toMatch(/^error: Another run of Baton goes on with this session\./);
  const streamed = await baton([...again, ...STREAM]);
  expect(streamed.status).toBe(5);
  expect(eventsIn(streamed.stdout)[1]).toMatchObject({ type: "error", code: "session_busy" });
  const resumed = await baton(["resume", `claude:${ID}`]);
  expect(resumed.status).toBe(0);
  expect(resumed.stderr).toContain("A running Claude Code holds this session.");
  const sure = await baton([...again, "--yes"]);
  expect(sure).toMatchObject({ status: 0, stdout: "Two.\n" });
  expect(sure.stderr).toContain("Another run of Baton goes on with this session.");
  first.stdout?.resume();
  first.stdin?.end();
  await once(first, "exit");
  expect(await baton(again)).toMatchObject({ status: 0, stdout: "Two.\n" });
});

it("one that the agent itself has open is refused too", async () => {
  const sessions = join(home, ".claude", "sessions");
  mkdirSync(sessions);
  // The process of this test stands for the agent.
  const stat = readFileSync("/proc/self/stat", "utf8");
  const procStart = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  const facts = { pid: process.pid, procStart, sessionId: ID, status: "idle" };
  writeFileSync(join(sessions, `${process.pid}.json`), JSON.stringify(facts));
  const again = ["run", "claude", ...SESSION, "-p", "say Two."];
  const refused = await baton(again);
  expect(refused).toMatchObject({ status: 5, stdout: "" });
  expect(refused.stderr).toContain("A running Claude Code has this session open.");
  const sure = await baton([...again, "--yes"]);
  expect(sure).toMatchObject({ status: 0, stdout: "Two.\n" });
  expect(sure.stderr).toContain("A running Claude Code holds this session.");
});
