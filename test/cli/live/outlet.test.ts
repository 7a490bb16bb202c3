// Lines for programs in which secrets are hidden: each fits, and says what it said.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Context } from "../../../src/cli/context.ts";
import { newOutlet } from "../../../src/cli/live/outlet.ts";
import { hideSecrets } from "../../../src/cli/redaction.ts";
import { LONGEST_LINE, newEventChecker } from "../../../src/session/event-rules.ts";
import type { AgentEvent } from "../../../src/session/events.ts";

beforeAll(() => hideSecrets(true));
afterAll(() => hideSecrets(false));

/** Marks take three times the room. */
const SECRETS = "h://u:p@h\n".repeat(2900);
const input = { file_path: "/tmp/x", content: SECRETS };
const call = { name: "Write", input, native: { name: "write_file", input } };
const usage = { input_tokens: 1, output_tokens: 1 };
const ended = { is_error: false, session_id: "s", duration_ms: 1, usage, permission_denials: [] };
const init = { agent: "a", provider: "p", session_id: "s", model: "m", cwd: "/", permission_mode: "default" };
const EVENTS = [
  { type: "system", subtype: "init", run: "r", ...init },
  { type: "tool_use", id: "call", ...call },
  { type: "approval_request", id: "ask", tool_use_id: "call", ...call, timeout_ms: 1 },
  { type: "approval", id: "ask", decision: "deny", by: "user", message: SECRETS },
  { type: "tool_result", tool_use_id: "call", content: SECRETS.repeat(2), is_error: false },
  { type: "raw", text: SECRETS.repeat(2) },
  { type: "usage", ...usage },
  { type: "result", subtype: "success", result: SECRETS.repeat(2), ...ended },
  { type: "message_stop" },
];

it("an event that marks make too long is cut, and stays what it is", async () => {
  const lines: string[] = [];
  const output = { document: async (line: string) => void lines.push(line) };
  const agent = { adapter: undefined };
  const outlet = newOutlet({ output } as unknown as Context, agent, { outputFormat: "stream-json" });
  for (const [at, event] of EVENTS.entries())
    await outlet.show({ ...event, seq: at + 1, timestamp: "" } as AgentEvent);
  const told = lines.map((line) => JSON.parse(line));
  expect(told.map(({ type, id, tool_use_id }) => [type, id ?? tool_use_id])).toEqual(
    EVENTS.map(({ type, id, tool_use_id }) => [type, id ?? tool_use_id]),
  );
  const checker = newEventChecker();
  expect([...told.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThan(LONGEST_LINE);
  for (const { input: shown } of [told[1], told[2]]) {
    expect(shown.file_path).toBe("/tmp/x");
    expect(shown.content).toMatch(/^h:\/\/u:\[redacted: url-password 1\]@h\n.* … \[\d+ more characters\]$/s);
  }
  for (const text of [told[4].content, told[5].text, told[7].result])
    expect(text).toMatch(/more characters\]$/);
  expect(told.map(({ truncated }) => truncated === true)).toEqual(
    EVENTS.map(({ type }) => type === "raw" || type === "result"),
  );
});
