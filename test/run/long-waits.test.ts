// For how long a silent agent is waited for. What is to be waited for longer than a timer can is waited for as long as
// one can, and does not end at once.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { DriverEvent } from "../../src/adapters/driver.ts";
import { newApprovals } from "../../src/run/approvals.ts";
import { newWatchdog } from "../../src/run/watchdog.ts";
import { newProtocol } from "./told.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const WEEK_MS = 7 * 24 * 3600_000;

const retry = (delay_ms: number): DriverEvent => ({
  type: "retry",
  attempt: 1,
  delay_ms,
  error: { code: "overloaded", message: "Too much to do." },
});

it.each([
  ["a silence", { silenceMs: 10 * WEEK_MS, retryMs: 0 }],
  ["a retry", { silenceMs: 1000, retryMs: 10 * WEEK_MS }],
])("%s of ten weeks does not end after a moment", (_, { silenceMs, retryMs }) => {
  const onHung = vi.fn();
  const watchdog = newWatchdog({ silenceMs, onHung, onQuiet: () => undefined });
  watchdog.heard(retry(retryMs));
  watchdog.wait({ isOpenEnded: false, isBusy: false });
  vi.advanceTimersByTime(3 * WEEK_MS);
  expect(onHung).not.toHaveBeenCalled();
  vi.advanceTimersByTime(WEEK_MS);
  expect(onHung).toHaveBeenCalledTimes(1);
});

/** After how many milliseconds an agent that says nothing more is taken to hang. */
function hungAfter(isBusy: boolean, ...heard: DriverEvent[]): number | undefined {
  let after: number | undefined;
  const onHung = (ms: number) => {
    after = ms;
  };
  const watchdog = newWatchdog({ silenceMs: 1000, onHung, onQuiet: () => undefined });
  for (const event of heard) watchdog.heard(event);
  watchdog.wait({ isOpenEnded: false, isBusy });
  vi.advanceTimersByTime(WEEK_MS);
  return after;
}

it.each<[string, DriverEvent, number]>([
  ["the model has answered", { type: "text", text: "Hello." }, 1000],
  ["the turn is over", { type: "result" }, 1000],
  ["not once a subagent was answered", { type: "text", text: "Hi.", parent_tool_use_id: "1" }, 61_000],
  ["not with what the agent says of itself", { type: "system", subtype: "notice", message: "Hm." }, 61_000],
])("a wait that was announced is over once %s", (_, event, after) => {
  expect(hungAfter(false, retry(60_000), event)).toBe(after);
});

it("a wait that was announced is over with a turn that nobody says the end of", () => {
  const onHung = vi.fn();
  const onQuiet = vi.fn();
  const watchdog = newWatchdog({ silenceMs: 1000, onHung, onQuiet });
  watchdog.heard(retry(60_000));
  watchdog.wait({ isOpenEnded: true, isBusy: false });
  vi.advanceTimersByTime(10_000);
  expect(onQuiet).toHaveBeenCalledTimes(1);
  watchdog.wait({ isOpenEnded: false, isBusy: false });
  vi.advanceTimersByTime(1000);
  expect(onHung).toHaveBeenCalledTimes(1);
});

it("while a tool is at work an agent may be silent ten times as long", () => {
  expect(hungAfter(true)).toBe(10_000);
});

it("an approval of ten weeks is not denied after a moment", () => {
  const take = vi.fn();
  const approvals = newApprovals({
    protocol: newProtocol(),
    mode: "default",
    hasApprover: true,
    timeoutMs: 10 * WEEK_MS,
    tell: () => undefined,
    take,
  });
  const call = { tool: "bash", input: { command: "rm x" } } as const;
  approvals.ask({ type: "ask", id: "a-1", name: "shell", input: {}, call }, false);
  vi.advanceTimersByTime(3 * WEEK_MS);
  expect(take).not.toHaveBeenCalled();
  vi.advanceTimersByTime(WEEK_MS);
  expect(take.mock.calls).toMatchObject([[{ type: "decide", id: "a-1", decision: { allow: false } }]]);
});
