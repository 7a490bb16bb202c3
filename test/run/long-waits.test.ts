// What is to be waited for longer than a timer can is waited for as long as one can, and does not end at once.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
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

it.each([
  ["a silence", { silenceMs: 10 * WEEK_MS, retryMs: 0 }],
  ["a retry", { silenceMs: 1000, retryMs: 10 * WEEK_MS }],
])("%s of ten weeks does not end after a moment", (_, { silenceMs, retryMs }) => {
  const onHung = vi.fn();
  const watchdog = newWatchdog({ silenceMs, onHung, onQuiet: () => undefined });
  watchdog.announced(retryMs);
  watchdog.wait({ isOpenEnded: false, isBusy: false });
  vi.advanceTimersByTime(3 * WEEK_MS);
  expect(onHung).not.toHaveBeenCalled();
  vi.advanceTimersByTime(WEEK_MS);
  expect(onHung).toHaveBeenCalledTimes(1);
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
