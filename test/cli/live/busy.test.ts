// Two runs of one session, and a run of one that the agent itself has open: one of them would lose its turns.
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type AgentHome, eventsIn, makeAgentHome, STREAM } from "./agent-home.ts";

const ID = "33333333-3333-4333-8333-333333333333";
const SESSION = ["--session", `claude:${ID}`];
let home: AgentHome;
beforeEach(() => {
  home = makeAgentHome();
  const project = join(home.dir, ".claude", "projects", "-p");
  mkdirSync(project, { recursive: true });
  const facts = {
    uuid: "1",
    parentUuid: null,
    sessionId: ID,
    cwd: home.dir,
    timestamp: "2026-01-02T03:04:05Z",
  };
  const line = { type: "user", message: { role: "user", content: "Hello" }, ...facts };
  writeFileSync(join(project, `${ID}.jsonl`), `${JSON.stringify(line)}\n`);
});
afterEach(() => home.remove());

it("the second is refused while the first goes on, unless it is sure", async () => {
  const first = home.start(["run", "claude", ...SESSION, "--input-format", "stream-json", ...STREAM]);
  first.stdin?.write('{"type":"prompt","text":"say One."}\n');
  for await (const line of createInterface({ input: first.stdout as NodeJS.ReadableStream }))
    if (JSON.parse(line).type === "message_stop") break;
  const again = ["run", "claude", ...SESSION, "-p", "say Two."];
  const second = await home.baton(again);
  expect(second).toMatchObject({ status: 5, stdout: "" });
  expect(second.stderr).toMatch(/^error: Another run of Baton goes on with this session\./);
  const streamed = await home.baton([...again, ...STREAM]);
  expect(streamed.status).toBe(5);
  expect(eventsIn(streamed.stdout)[1]).toMatchObject({ type: "error", code: "session_busy" });
  const resumed = await home.baton(["resume", `claude:${ID}`]);
  expect(resumed.status).toBe(0);
  expect(resumed.stderr).toContain("A running Claude Code holds this session.");
  const sure = await home.baton([...again, "--yes"]);
  expect(sure).toMatchObject({ status: 0, stdout: "Two.\n" });
  expect(sure.stderr).toContain("Another run of Baton goes on with this session.");
  first.stdout?.resume();
  first.stdin?.end();
  await once(first, "exit");
  expect(await home.baton(again)).toMatchObject({ status: 0, stdout: "Two.\n" });
});

it("one that the agent itself has open is refused too", async () => {
  const sessions = join(home.dir, ".claude", "sessions");
  mkdirSync(sessions);
  // The process of this test stands for the agent.
  const stat = readFileSync("/proc/self/stat", "utf8");
  const procStart = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  const facts = { pid: process.pid, procStart, sessionId: ID, status: "idle" };
  writeFileSync(join(sessions, `${process.pid}.json`), JSON.stringify(facts));
  const again = ["run", "claude", ...SESSION, "-p", "say Two."];
  const refused = await home.baton(again);
  expect(refused).toMatchObject({ status: 5, stdout: "" });
  expect(refused.stderr).toContain("A running Claude Code seems to have this session open.");
  const sure = await home.baton([...again, "--yes"]);
  expect(sure).toMatchObject({ status: 0, stdout: "Two.\n" });
  expect(sure.stderr).toContain("A running Claude Code holds this session.");
});
