// What is waited for when the mode changes, when nobody is there any more, and when there is no turn.
import { describe, expect, it, vi } from "vitest";
import type { Input } from "../../src/adapters/driver.ts";
import { type Ask, newApprovals } from "../../src/run/approvals.ts";
import { ASK, DONE, LOOK, line, mode, QUESTION, resultsOf, scripted } from "./scripted.ts";
import { newProtocol, use, wrong } from "./told.ts";

const OTHER = ASK.replace('"a-1"', '"a-9"').replace('"tool_use_id":"1"', '"tool_use_id":"9"');

const SHELL: Ask = { type: "ask", id: "a", name: "shell", input: {}, call: { tool: "bash", input: {} } };

/** Asked, with somebody there, and everything that the agent is told of it. */
async function asked(asks: readonly string[]) {
  const decided: Extract<Input, { type: "decide" }>[] = [];
  const onInput = (input: Input) => input.type === "decide" && decided.push(input);
  const script = [...asks, ...asks.map(() => "wait"), DONE];
  const one = scripted(script, { ...mode("default"), hasApprover: true, onInput });
  one.run.prompt("One");
  await one.until(() => one.events.filter(({ type }) => type === "approval_request").length === asks.length);
  return { ...one, decided };
}

describe("another mode", () => {
  it("allows all that is waited for where it allows everything", async () => {
    const { run, over, events, decided } = await asked([ASK, OTHER]);
    run.setMode("auto");
    run.finish();
    expect(await over).toEqual([]);
    expect(decided).toEqual([
      { type: "decide", id: "a-1", decision: { allow: true } },
      { type: "decide", id: "a-9", decision: { allow: true } },
    ]);
    const approvals = events.filter((event) => event.type === "approval");
    expect(approvals).toMatchObject([
      { id: "a-1", decision: "allow", by: "mode" },
      { id: "a-9", decision: "allow", by: "mode" },
    ]);
  });

  it("leaves questions to the user where it allows everything", async () => {
    const { run, over, events, decided } = await asked([QUESTION]);
    run.setMode("auto");
    expect(decided).toEqual([]);
    run.decide("q-1", { allow: true, answers: { "Which one?": "This" } });
    run.finish();
    expect(await over).toEqual([]);
    expect(events.find(({ type }) => type === "approval")).toMatchObject({ by: "user" });
  });
});

it("the agent is answered in its own words, however its question was shown", async () => {
  const question = "Which one \u001b[2Jis it?";
  const options = [{ label: "Split it\u001b[2K" }, { label: "Split it\u001b[2K" }, { label: "Keep it" }];
  const { run, over, events, decided } = await asked([
    line({ ...JSON.parse(QUESTION).event, questions: [{ question, options, multiple: true }] }),
  ]);
  const told = events.find((event) => event.type === "approval_request");
  expect(told?.questions).toEqual([
    {
      question: "Which one ␛[2Jis it?",
      options: [{ label: "Split it␛[2K" }, { label: "Split it␛[2K (2)" }, { label: "Keep it" }],
      multiple: true,
    },
  ]);
  const answers = { "Which one ␛[2Jis it?": ["Split it␛[2K (2)", "Keep it", "and mine"] };
  run.decide("q-1", { allow: true, answers });
  run.finish();
  expect(await over).toEqual([]);
  expect(decided).toEqual([
    {
      type: "decide",
      id: "q-1",
      decision: { allow: true, answers: { [question]: ["Split it\u001b[2K", "Keep it", "and mine"] } },
    },
  ]);
});

it("nobody is there any more: what is waited for is denied, and what is asked later", async () => {
  const { run, over, events, decided } = await asked([ASK, QUESTION]);
  run.unattended();
  run.prompt("Two");
  run.finish();
  expect(await over).toEqual([]);
  expect(decided).toHaveLength(4);
  for (const { decision } of decided)
    expect(decision).toEqual({ allow: false, message: "Nobody is there to allow it." });
  const approvals = events.filter((event) => event.type === "approval");
  expect(approvals).toMatchObject([
    { id: "a-1", decision: "deny", by: "mode", message: "Nobody is there to allow it." },
    { id: "q-1", decision: "deny", by: "mode" },
  ]);
  expect(resultsOf(events).map(({ permission_denials }) => permission_denials.length)).toEqual([2, 2]);
});

it("what only looks needs nobody where changes are denied", async () => {
  const { run, over, decided } = await asked([LOOK]);
  run.setMode("auto");
  run.finish();
  expect(await over).toEqual([]);
  expect(decided).toMatchObject([{ decision: { allow: true } }]);
});

it("a question is not asked where nothing is to be changed, though somebody is there", () => {
  const take = vi.fn();
  const tell = vi.fn();
  const options = { hasApprover: true, timeoutMs: 1000, tell, take };
  const approvals = newApprovals({ protocol: newProtocol(), mode: "deny", ...options });
  approvals.ask({ ...SHELL, questions: [{ question: "Which one?" }] }, false);
  expect(approvals.size).toBe(0);
  expect(tell).not.toHaveBeenCalled();
  expect(take.mock.calls).toMatchObject([[{ type: "decide", id: "a", decision: { allow: false } }]]);
});

it("what is denied between two turns stands in neither", () => {
  const protocol = newProtocol();
  const first = [...protocol.begin("One"), ...protocol.finish({})];
  protocol.denied(SHELL, "Nobody is there.");
  expect(protocol.isTurn).toBe(false);
  const second = [...protocol.begin("Two"), ...protocol.say(use("1")), ...protocol.finish({})];
  expect(wrong([...first, ...second])).toEqual([]);
  expect(resultsOf([...first, ...second])).toMatchObject([
    { permission_denials: [] },
    { permission_denials: [] },
  ]);
});

it("a mode that the agent says it has taken up decides what is waited for", async () => {
  const decided: Input[] = [];
  const onInput = (input: Input) => input.type === "decide" && decided.push(input);
  const script = [ASK, line({ type: "mode", mode: "deny" }), "wait", DONE];
  const one = scripted(script, { ...mode("default"), hasApprover: true, onInput });
  one.run.prompt("One");
  one.run.finish();
  expect(await one.over).toEqual([]);
  expect(decided).toMatchObject([{ id: "a-1", decision: { allow: false } }]);
});

it("what is asked again under the same id has all its time again", () => {
  vi.useFakeTimers();
  try {
    const take = vi.fn();
    const approvals = newApprovals({
      protocol: newProtocol(),
      mode: "default",
      hasApprover: true,
      timeoutMs: 1000,
      tell: () => undefined,
      take,
    });
    approvals.ask(SHELL, false);
    vi.advanceTimersByTime(900);
    approvals.ask(SHELL, false);
    vi.advanceTimersByTime(900);
    expect(take).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(take.mock.calls).toMatchObject([[{ type: "decide", id: "a", decision: { allow: false } }]]);
  } finally {
    vi.useRealTimers();
  }
});
