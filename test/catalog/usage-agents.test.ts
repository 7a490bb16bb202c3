// What the files of Gemini CLI and OpenCode add up to, from the native files on: every way in which tokens were counted twice or not at
// all is a case here, with the numbers worked out by hand.
import { describe, expect, it } from "vitest";
import { at, newHome, uuid } from "./usage-home.ts";

describe("Gemini CLI", () => {
  const path = (name: string) => `.gemini/tmp/app/chats/session-2026-03-02T12-00-${name}.jsonl`;
  const meta = (session: number) => ({
    sessionId: uuid(session),
    projectHash: "0",
    startTime: at(0),
    lastUpdated: at(9),
    kind: "main",
  });
  const message = {
    id: uuid(77),
    timestamp: at(3),
    type: "gemini",
    content: "Hello",
    model: "gemini-2.5-pro",
    tokens: { input: 1000, output: 100, cached: 600, thoughts: 40, tool: 0, total: 1140 },
  };
  // $1.25 in, $10 out, $0.125 from the cache; thoughts stand beside the output:
  // (400 × 1.25 + 600 × 0.125 + 140 × 10) / 1,000,000 = 0.001975
  const COST = 0.001975;

  it("a message that is written again counts once, thoughts are output, cached tokens are cheap", async () => {
    const home = newHome();
    home.write(path("00000001"), [
      meta(1),
      { id: uuid(76), timestamp: at(1), type: "user", content: "Hi" },
      { ...message, tokens: { ...message.tokens, output: 5 } },
      message,
      { $set: { messages: [{ id: uuid(76), timestamp: at(1), type: "user", content: "Hi" }, message] } },
    ]);
    expect((await home.usage()).total).toMatchObject({
      tokens: { input: 400, output: 140, cacheRead: 600, cacheWrite: 0, reasoning: 40 },
      cost: { computed: COST },
      messages: 1,
    });
  });

  it("a session that was imported under another id counts once", async () => {
    const home = newHome();
    for (const session of [1, 2]) home.write(path(`0000000${session}`), [meta(session), message]);
    expect((await home.usage()).total).toMatchObject({ cost: { computed: COST }, messages: 1 });
  });

  it("ids that were made up are not taken for the same message", async () => {
    const home = newHome();
    const other = { ...message, id: "1", timestamp: at(50), tokens: { ...message.tokens, output: 200 } };
    home.write(path("00000001"), [meta(1), { ...message, id: "1" }]);
    home.write(path("00000002"), [meta(2), other]);
    // The second has 100 more: 0.001975 + 0.002975
    expect((await home.usage()).total).toMatchObject({ cost: { computed: 0.00495 }, messages: 2 });
  });
});

describe("OpenCode", () => {
  const session = (id: string) => ({
    table: "session",
    row: {
      id,
      project_id: "global",
      slug: id,
      directory: "/home/me/app",
      title: "A session",
      version: "1.18.33",
      time_created: Date.parse(at(0)),
      time_updated: Date.parse(at(9)),
    },
  });
  const project = {
    table: "project",
    row: { id: "global", worktree: "/", time_created: 0, time_updated: 0, sandboxes: "[]" },
  };
  const TOKENS = { input: 400, output: 100, reasoning: 0, cache: { read: 600, write: 0 } };
  const message = (id: string, of: string, cost: number, modelID = "gpt-5", tokens: object = TOKENS) => {
    // A fork's copy, called b1 for a1, has its time.
    const time = Date.parse(at(Number(id.at(-1))));
    const row = { id, session_id: of, time_created: time, time_updated: time };
    const parts = [
      { type: "step-start" },
      { type: "text", text: "Hello" },
      { type: "step-finish", reason: "stop", cost, tokens },
    ];
    return {
      table: "message",
      row,
      data: {
        role: "assistant",
        time: { created: time, completed: time + 500 },
        modelID,
        providerID: "openai",
        finish: "stop",
        cost,
        tokens,
      },
      rows: parts.map((data, number) => ({
        table: "part",
        row: { ...row, id: `prt_${id}_${number}`, message_id: id },
        data,
      })),
    };
  };

  it("its own cost is recorded, once for the step and the message", async () => {
    const home = newHome();
    home.database([project, session("ses_a"), message("msg_a1", "ses_a", 0.02)]);
    expect((await home.usage()).total).toMatchObject({
      tokens: { input: 400, output: 100, cacheRead: 600 },
      cost: { recorded: 0.02, computed: 0, estimated: 0 },
      messages: 1,
    });
  });

  it("reasoning is part of the output, and paid for once", async () => {
    const home = newHome();
    // As 1.18.33 wrote it for 102 tokens of output, 40 of them reasoning.
    const apart = { total: 1602, input: 1000, output: 62, reasoning: 40, cache: { write: 0, read: 500 } };
    // Without a total, as before: 102 are all.
    const inside = { input: 1000, output: 102, reasoning: 40, cache: { write: 0, read: 500 } };
    home.database([
      project,
      session("ses_a"),
      message("msg_a1", "ses_a", 0, "gpt-5", apart),
      message("msg_a2", "ses_a", 0, "gpt-5", inside),
    ]);
    // Twice (1000 × 1.25 + 500 × 0.125 + 102 × 10) / 1,000,000 = 0.0023325
    expect((await home.usage()).total).toMatchObject({
      tokens: { output: 204, reasoning: 80 },
      cost: { computed: 0.004665 },
    });
  });

  it("a fork, which has new ids for everything, counts once", async () => {
    const home = newHome();
    home.database([
      project,
      session("ses_a"),
      message("msg_a1", "ses_a", 0.02),
      session("ses_b"),
      message("msg_b1", "ses_b", 0.02),
    ]);
    expect((await home.usage()).total).toMatchObject({ cost: { recorded: 0.02 }, messages: 1 });
  });

  it("a cost of zero is none: it is computed, or there is no price", async () => {
    const home = newHome();
    home.database([
      project,
      session("ses_a"),
      message("msg_a1", "ses_a", 0),
      message("msg_a2", "ses_a", 0, "somebody/else-7b"),
    ]);
    const { total, models } = await home.usage();
    expect(total).toMatchObject({
      cost: { recorded: 0, computed: 0.001575, estimated: 0 },
      unpriced: { messages: 1, input: 400, output: 100, cacheRead: 600 },
      messages: 2,
    });
    expect(models).toMatchObject([
      { model: "gpt-5", matched: "openai/gpt-5" },
      { model: "somebody/else-7b", matched: null },
    ]);
  });
});
