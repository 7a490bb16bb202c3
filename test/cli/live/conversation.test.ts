// The person at the terminal, of whom something is asked that is no longer wanted.
import pc from "picocolors";
import { expect, it, vi } from "vitest";
import { newConversation } from "../../../src/cli/live/conversation.ts";
import type { Face } from "../../../src/cli/live/page.ts";
import type { LiveRun } from "../../../src/run/live.ts";
import type { AgentEvent } from "../../../src/session/events.ts";

it("an approval whose withdrawal comes right behind it is not asked for", async () => {
  const note = vi.fn();
  const face: Face = {
    say: async () => undefined,
    note,
    colors: pc.createColors(false),
    width: () => 80,
    isTerminal: true,
    isQuiet: false,
  };
  const outlet = { show: async () => undefined, ring: () => undefined, end: async () => undefined, face };
  const signals = { interrupt: () => undefined, left: () => undefined };
  const run = { isActive: true, decide: vi.fn(() => true) } as unknown as LiveRun;
  const talk = newConversation({ run, outlet, label: "Agent", signals });
  const head = { seq: 1, timestamp: "", id: "1" };
  const request = {
    type: "approval_request",
    name: "Bash",
    input: { command: "ls" },
    timeout_ms: 1,
  } as const;
  await talk.hear({ ...head, ...request });
  // Whoever takes events takes some turns of the queue to show each.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  const withdrawn: AgentEvent = { ...head, type: "approval", decision: "deny", by: "agent" };
  await talk.hear(withdrawn);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  talk.close();
  expect(note).not.toHaveBeenCalled();
  expect(run.decide).not.toHaveBeenCalled();
});
