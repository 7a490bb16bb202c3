// What belongs to one turn does nothing to the next: an interrupt, an approval that nobody answered, a prompt that was
// taken back, a timer.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Input, Output } from "../../src/adapters/driver.ts";
import { WAIT_MS } from "../../src/run/waits.ts";
import { agent, type FakeOptions, fakeDriver, startFake, withArguments } from "./fake.ts";
import { ASK, DONE, line, resultsOf, scripted, TEXT } from "./scripted.ts";

const BEGIN = line({ type: "begin" });
const INTERRUPTED = line({ type: "result", interrupted: true });
const say = (text: string) => line({ type: "text", text });

/** A scripted agent whose driver does something else with some of what it is told. */
function driven(
  script: readonly string[],
  instead: (input: Input) => Output[] | undefined,
  more: Partial<FakeOptions> = {},
) {
  const driver = {
    ...withArguments([agent("scripted.mjs"), ...script]),
    step: (state: Record<string, never>, input: Input) => instead(input) ?? fakeDriver.step(state, input),
  };
  return startFake({ program: process.execPath, driver, ...more });
}

describe("an interrupt", () => {
  it("whose turn is over by what was asked in it does not stop the next one", async () => {
    const inputs: string[] = [];
    const stopped: Output = { type: "event", event: { type: "result", interrupted: true } };
    const one = driven([ASK, "wait", DONE], ({ type }) => (type === "decide" ? [stopped] : undefined), {
      hasApprover: true,
      onInput: ({ type }) => inputs.push(type),
    });
    one.run.prompt("One");
    await one.until(({ type }) => type === "approval_request");
    one.run.prompt("Two");
    one.run.interrupt();
    await expect.poll(() => one.events.filter(({ type }) => type === "approval_request")).toHaveLength(2);
    one.run.end();
    expect(await one.over).toEqual([]);
    expect(inputs.filter((type) => type === "prompt")).toHaveLength(2);
    expect(inputs).not.toContain("interrupt");
    expect(one.events.filter(({ type }) => type === "interrupt")).toHaveLength(1);
  });

  it("denies what is asked before the agent has stopped, and asks nobody", async () => {
    const decided: Input[] = [];
    const onInput = (input: Input) => input.type === "decide" && decided.push(input);
    const one = scripted([TEXT, "wait", ASK, "wait", INTERRUPTED], { hasApprover: true, onInput });
    one.run.prompt("One");
    await one.until(({ type }) => type === "text");
    one.run.interrupt();
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(decided).toMatchObject([{ id: "a-1", decision: { allow: false } }]);
    expect(one.events.filter(({ type }) => type.startsWith("approval"))).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([{ subtype: "interrupted" }]);
  });

  it("by which the agent ends is no failure of the agent", async () => {
    const one = scripted([TEXT, "wait", "exit"]);
    one.run.prompt("One");
    await one.until(({ type }) => type === "text");
    one.run.interrupt();
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([{ subtype: "interrupted" }]);
    expect(one.events.filter(({ type }) => type === "error")).toEqual([]);
  });
});

it("an approval that the agent did not wait for keeps nobody from noticing that it hangs later", async () => {
  const isSecond = (input: Input) => input.type === "prompt" && input.text === "Two";
  const silent = (input: Input): Output[] | undefined => (isSecond(input) ? [] : undefined);
  const one = driven([ASK, DONE], silent, { hasApprover: true, silenceMs: 1000 });
  one.run.prompt("One");
  one.run.prompt("Two");
  expect(await one.over).toEqual([]);
  expect(one.events.filter(({ type }) => type === "approval")).toMatchObject([{ by: "agent" }]);
  expect(resultsOf(one.events)).toMatchObject([{ subtype: "success" }, { error: { code: "agent_hung" } }]);
});

it("an agent that ends before it is ready tells that to the prompts that wait, and to nobody else", async () => {
  const leave: Output[] = [{ type: "send", line: '{"type":"prompt"}' }];
  const one = driven(["exit"], ({ type }) => (type === "start" ? leave : undefined));
  one.run.prompt("One");
  expect(await one.over).toEqual([]);
  const types = one.events.map((event) => (event.type === "system" ? event.subtype : event.type));
  expect(types).toEqual(["init", "error", "usage", "result", "message_stop"]);
});

describe("what an agent does by itself", () => {
  const kept = { ...WAIT_MS };
  beforeEach(() => Object.assign(WAIT_MS, { unprompted: 100, leaving: 100 }));
  afterEach(() => Object.assign(WAIT_MS, kept));

  it("is over when it is quiet, also after a prompt that was taken back", async () => {
    // It speaks as soon as it is told anything, which is no prompt.
    const speak: Output[] = [{ type: "send", line: '{"type":"prompt"}' }, { type: "ready" }];
    const one = driven([TEXT, "wait"], ({ type }) => (type === "start" ? speak : undefined));
    one.run.prompt("One");
    one.run.interrupt();
    await one.until((event) => event.type === "result" && event.result === "Hello.");
    one.run.end();
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([{ subtype: "interrupted" }, { subtype: "success" }]);
  });

  it("is not over while a tool is at work, however quiet it is", async () => {
    const call = { id: "1", name: "shell", input: {}, call: { tool: "bash", input: {} } };
    const done = { tool_use_id: "1", content: "Done.", is_error: false };
    const use = line({ type: "tool_use", ...call });
    const result = line({ type: "tool_result", ...done });
    const one = scripted([DONE, say("By the way."), use, "later", result]);
    one.run.prompt("One");
    await one.until((event) => event.type === "result" && event.seq > 5);
    one.run.end();
    expect(await one.over).toEqual([]);
    expect(one.events.filter(({ type }) => type === "tool_result")).toMatchObject([done]);
  });

  it("is waited for where no more prompts come", async () => {
    const one = scripted([TEXT, DONE, BEGIN, say("By myself."), "later", say(" For long."), DONE]);
    one.run.prompt("One");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([{ result: "Hello." }, { result: "By myself. For long." }]);
  });
});

it("no timer is left once a run is over", async () => {
  const open = new Set<NodeJS.Timeout | undefined>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  vi.stubGlobal("setTimeout", (ring: () => void, ms: number) => {
    const timer = set(() => {
      open.delete(timer);
      ring();
    }, ms);
    open.add(timer);
    return timer;
  });
  vi.stubGlobal("clearTimeout", (timer: NodeJS.Timeout | undefined) => {
    open.delete(timer);
    clear(timer);
  });
  const one = scripted([ASK, TEXT, DONE], { hasApprover: true });
  one.run.prompt("One");
  one.run.finish();
  expect(await one.over).toEqual([]);
  vi.unstubAllGlobals();
  expect([...open]).toEqual([]);
});
