// The status that a run ends with, from its events.
import { expect, it } from "vitest";
import { newOutcome } from "../../../src/cli/live/outcome.ts";
import type { AgentEvent, FailureCode } from "../../../src/session/events.ts";

const failure = (code: FailureCode) => ({ code, message: "It failed.", hint: "Try again." });
const result = (subtype: string, code?: FailureCode) =>
  ({ type: "result", subtype, ...(code && { error: failure(code) }) }) as AgentEvent;
const wrong = (code: FailureCode) => ({ type: "system", subtype: "error", ...failure(code) }) as AgentEvent;

it.each<[number, AgentEvent[]]>([
  [0, []],
  [0, [result("success")]],
  [1, [result("refusal")]],
  [1, [result("error", "rate_limited")]],
  [3, [result("error", "session_missing")]],
  [5, [result("error", "session_busy")]],
  [130, [result("success"), result("interrupted")]],
  [130, [result("interrupted"), wrong("agent_hung")]],
  // It is gone before the next prompt, or never took one.
  [1, [result("success"), wrong("agent_killed")]],
  [1, [result("success"), wrong("agent_hung")]],
  [1, [wrong("not_signed_in")]],
  [3, [wrong("session_missing")]],
  // What ends nothing, or was made up for.
  [0, [result("success"), wrong("failed")]],
  [0, [wrong("bad_input")]],
  [0, [wrong("unsupported"), result("success")]],
  [0, [wrong("not_signed_in"), result("success")]],
])("%s after %j", (status, events) => {
  const outcome = newOutcome();
  for (const event of events) outcome.note(event);
  expect(outcome.status()).toBe(status);
  expect(outcome.result).toBe(events.findLast(({ type }) => type === "result"));
});
