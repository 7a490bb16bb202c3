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

const shown = (...events: object[]) => shownWith({}, events);

async function shownWith(more: { isVerbose?: boolean }, events: object[]) {
  const { told, page } = newFace();
  const look = { colors: pc.createColors(false), width: () => 80, isVerbose: false, nameOf: String, ...more };
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

it("a thought flows as the reply does, on its own side", async () => {
  const thought = (words: string, message: string, more: object = {}) => ({
    ...text(words, message),
    type: "thinking",
    ...more,
  });
  const verbose = async (...events: object[]) => shownWith({ isVerbose: true }, events);
  const told = await verbose(
    thought("First ", "1"),
    thought("this,\nthen", "1"),
    thought(" that.", "1"),
    thought("Another", "2"),
    text("Reply", "3"),
    thought("More", "2"),
    thought("Of a subagent", "2", { parent_tool_use_id: "call" }),
    thought(" of it", "2", { parent_tool_use_id: "call" }),
    result(),
  );
  expect(told.reply).toBe("Reply\n");
  expect(told.notes).toMatch(
    /^First this,\nthen that\.\nAnother\nMore\n {2}Of a subagent of it\ndone in 1 s .*\n$/,
  );
  expect((await verbose(thought("Let me see", "1"), ...tool)).notes).toMatch(
    /^Let me see\n✓ Bash ls · .*\n$/,
  );
  expect((await shown(thought("Quiet", "1"))).notes).toBe("");
});

it("nothing of a tool's name or of what it was given is hidden, and none of it acts", async () => {
  const [use, answer] = tool;
  const name = "Ba\rsh\b";
  const command = "echo hi \u001b]0;rm -rf /\u0007 \u202egnp.\u200b \u001b[;x\u001b[K";
  const told = await shown({ ...use, name, input: { command } }, { ...answer });
  expect(told.notes).toMatch(/^✓ Ba␍sh␈ echo hi ␛\]0;rm -rf \/␇ <U\+202E>gnp\.<U\+200B> ␛\[;x␛\[K · /);
  const ended = await shown(result({ session_id: "s\u001b[2J\r" }));
  expect(ended.notes).not.toMatch(/[\u001b\r]/);
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

it("what breaks off the reply begins a line, and the reply goes on in another", async () => {
  const { told, page } = newFace(true);
  await page.say("One ");
  page.breakOff();
  page.breakOff();
  await page.say("two");
  expect(told).toMatchObject({ reply: "One two", notes: "\n" });
  await page.rest();
  const elsewhere = newFace();
  await elsewhere.page.say("One ");
  elsewhere.page.breakOff();
  await elsewhere.page.think("1", "Hm");
  elsewhere.page.breakOff();
  expect(elsewhere.told).toMatchObject({ reply: "One \n", notes: "Hm\n" });
});

it.each([
  ["", 80, "\r\u001b[J"],
  ["x".repeat(80), 80, "\r\u001b[J"],
  ["x".repeat(81), 80, "\r\u001b[1A\u001b[J"],
  ["日".repeat(21), 20, "\r\u001b[2A\u001b[J"],
])("%j is taken back from %i columns", (words, width, sequence) => {
  expect(erased(words, width)).toBe(sequence);
});
