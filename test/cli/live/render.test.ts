// What a person reads of a run: messages apart, what is only estimated marked, and a line at the bottom that goes
// without a trace.
import pc from "picocolors";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { erased, newPage } from "../../../src/cli/live/page.ts";
import { Renderer } from "../../../src/cli/live/render.ts";
import type { AgentEvent } from "../../../src/session/events.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function newFace(isTerminal = false) {
  const told = { reply: "", notes: "", columns: 80 };
  const page = newPage({
    say: async (text) => {
      told.reply += text;
    },
    note: (text) => {
      told.notes += text;
    },
    colors: pc.createColors(false),
    width: () => told.columns,
    isTerminal,
    isQuiet: false,
  });
  return { told, page };
}

async function shown(...events: object[]) {
  const { told, page } = newFace();
  const look = { colors: pc.createColors(false), width: () => 80, isVerbose: false, nameOf: String };
  const renderer = new Renderer(page, look);
  for (const event of events) await renderer.show({ seq: 1, timestamp: "", ...event } as AgentEvent);
  return told;
}

const text = (words: string, message?: string) => ({
  type: "text",
  text: words,
  ...(message !== undefined && { message }),
});
const result = (more: object = {}) => ({
  type: "result",
  subtype: "success",
  duration_ms: 1000,
  session_id: "s",
  usage: { input_tokens: 1, output_tokens: 2 },
  ...more,
});
const tool = [
  { type: "tool_use", id: "1", name: "Bash", input: { command: "ls" } },
  { type: "tool_result", tool_use_id: "1", content: "", is_error: false },
];

it("each message is a paragraph, and its pieces are none", async () => {
  const told = await shown(text("Hello ", "1"), text("there.", "1"), text("Bye.", "2"), result());
  expect(told.reply).toBe("Hello there.\n\nBye.\n");
  expect((await shown(text("One.\n", "1"), text("Two.", "2"))).reply).toBe("One.\n\nTwo.");
  expect((await shown(text("One", "1"), ...tool, text("Two", "2"))).reply).toBe("One\nTwo");
  expect((await shown(text("One "), text("two"))).reply).toBe("One two");
  expect((await shown(text("One", "1"), result(), text("Two", "2"))).reply).toBe("One\nTwo");
});

it("what is not known exactly is said to be about so much", async () => {
  const exact = await shown(result({ total_cost_usd: 0.5 }));
  expect(exact.notes).toBe("done in 1 s · 1 token in, 2 out · $0.50 · session s\n");
  const computed = await shown(result({ total_cost_usd: 0.5, cost_computed: true }));
  expect(computed.notes).toContain("· 1 token in, 2 out · about $0.50 ·");
  const usage = { input_tokens: 4, cache_read_input_tokens: 8, output_tokens: 2, estimated: true };
  const estimated = await shown(result({ usage, total_cost_usd: 0.5 }));
  expect(estimated.notes).toContain("· about 12 tokens in, 2 out · about $0.50 ·");
});

it("an agent that is gone is an error, anything else between two turns a warning", async () => {
  const failure = { type: "system", subtype: "error", message: "It ended.", hint: "Run it again." };
  expect((await shown({ ...failure, code: "agent_killed" })).notes).toBe("error: It ended.\nRun it again.\n");
  expect((await shown({ ...failure, code: "unsupported" })).notes).toBe("warning: It ended.\n");
});

it("the line at the bottom goes whole, also where a narrower window has broken it", async () => {
  const { told, page } = newFace(true);
  page.working("w".repeat(60));
  told.notes = "";
  told.columns = 25;
  await page.line("next");
  expect(told.notes).toMatch(/^\r\u001b\[2A\u001b\[Jnext\n/);
  await page.rest();
});

it.each([
  ["", 80, "\r\u001b[J"],
  ["x".repeat(80), 80, "\r\u001b[J"],
  ["x".repeat(81), 80, "\r\u001b[1A\u001b[J"],
  ["日".repeat(21), 20, "\r\u001b[2A\u001b[J"],
])("%j is taken back from %i columns", (words, width, sequence) => {
  expect(erased(words, width)).toBe(sequence);
});
