// What `status` knows of a run is what its events have said, in another process too, and a run that died is known to
// have.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRunLog, type RunLog } from "../../src/run/record.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { holdSession, keepInput, knownRuns } from "../../src/storage/runs.ts";

let batonHome: string;
beforeEach(() => {
  batonHome = mkdtempSync(join(tmpdir(), "baton-runs-"));
});
afterEach(() => rmSync(batonHome, { recursive: true }));

function open(id = "one", onProblem: (error: unknown) => void = fail): Promise<RunLog> {
  return openRunLog({ batonHome, id, agent: "claude", cwd: "/project", onProblem });
}

function fail(error: unknown): never {
  throw error;
}

const event = (facts: object) => ({ seq: 1, timestamp: "", ...facts }) as AgentEvent;
const ask = (id: string, more: object = {}) =>
  event({ type: "approval_request", id, name: "Bash", input: { command: "rm x" }, timeout_ms: 1, ...more });
const answer = (id: string) => event({ type: "approval", id, decision: "allow", by: "user" });
const result = (more: object) => event({ type: "result", session_id: "s-1", ...more });

const known = async () => (await knownRuns(batonHome))[0];

it("follows a run from its prompt to its end", async () => {
  const log = await open();
  log.prompt("Do it");
  await expect.poll(known).toMatchObject({ state: "running", prompt: "Do it", session: "", isLive: true });
  log.note(event({ type: "system", subtype: "init", session_id: "s-1" }));
  await expect.poll(known).toMatchObject({ session: "s-1" });
  log.note(ask("1"));
  await expect.poll(known).toMatchObject({ state: "waiting", waitingFor: "an approval: Bash rm x" });
  log.note(ask("2", { questions: [{ question: "Which?" }] }));
  log.note(answer("1"));
  await expect.poll(known).toMatchObject({ state: "waiting", waitingFor: "an answer: Which?" });
  log.note(answer("2"));
  await expect.poll(known).toMatchObject({ state: "running" });
  expect(await known()).not.toHaveProperty("waitingFor");
  log.note(result({ subtype: "error", error: { code: "rate_limited", message: "Too much" } }));
  await expect
    .poll(known)
    .toMatchObject({ state: "finished", outcome: "error", error: "rate_limited: Too much" });
  log.prompt("Again");
  await expect.poll(known).toMatchObject({ state: "running", prompt: "Again" });
  expect(await known()).not.toHaveProperty("error");
  log.note(result({ subtype: "success" }));
  await log.close();
  expect(await known()).toMatchObject({ state: "finished", outcome: "success", isLive: false });
});

it("is there before the agent is, and knows the first prompt while that waits for it", async () => {
  const log = await open();
  await expect.poll(known).toMatchObject({ agent: "claude", state: "running", prompt: "", isLive: true });
  log.given("Do it");
  log.given("And then that");
  await expect.poll(known).toMatchObject({ state: "running", prompt: "Do it" });
  log.prompt("Do it");
  log.prompt("And then that");
  await expect.poll(known).toMatchObject({ prompt: "And then that" });
  await log.close();
});

it("goes on with a turn that the agent begins by itself", async () => {
  const log = await open();
  log.prompt("Do it");
  log.note(result({ subtype: "success" }));
  for (const type of ["message_stop", "raw"]) log.note(event({ type }));
  log.note(event({ type: "system", subtype: "notice", message: "By the way" }));
  await expect.poll(known).toMatchObject({ state: "finished", outcome: "success" });
  log.note(event({ type: "text", text: "I go on" }));
  await expect.poll(known).toMatchObject({ state: "running", prompt: "Do it", session: "s-1" });
  expect(await known()).not.toHaveProperty("outcome");
  for (const type of ["text", "tool_use", "tool_result", "usage"]) log.note(event({ type }));
  log.note(ask("1"));
  await expect.poll(known).toMatchObject({ state: "waiting" });
  log.note(answer("1"));
  log.note(result({ subtype: "interrupted" }));
  await expect.poll(known).toMatchObject({ state: "finished", outcome: "interrupted" });
  await log.close();
});

it("a run that was closed in the middle is over", async () => {
  const log = await open();
  log.prompt("Do it");
  await log.close();
  expect(await known()).toMatchObject({ state: "finished", isLive: false });
});

it("knows that a process which was killed runs nothing any more", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "record-child.ts"), batonHome], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  expect(await known()).toMatchObject({ state: "running", isLive: true });
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await known()).toMatchObject({ state: "running", isLive: false });
});

it("says in one line what is waited for, hides nothing in it, and says that it is cut", async () => {
  const log = await open();
  log.prompt("Do it");
  const ask = (id: string, command: string) =>
    log.note({
      type: "approval_request",
      id,
      name: "Bash",
      input: { command },
      timeout_ms: 1,
      seq: 1,
      timestamp: "",
    } as AgentEvent);
  ask("a", `ls${" ".repeat(5000)}\n; rm\u200b \u001b[2Jx`);
  await expect.poll(known).toMatchObject({ waitingFor: "an approval: Bash ls ; rm<U+200B> ␛[2Jx" });
  log.note({ type: "approval", id: "a", decision: "deny", by: "user", seq: 1, timestamp: "" } as AgentEvent);
  ask("b", `echo ${"x".repeat(500)}; rm`);
  await expect
    .poll(known)
    .toMatchObject({ waitingFor: expect.stringMatching(/^an approval: Bash echo x+…$/) });
  await log.close();
});

it("forgets runs and what was kept of them after a week", async () => {
  const input = { content: "long \u009b2J\u001b[2J" };
  const kept = keepInput(batonHome, "old", "../../call", input);
  expect(kept.startsWith(join(batonHome, "runs", "old"))).toBe(true);
  expect(JSON.parse(readFileSync(kept, "utf8"))).toEqual(input);
  // Nor does the file act on a terminal.
  expect(readFileSync(kept, "utf8")).not.toMatch(/[\u001b\u0080-\u009f]/);
  const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000).toISOString();
  const old = { id: "old", state: "finished", updated: eightDaysAgo };
  writeFileSync(join(batonHome, "runs", "old.json"), JSON.stringify(old));
  writeFileSync(join(batonHome, "runs", "damaged.json"), '{"id":');
  const log = await open();
  log.prompt("Do it");
  await log.close();
  expect((await knownRuns(batonHome)).map(({ id }) => id)).toEqual(["one"]);
  expect(existsSync(kept)).toBe(false);
});

it("a home that cannot be written to is told, and the run goes on", async () => {
  writeFileSync(join(batonHome, "runs"), "a file where the folder should be");
  const problems: unknown[] = [];
  const log = await open("one", (error) => problems.push(error));
  log.prompt("Do it");
  expect(log.keepInput("1", { content: "long" })).toBeUndefined();
  await log.close();
  expect(problems).toHaveLength(1);
});

it("a run that was told nothing leaves no record", async () => {
  const log = await open();
  await expect.poll(known).toMatchObject({ isLive: true });
  await log.close();
  expect(await known()).toBeUndefined();
});

it("one run has a session at a time, also one that began without it", async () => {
  const session = { agent: "claude", session: "s-1" };
  const letGo = await holdSession(batonHome, session);
  expect(letGo).toBeTypeOf("function");
  expect(await holdSession(batonHome, session)).toBeUndefined();
  const other = await holdSession(batonHome, { ...session, agent: "codex" });
  expect(other).toBeTypeOf("function");
  other?.();
  letGo?.();
  const log = await open();
  log.prompt("Do it");
  log.note(event({ type: "system", subtype: "init", session_id: "s-1" }));
  await expect.poll(known).toMatchObject({ session: "s-1" });
  expect(await holdSession(batonHome, session)).toBeUndefined();
  await log.close();
  const after = await holdSession(batonHome, session);
  expect(after).toBeTypeOf("function");
  after?.();
  expect(readdirSync(join(batonHome, "runs"))).toEqual(["one.json"]);
});

it("knows the newest first, shows the beginning of a prompt, and lets nobody else read any of it", async () => {
  const first = await open("first");
  first.prompt("p".repeat(300));
  await first.close();
  await expect.poll(() => new Date().toISOString()).not.toBe((await known())?.updated);
  const second = await open("second");
  second.prompt("Short");
  await second.close();
  const runs = await knownRuns(batonHome);
  expect(runs.map(({ id }) => id)).toEqual(["second", "first"]);
  expect(runs.map(({ prompt }) => prompt.length)).toEqual([5, 200]);
  const kept = keepInput(batonHome, "second", "call", {});
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  expect(modeOf(kept)).toBe(0o600);
  expect(modeOf(join(batonHome, "runs"))).toBe(0o700);
  expect(modeOf(join(batonHome, "runs", "second"))).toBe(0o700);
});

it("who only asks is taken for no run, however many ask at once", async () => {
  for (const id of ["one", "two", "three"]) {
    const log = await open(id);
    log.prompt("Do it");
    await log.close();
  }
  const asked = await Promise.all(Array.from({ length: 20 }, () => knownRuns(batonHome)));
  expect(asked.flat().filter(({ isLive }) => isLive)).toEqual([]);
  expect(asked.flat()).toHaveLength(60);
});
