// A run is steered: prompts one after the other, interrupts, approvals by mode and by answer, and an end that leaves
// nothing behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as immediate } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Input } from "../../src/adapters/driver.ts";
import { agent, fakeDriver, fakeServerDriver, isRunning, startFake, withArguments } from "./fake.ts";
import { ASK, DONE, LOOK, line, mode, QUESTION, resultsOf, scripted, TEXT } from "./scripted.ts";

afterEach(() => void vi.useRealTimers());

describe("prompts", () => {
  it("go to the same process one after the other, however many are given at once", async () => {
    const one = scripted([TEXT, DONE]);
    for (const prompt of ["One", "Two", "Three"]) one.run.prompt(prompt);
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events).map(({ result }) => result)).toEqual(["Hello.", "Hello.", "Hello."]);
  });

  it("that nobody is there for any more get a result too", async () => {
    const one = scripted([TEXT, "exit"]);
    one.run.prompt("One");
    one.run.prompt("Two");
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events).map(({ error }) => error?.code)).toEqual(["agent_crashed", "agent_crashed"]);
  });
});

describe("an interrupt", () => {
  it("of an agent that does not listen has its result within half a second, and five later the agent is ended", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sent = Promise.withResolvers<void>();
    const onInput = ({ type }: { type: string }) => type === "prompt" && sent.resolve();
    const one = startFake({ program: agent("stubborn.mjs"), onInput });
    one.run.prompt("Hello");
    await sent.promise;
    const later = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await immediate();
      return one.events.at(-1);
    };
    one.run.interrupt();
    expect(await later(500)).toMatchObject({ type: "message_stop" });
    expect(resultsOf(one.events)).toMatchObject([{ subtype: "interrupted" }]);
    // The five seconds began with the result, which may have come at once.
    expect(await later(4400)).toMatchObject({ type: "message_stop" });
    expect(await later(600)).toMatchObject({ subtype: "error", code: "agent_hung" });
    expect(await one.over).toEqual([]);
  });

  it("goes to the agent, which goes on with the next prompt", async () => {
    const one = scripted([TEXT, "wait", line({ type: "result", interrupted: true })]);
    one.run.prompt("One");
    await one.until(({ type }) => type === "text");
    one.run.interrupt();
    one.run.interrupt();
    await one.until(({ type }) => type === "message_stop");
    one.run.prompt("Two");
    await one.until(({ type, seq }) => type === "text" && seq > 4);
    one.run.interrupt();
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events).map(({ subtype }) => subtype)).toEqual(["interrupted", "interrupted"]);
    expect(one.events.filter(({ type }) => type === "interrupt")).toHaveLength(2);
  });

  it("takes a prompt back that the agent was not ready for yet", async () => {
    const told: string[] = [];
    const one = scripted([TEXT, DONE], { onInput: ({ type }) => told.push(type) });
    one.run.prompt("One");
    one.run.prompt("Two");
    one.run.interrupt();
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events).map(({ subtype }) => subtype)).toEqual(["interrupted", "success"]);
    expect(told.filter((type) => type === "prompt")).toHaveLength(1);
  });

  it("takes a prompt back too that waits for an agent which has not stopped yet", async () => {
    const sent = Promise.withResolvers<void>();
    const told: string[] = [];
    const onInput = (input: Input) => {
      if (input.type !== "prompt") return;
      told.push(input.text);
      sent.resolve();
    };
    const one = startFake({ program: agent("stubborn.mjs"), onInput });
    one.run.prompt("One");
    await sent.promise;
    one.run.interrupt();
    await one.until(({ type }) => type === "message_stop");
    one.run.prompt("Two");
    one.run.interrupt();
    await one.until(({ type, seq }) => type === "message_stop" && seq > 5);
    one.run.end();
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events).map(({ subtype }) => subtype)).toEqual(["interrupted", "interrupted"]);
    expect(told).toEqual(["One"]);
  });

  it("without a turn does nothing", async () => {
    const one = scripted([TEXT, DONE]);
    one.run.interrupt();
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(one.events).toEqual([]);
  });

  it("denies what the agent waits for", async () => {
    const one = scripted([ASK, "wait", line({ type: "result", interrupted: true })], { hasApprover: true });
    one.run.prompt("One");
    await one.until(({ type }) => type === "approval_request");
    one.run.interrupt();
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(one.events).toContainEqual(expect.objectContaining({ type: "approval", decision: "deny" }));
  });
});

describe("approvals", () => {
  it.each([
    ["auto", false, { allow: true }],
    ["auto", true, { allow: true }],
    ["deny", true, { allow: false, message: expect.stringContaining("no changes") }],
    ["default", false, { allow: false, message: expect.stringContaining("Nobody is there") }],
    ["interactive", false, { allow: false, message: expect.stringContaining("Nobody is there") }],
  ] as const)(
    "in mode %s, with somebody there: %s, are decided by themselves",
    async (name, hasApprover, decision) => {
      const told: unknown[] = [];
      const one = scripted([ASK, "wait", DONE], {
        ...mode(name),
        hasApprover,
        onInput: (input) => told.push(input),
      });
      one.run.prompt("One");
      one.run.finish();
      expect(await one.over).toEqual([]);
      expect(told).toContainEqual({ type: "decide", id: "a-1", decision });
      expect(one.events.some(({ type }) => type === "approval_request")).toBe(false);
      const denials = decision.allow ? [] : [{ tool_use_id: "1", name: "Bash" }];
      expect(resultsOf(one.events)).toMatchObject([{ permission_denials: denials }]);
    },
  );

  it("of what only looks are allowed where changes are denied", async () => {
    const told: unknown[] = [];
    const one = scripted([LOOK, "wait", DONE], { ...mode("deny"), onInput: (input) => told.push(input) });
    one.run.prompt("One");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(told).toContainEqual({ type: "decide", id: "a-2", decision: { allow: true } });
  });

  it.each([
    [{ allow: true }, "allow", 0],
    [{ allow: true, always: true }, "allow_session", 0],
    [{ allow: false, message: "Not today." }, "deny", 1],
  ] as const)("answered with %j are told to the agent", async (decision, verdict, denials) => {
    const told: unknown[] = [];
    const one = scripted([ASK, "wait", DONE], { hasApprover: true, onInput: (input) => told.push(input) });
    one.run.prompt("One");
    one.run.finish();
    const asked = await one.until(({ type }) => type === "approval_request");
    expect(asked).toMatchObject({ name: "Bash", input: { command: "rm x" }, timeout_ms: 300_000 });
    expect(one.run.decide("another", { allow: true })).toBe(false);
    expect(one.run.decide("a-1", decision)).toBe(true);
    expect(one.run.decide("a-1", decision)).toBe(false);
    expect(await one.over).toEqual([]);
    expect(told).toContainEqual({ type: "decide", id: "a-1", decision });
    expect(one.events).toContainEqual(
      expect.objectContaining({ type: "approval", decision: verdict, by: "user" }),
    );
    expect(resultsOf(one.events)[0]?.permission_denials).toHaveLength(denials);
  });

  it("that nobody answers in time are denied", async () => {
    const one = scripted([ASK, "wait", DONE], { hasApprover: true, approvalTimeoutMs: 50 });
    one.run.prompt("One");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(one.events).toContainEqual(
      expect.objectContaining({ type: "approval", decision: "deny", by: "timeout" }),
    );
    expect(resultsOf(one.events)).toMatchObject([
      { permission_denials: [{ reason: "Nobody answered in time." }] },
    ]);
  });

  it("keep the watchdog away: who waits for its user does not hang", async () => {
    const one = scripted([ASK, "wait", DONE], {
      hasApprover: true,
      approvalTimeoutMs: 2500,
      silenceMs: 1000,
    });
    one.run.prompt("One");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([{ subtype: "success" }]);
  });

  it("that the agent takes back are over", async () => {
    const back = line({ type: "unask", id: "a-1" });
    const one = scripted([ASK, back, DONE], { hasApprover: true });
    one.run.prompt("One");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(one.events).toContainEqual(expect.objectContaining({ type: "approval", by: "agent" }));
    expect(one.run.decide("a-1", { allow: true })).toBe(false);
  });

  it("that ask the user something are asked in every mode but deny, and answered in words", async () => {
    const told: unknown[] = [];
    const one = scripted([QUESTION, "wait", DONE], {
      ...mode("auto"),
      hasApprover: true,
      onInput: (input) => told.push(input),
    });
    one.run.prompt("One");
    one.run.finish();
    const asked = await one.until(({ type }) => type === "approval_request");
    expect(asked).toMatchObject({ questions: [{ question: "Which one?" }] });
    const decision = { allow: true, answers: { "Which one?": "This" } };
    one.run.decide("q-1", decision);
    expect(await one.over).toEqual([]);
    expect(told).toContainEqual({ type: "decide", id: "q-1", decision });
  });
});

it("a fault of ours ends the turn with an error, not without a result", async () => {
  const driver: typeof fakeDriver = {
    ...withArguments([agent("scripted.mjs"), TEXT, DONE]),
    step(state, input) {
      if (input.type === "line") throw new RangeError("Maximum call stack size exceeded");
      return fakeDriver.step(state, input);
    },
  };
  const one = startFake({ program: process.execPath, driver });
  one.run.prompt("One");
  expect(await one.over).toEqual([]);
  expect(resultsOf(one.events)).toMatchObject([{ subtype: "error", error: { code: "failed" } }]);
});

it("what is said after a turn does not keep the next prompt waiting for ever", async () => {
  const one = scripted([TEXT, DONE, line({ type: "text", text: "By the way." })]);
  one.run.prompt("One");
  await one.until((event) => event.type === "text" && event.text === "By the way.");
  one.run.prompt("Two");
  await one.until((event) => event.type === "result" && event.seq > 10);
  one.run.end();
  expect(await one.over).toEqual([]);
  expect(resultsOf(one.events).map(({ result }) => result)).toEqual(
    expect.arrayContaining(["Hello.", "By the way.", "Hello."]),
  );
  expect(resultsOf(one.events).every(({ subtype }) => subtype !== "error")).toBe(true);
});

it("an agent whose guard is killed does not outlive it", async () => {
  const one = startFake({ program: agent("brood.mjs") });
  one.run.prompt("Hello");
  await one.until((event) => event.type === "raw" && event.text.includes("all there"));
  const said = one.events.flatMap((event) => (event.type === "raw" ? [event.text] : [])).join("\n");
  const pids = Array.from(said.matchAll(/pid (\d+)/g), ([, pid]) => Number(pid));
  const parent = commandOf(String(pids[0]))?.parent ?? 0;
  expect(commandOf(String(parent))?.command).toContain("guard");
  process.kill(parent, "SIGKILL");
  expect(await one.over).toEqual([]);
  expect(resultsOf(one.events)).toMatchObject([{ error: { code: "agent_killed" } }]);
  await expect.poll(() => pids.filter(isRunning), { timeout: 10_000 }).toEqual([]);
});

describe("five hundred runs", () => {
  /** One of ten is a server, one is interrupted, and one asks. */
  const kinds = [
    ...Array.from({ length: 7 }, () => async () => {
      const one = scripted([TEXT, DONE]);
      one.run.prompt("Hello");
      one.run.finish();
      return one;
    }),
    async () => {
      const one = startFake({ program: agent("server.mjs"), driver: fakeServerDriver });
      one.run.prompt("Hello");
      one.run.finish();
      return one;
    },
    async () => {
      const one = scripted([TEXT, "wait", line({ type: "result", interrupted: true })]);
      one.run.prompt("Hello");
      await one.until(({ type }) => type === "text");
      one.run.interrupt();
      one.run.finish();
      return one;
    },
    async () => {
      const one = scripted([ASK, "wait", DONE], { hasApprover: true });
      one.run.prompt("Hello");
      await one.until(({ type }) => type === "approval_request");
      one.run.decide("a-1", { allow: true });
      one.run.finish();
      return one;
    },
  ];
  const marks: string[] = [];
  async function several(count: number): Promise<void> {
    for (let at = 0; at < count; at += kinds.length)
      for (const { run, over, events } of await Promise.all(kinds.map((start) => start()))) {
        marks.push(run.id);
        expect(await over).toEqual([]);
        expect(resultsOf(events)).toHaveLength(1);
      }
  }

  it("leave no process, descriptor, timer or listener behind", async () => {
    const listeners = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
    const descriptors = () => readdirSync("/proc/self/fd").length;
    const active = () => process.getActiveResourcesInfo().filter((name) => name !== "Immediate").length;
    await several(20);
    const [before, opened] = [listeners(), descriptors()];
    // Whoever polls has timers of its own, before and after.
    let waiting = 0;
    await expect.poll(() => (waiting = active())).toBeGreaterThan(0);
    await several(480);
    expect(listeners()).toEqual(before);
    await expect.poll(descriptors).toBeLessThanOrEqual(opened);
    await expect.poll(active).toBeLessThanOrEqual(waiting);
    expect(new Set(marks).size).toBe(500);
    await expect.poll(() => bearing(marks)).toEqual([]);
    await expect.poll(() => childrenOf(process.pid)).toEqual([]);
  }, 300_000);
});

/** Processes with the mark of one of these runs, whoever their parent is. */
function bearing(marks: readonly string[]): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    const mark = /BATON_RUN_MARK=([^\0]*)/.exec(environmentOf(name))?.[1];
    return mark !== undefined && marks.includes(mark);
  });
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // It has ended meanwhile, or is somebody else's.
    return "";
  }
}

/** Processes that this one has started and that are still there, vitest's own apart. */
function childrenOf(pid: number): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(commandOf)
    .filter((process) => process?.parent === pid && process.command.includes("guard"))
    .map((process) => process?.command ?? "");
}

function commandOf(pid: string): { parent: number; command: string } | undefined {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, "utf8");
    const parent = Number(facts.slice(facts.lastIndexOf(")") + 2).split(" ")[1]);
    return { parent, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim() };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

it("nothing outlives a Baton that is killed, not even what has left the group or does not listen", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "killed-child.ts"), agent("brood.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes("all there")) break;
  }
  const pids = Array.from(said.matchAll(/pid (\d+)/g), ([, pid]) => Number(pid));
  expect(pids).toHaveLength(4);
  child.kill("SIGKILL");
  await once(child, "exit");
  const alive = () => pids.filter(isRunning);
  await expect.poll(alive, { timeout: 10_000 }).toEqual([]);
});
