// Turns that agents begin by themselves, and turns that end because the agent does.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Input } from "../../src/adapters/driver.ts";
import { WAIT_MS } from "../../src/run/waits.ts";
import { agent, startFake } from "./fake.ts";
import { ASK, DONE, line, resultsOf, scripted, TEXT } from "./scripted.ts";

const BEGIN = line({ type: "begin" });
const say = (text: string) => line({ type: "text", text });

describe("a turn that the agent says it has begun", () => {
  const { unprompted } = WAIT_MS;
  beforeEach(() => {
    WAIT_MS.unprompted = 100;
  });
  afterEach(() => {
    WAIT_MS.unprompted = unprompted;
  });

  it("is waited for by the next prompt, however long it is quiet", async () => {
    const told: string[] = [];
    const onInput = (input: Input) => input.type === "prompt" && told.push(input.text);
    const one = scripted([TEXT, DONE, BEGIN, say("By myself."), "wait", DONE], { onInput });
    one.run.prompt("One");
    await one.until((event) => event.type === "text" && event.text === "By myself.");
    one.run.prompt("Two");
    // Another agent says something after its turn, and no more: that is over by now.
    const other = scripted([DONE, say("By the way.")]);
    other.run.prompt("One");
    await other.until((event) => event.type === "result" && event.result === "By the way.");
    other.run.end();
    expect(await other.over).toEqual([]);
    expect(told).toEqual(["One"]);
    expect(resultsOf(one.events)).toHaveLength(1);
    one.run.interrupt();
    await one.until((event) => event.type === "result" && event.subtype === "interrupted");
    await expect.poll(() => told).toEqual(["One", "Two"]);
    one.run.end();
    expect(await one.over).toEqual([]);
  });
});

describe("an agent that ends", () => {
  it("between two turns has an error of the system, and no result", async () => {
    const one = scripted([TEXT, DONE, "exit"]);
    one.run.prompt("One");
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([{ subtype: "success" }]);
    expect(one.events.at(-1)).toMatchObject({ type: "system", subtype: "error", code: "agent_crashed" });
  });

  it("because it was told to has none", async () => {
    const one = scripted([TEXT, DONE]);
    one.run.prompt("One");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(one.events.at(-1)).toMatchObject({ type: "message_stop" });
  });

  it("in a turn of its own fails that", async () => {
    const one = scripted([TEXT, DONE, BEGIN, say("By myself."), "exit"]);
    one.run.prompt("One");
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([
      { subtype: "success" },
      { subtype: "error", result: "By myself.", error: { code: "agent_crashed" } },
    ]);
  });

  it("because its driver can do nothing with it says why to every prompt, and takes none of them", async () => {
    const told: string[] = [];
    const onInput = (input: Input) => input.type === "prompt" && told.push(input.text);
    const missing = line({ type: "error", code: "session_missing", message: "It is not there." });
    const last = JSON.stringify({ event: { type: "result" }, stop: true });
    const one = scripted([missing, last, "wait"], { onInput });
    one.run.prompt("One");
    one.run.prompt("Two");
    one.run.finish();
    expect(await one.over).toEqual([]);
    const codes = resultsOf(one.events).map(({ error }) => error?.code);
    expect(codes).toEqual(["session_missing", "session_missing"]);
    expect(told).toEqual(["One"]);
  });

  it("by a signal says which", async () => {
    const one = startFake({ program: agent("aborts.mjs") });
    one.run.prompt("One");
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([
      { error: { code: "agent_killed", message: expect.stringContaining("Fake was ended by SIGABRT.") } },
    ]);
  });
});

it("what an agent says of itself is told while it is stopping, what it says of the turn is not", async () => {
  const init = line({ type: "init", session_id: "s-2", model: "m-2" });
  const notice = line({ type: "system", subtype: "notice", message: "It rains." });
  const script = [TEXT, "wait", "later", say("Too late."), init, notice, DONE];
  const one = scripted(script);
  one.run.prompt("One");
  await one.until(({ type }) => type === "text");
  one.run.interrupt();
  const stopped = await one.until(({ type }) => type === "message_stop");
  await one.until((event) => event.type === "system" && event.subtype === "notice");
  one.run.end();
  expect(await one.over).toEqual([]);
  const after = one.events.filter(({ seq }) => seq > stopped.seq);
  expect(after.map((event) => (event.type === "system" ? event.subtype : event.type))).toEqual([
    "session_id",
    "model",
    "notice",
  ]);
  expect(resultsOf(one.events)).toMatchObject([{ subtype: "interrupted" }]);
});

it("a hundred denials stand in the result", async () => {
  const asks = Array.from({ length: 101 }, (_, at) => ASK.replace('"a-1"', `"a-${at}"`));
  const one = scripted([...asks, DONE]);
  one.run.prompt("One");
  one.run.finish();
  expect(await one.over).toEqual([]);
  expect(resultsOf(one.events)[0]?.permission_denials).toHaveLength(100);
});

describe("an agent that does not end", () => {
  const { stopping, leaving } = WAIT_MS;
  beforeEach(() => Object.assign(WAIT_MS, { stopping: 50, leaving: 50 }));
  afterEach(() => Object.assign(WAIT_MS, { stopping, leaving }));

  it("is ended once it has not stopped after an interrupt", async () => {
    const sent = Promise.withResolvers<void>();
    const onInput = ({ type }: Input) => type === "prompt" && sent.resolve();
    const one = startFake({ program: agent("stubborn.mjs"), onInput });
    one.run.prompt("One");
    await sent.promise;
    one.run.interrupt();
    expect(await one.over).toEqual([]);
    expect(resultsOf(one.events)).toMatchObject([{ subtype: "interrupted" }]);
  });

  it("is ended once nothing more is to be done", async () => {
    const one = startFake({ program: agent("stubborn.mjs") });
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(one.events).toEqual([]);
  });
});

it("while a tool is at work an agent may be silent for longer, but not for ever", async () => {
  const call = line({
    type: "tool_use",
    id: "1",
    name: "shell",
    input: {},
    call: { tool: "bash", input: {} },
  });
  // Silent for a second.
  const working = scripted([call, "later", DONE], { silenceMs: 900 });
  const idle = scripted([TEXT, "later", "later", "later", DONE], { silenceMs: 900 });
  for (const { run } of [working, idle]) {
    run.prompt("One");
    run.finish();
  }
  expect(await working.over).toEqual([]);
  expect(await idle.over).toEqual([]);
  expect(resultsOf(working.events)).toMatchObject([{ subtype: "success" }]);
  expect(resultsOf(idle.events)).toMatchObject([{ error: { code: "agent_hung" } }]);
});

it("a wait that was announced is added, whatever else is told until the model answers", async () => {
  const error = { code: "rate_limited", message: "Too much" };
  const retry = (delay_ms: number) => line({ type: "retry", attempt: 1, delay_ms, error });
  const notice = line({ type: "system", subtype: "notice", message: "It rains." });
  // Silent for a second.
  const announced = scripted([retry(60_000), notice, "later", DONE], { silenceMs: 500 });
  const short = scripted([retry(60_000), retry(1), "later", DONE], { silenceMs: 500 });
  const answered = scripted([retry(60_000), TEXT, "later", DONE], { silenceMs: 500 });
  for (const { run } of [announced, short, answered]) {
    run.prompt("One");
    run.finish();
  }
  expect(await announced.over).toEqual([]);
  expect(await answered.over).toEqual([]);
  expect(resultsOf(answered.events)).toMatchObject([{ error: { code: "agent_hung" } }]);
  expect(await short.over).toEqual([]);
  expect(resultsOf(announced.events)).toMatchObject([{ subtype: "success" }]);
  expect(resultsOf(short.events)).toMatchObject([{ error: { code: "agent_hung" } }]);
});
