// What Claude Code's files add up to, from the native files on: every way in which tokens were counted twice or not at
// all is a case here, with the numbers worked out by hand.
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { claudePath, newHome, prompt, reply, uuid } from "./usage-home.ts";

/** Nothing but zeroes. */
const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

describe("Claude Code", () => {
  // Opus 4.5: $5 in, $25 out, $0.50 from the cache, $6.25 (5 minutes) and $10 (an hour) into it, a million.
  const usage = {
    input_tokens: 1000,
    output_tokens: 100,
    cache_read_input_tokens: 20_000,
    cache_creation_input_tokens: 3000,
  };
  // (1000 × 5 + 100 × 25 + 20,000 × 0.5 + 3000 × 6.25) / 1,000,000 = 0.03625
  const COST = 0.03625;

  it("a message whose time is damaged is of the day of what came before it", async () => {
    const home = newHome();
    const day = 86_400;
    const damaged = { timestamp: "2026-13-45T99:00:00.000Z" };
    home.write(claudePath(1), [
      prompt(1, 1, 0),
      reply({ session: 1, number: 2, seconds: 1, message: "msg_a", usage }),
      prompt(1, 3, day),
      { ...prompt(1, 4, day), ...damaged },
      { ...reply({ session: 1, number: 5, seconds: day, message: "msg_b", usage }), ...damaged },
    ]);
    const { rows } = await home.usage({ by: "day" });
    expect(rows.map(({ messages }) => messages)).toEqual([1, 1]);
  });

  it("counts that cannot be are none", async () => {
    const home = newHome();
    const odd = { input_tokens: -5, output_tokens: 1e308, cache_read_input_tokens: 2.5 };
    home.write(claudePath(1), [
      prompt(1, 1, 0),
      reply({ session: 1, number: 2, seconds: 1, message: "msg_a", usage: { ...usage, ...odd } }),
    ]);
    const { total } = await home.usage();
    expect(total.tokens).toEqual({ ...NONE, cacheWrite: 3000 });
  });

  it("a message of several blocks counts once, with the last line's output", async () => {
    const home = newHome();
    home.write(claudePath(1), [
      prompt(1, 1, 0),
      reply({ session: 1, number: 2, seconds: 1, message: "msg_a", usage: { ...usage, output_tokens: 1 } }),
      reply({ session: 1, number: 3, seconds: 2, message: "msg_a", usage: { ...usage, output_tokens: 8 } }),
      reply({ session: 1, number: 4, seconds: 3, message: "msg_a", usage }),
    ]);
    const { total, rows, models } = await home.usage();
    expect(total).toMatchObject({
      tokens: { ...NONE, input: 1000, output: 100, cacheRead: 20_000, cacheWrite: 3000 },
      cost: { recorded: 0, computed: COST, estimated: 0 },
      unpriced: { ...NONE, messages: 0 },
      messages: 1,
      sessions: 1,
    });
    expect(rows.map(({ key }) => key)).toEqual(["claude-opus-4-5-20251101"]);
    expect(models).toMatchObject([
      {
        model: "claude-opus-4-5-20251101",
        matched: "anthropic/claude-opus-4-5",
        prices: { input: 5, output: 25 },
      },
    ]);
  });

  it("a session that was forked or copied while it was resumed counts its messages once", async () => {
    const home = newHome();
    const shared = (session: number) => [
      prompt(session, 1, 0),
      reply({ session, number: 2, seconds: 1, message: "msg_a", usage }),
    ];
    home.write(claudePath(1), shared(1));
    home.write(claudePath(2), [
      ...shared(2),
      prompt(2, 3, 9),
      reply({ session: 2, number: 4, seconds: 10, message: "msg_b", usage }),
    ]);
    // Two messages, although the files hold three.
    const { total } = await home.usage();
    expect(total).toMatchObject({ cost: { computed: 2 * COST }, messages: 2, sessions: 2 });
  });

  it("what was compacted away or taken back has been paid for, and counts once", async () => {
    const home = newHome();
    const boundary = { type: "system", subtype: "compact_boundary", content: "Conversation compacted" };
    home.write(claudePath(1), [
      prompt(1, 1, 0),
      reply({ session: 1, number: 2, seconds: 1, message: "msg_a", usage }),
      { ...prompt(1, 3, 2), ...boundary, parentUuid: null, logicalParentUuid: uuid(1002) },
      { ...prompt(1, 4, 3), isCompactSummary: true },
      // The line of the first message once more, as a resumed session may have it.
      reply({ session: 1, number: 2, seconds: 1, message: "msg_a", usage }),
      reply({ session: 1, number: 5, seconds: 4, message: "msg_b", usage }),
    ]);
    expect((await home.usage()).total).toMatchObject({ cost: { computed: 2 * COST }, messages: 2 });
  });

  it("a subagent's messages count once, wherever they stand", async () => {
    const home = newHome();
    const side = { isSidechain: true, agentId: "a1" };
    home.write(claudePath(1), [
      prompt(1, 1, 0),
      reply({ session: 1, number: 2, seconds: 1, message: "msg_a", usage }),
    ]);
    home.write(`.claude/projects/-home-me-app/${uuid(1)}/subagents/agent-a1.jsonl`, [
      { ...prompt(1, 11, 2), parentUuid: null, ...side },
      reply({ session: 1, number: 12, seconds: 3, message: "msg_s", usage, ...side }),
    ]);
    expect((await home.usage({ by: "session" })).total).toMatchObject({
      cost: { computed: 2 * COST },
      messages: 2,
      sessions: 2,
    });
  });

  it("what is kept in the cache for an hour costs more", async () => {
    const home = newHome();
    const hour = {
      ...usage,
      cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
    };
    home.write(claudePath(1), [reply({ session: 1, number: 1, seconds: 1, usage: hour })]);
    // 1000 × 5 + 100 × 25 + 20,000 × 0.5 + 1000 × 6.25 + 2000 × 10 = 43,750
    expect((await home.usage()).total.cost.computed).toBe(0.04375);
  });

  it("words of the CLI itself and errors are no model's", async () => {
    const home = newHome();
    const synthetic = reply({ session: 1, number: 2, seconds: 2, usage });
    home.write(claudePath(1), [
      reply({ session: 1, number: 1, seconds: 1, usage }),
      { ...synthetic, isApiErrorMessage: true, message: { ...synthetic.message, model: "<synthetic>" } },
    ]);
    expect((await home.usage()).total).toMatchObject({ messages: 1, unpriced: { messages: 0 } });
  });

  it("a cost on the line is recorded, and the price list is not asked", async () => {
    const home = newHome();
    home.write(claudePath(1), [
      reply({ session: 1, number: 1, seconds: 1, message: "msg_a", usage, costUSD: 0.5 }),
      reply({ session: 1, number: 2, seconds: 2, message: "msg_b", usage }),
    ]);
    expect((await home.usage()).total.cost).toEqual({ recorded: 0.5, computed: COST, estimated: 0 });
  });

  // Measured with 2.1.325: `cost-state` is a running total, and a fork goes on from that of its origin.
  it("a total for the session is spread over its messages, and what a fork shares counts once", async () => {
    const home = newHome();
    const state = (session: number, totalCostUSD: number) => ({
      type: "cost-state",
      sessionId: uuid(session),
      totalCostUSD,
    });
    const shared = (session: number) => [
      prompt(session, 1, 0),
      reply({ session, number: 2, seconds: 1, message: "msg_a", usage }),
    ];
    // The agent says 0.04 for each message, whatever the list says.
    home.write(claudePath(1), [
      ...shared(1),
      state(1, 0.04),
      reply({ session: 1, number: 3, seconds: 86_400, message: "msg_b", usage }),
      state(1, 0.08),
    ]);
    home.write(claudePath(2), [
      ...shared(2),
      reply({ session: 2, number: 3, seconds: 20, message: "msg_c", usage }),
      state(2, 0.08),
    ]);
    const { total, rows } = await home.usage({ by: "day" });
    expect(total).toMatchObject({ cost: { recorded: 0.12, computed: 0, estimated: 0 }, messages: 3 });
    expect(rows.map(({ key, cost }) => [key, cost.recorded])).toEqual([
      ["2026-03-02", 0.08],
      ["2026-03-03", 0.04],
    ]);
  });

  it("messages after the last total are computed, and a total covers subagents", async () => {
    const home = newHome();
    const side = { isSidechain: true, agentId: "a1" };
    home.write(claudePath(1), [
      reply({ session: 1, number: 1, seconds: 1, message: "msg_a", usage }),
      { type: "cost-state", sessionId: uuid(1), totalCostUSD: 2 * COST },
      // The agent was killed before it wrote down what this one cost.
      reply({ session: 1, number: 2, seconds: 50, message: "msg_b", usage }),
    ]);
    home.write(`.claude/projects/-home-me-app/${uuid(1)}/subagents/agent-a1.jsonl`, [
      reply({ session: 1, number: 11, seconds: 3, message: "msg_s", usage, ...side }),
    ]);
    const { cost, messages } = (await home.usage()).total;
    expect({ ...cost, messages }).toEqual({ recorded: 2 * COST, computed: COST, estimated: 0, messages: 3 });
  });

  const state = (totalCostUSD: number) => ({ type: "cost-state", sessionId: uuid(1), totalCostUSD });
  const said = (number: number, seconds: number) =>
    reply({ session: 1, number, seconds, message: `msg_number_${number}`, usage });

  it.each([
    ["far below the list's price", 0.01],
    ["far above it", 5],
  ])("a total %s covers what stands before it, and nothing behind it", async (_, dollars) => {
    const home = newHome();
    home.write(claudePath(1), [said(1, 1), said(2, 2), said(3, 3), state(dollars)]);
    expect((await home.usage()).total.cost).toEqual({ recorded: dollars, computed: 0, estimated: 0 });
    // Read on from the cursor, as a file that grows is.
    home.append(claudePath(1), [said(4, 4), said(5, 5)]);
    expect((await home.usage()).total.cost).toEqual({ recorded: dollars, computed: 2 * COST, estimated: 0 });
    home.append(claudePath(1), [state(2 * dollars), said(6, 6)]);
    expect((await home.usage()).total.cost).toEqual({ recorded: 2 * dollars, computed: COST, estimated: 0 });
  });

  it("times do not say what a total covers: messages of one moment are told apart", async () => {
    const home = newHome();
    home.write(claudePath(1), [said(1, 1), state(0.5), said(2, 1)]);
    expect((await home.usage()).total.cost).toEqual({ recorded: 0.5, computed: COST, estimated: 0 });
  });

  it("what a subagent did after the first message that a total does not cover is computed too", async () => {
    const home = newHome();
    const side = { isSidechain: true, agentId: "a1" };
    const sub = (number: number, seconds: number) => ({ ...said(number, seconds), ...side });
    home.write(claudePath(1), [said(1, 1), state(0.5), said(2, 50)]);
    home.write(`.claude/projects/-home-me-app/${uuid(1)}/subagents/agent-a1.jsonl`, [
      sub(11, 3),
      sub(12, 60),
    ]);
    expect((await home.usage()).total).toMatchObject({
      cost: { recorded: 0.5, computed: 2 * COST },
      messages: 4,
    });
  });

  it("a session that the agent has deleted since has been paid for all the same", async () => {
    const home = newHome();
    const path = home.write(claudePath(1), [reply({ session: 1, number: 1, seconds: 1, usage })]);
    const before = await home.usage();
    rmSync(path);
    expect(before.total.cost.computed).toBe(COST);
    expect(await home.usage()).toEqual(before);
  });

  it("a message that comes again much later is of its first day, and stays covered by a total", async () => {
    const DAYS = 3 * 86_400;
    const line = (number: number, seconds: number, message: string) =>
      reply({ session: 1, number, seconds, message, usage });
    const many = Array.from({ length: 30 }, (_, at) => line(at + 3, at + 3, `msg_other_${at}`));
    const home = newHome();
    home.write(claudePath(1), [
      prompt(1, 1, 0),
      line(2, 1, "msg_the_first"),
      ...many,
      { type: "cost-state", sessionId: uuid(1), totalCostUSD: 31 },
    ]);
    expect((await home.usage({ by: "day" })).rows).toMatchObject([{ messages: 31, cost: { recorded: 31 } }]);
    home.append(claudePath(1), [line(33, DAYS, "msg_the_first"), line(34, DAYS + 1, "msg_another_day")]);
    const { rows } = await home.usage({ by: "day" });
    expect(rows.toSorted((a, b) => b.messages - a.messages)).toMatchObject([
      { messages: 31, cost: { recorded: 31, computed: 0 } },
      { messages: 1, cost: { recorded: 0, computed: COST } },
    ]);
  });

  it("a file that grew is counted on, and a message that was not complete is replaced", async () => {
    const home = newHome();
    home.write(claudePath(1), [
      reply({ session: 1, number: 1, seconds: 1, message: "msg_a", usage: { ...usage, output_tokens: 1 } }),
    ]);
    expect((await home.usage()).total.tokens.output).toBe(1);
    home.append(claudePath(1), [
      reply({ session: 1, number: 2, seconds: 2, message: "msg_a", usage }),
      reply({ session: 1, number: 3, seconds: 3, message: "msg_b", usage }),
    ]);
    const { total, models } = await home.usage();
    expect(total).toMatchObject({ tokens: { output: 200 }, cost: { computed: 2 * COST }, messages: 2 });
    expect(models.map(({ model }) => model)).toEqual(["claude-opus-4-5-20251101"]);
  });
});
