// A conversation that is made to fit: whatever the session, the window and the strategy, what is left fits, is whole,
// and says what is missing.
import { describe, expect, it } from "vitest";
import { countTokens } from "../../src/models/tokens.ts";
import type { Loss } from "../../src/session/losses.ts";
import type { Entry } from "../../src/session/session.ts";
import { newMessageCounter } from "../../src/switch/message-count.ts";
import type { Prepared } from "../../src/switch/prepare-switch.ts";
import { fits, planReduction, type Strategy } from "../../src/switch/reduction.ts";
import type { Summarizer } from "../../src/switch/summarize.ts";
import { type Size, tokensOf, type Weights, weigh } from "../../src/switch/weigh.ts";
import { fc } from "../property.ts";
import { stream } from "../session/build.ts";
import { prepared, read } from "./prepared.ts";
import { timeline } from "./timelines.ts";

const kindsOf = (losses: readonly Loss[]) => losses.map(({ kind }) => kind);

const STRATEGIES = ["truncate", "summarize", "hybrid"] as const;

/** Windows of every size, most of them about as large as the session. */
const asked = fc.record({
  share: fc.oneof(fc.double({ min: 0.05, max: 2, noNaN: true }), fc.constant(undefined)),
  window: fc.integer({ min: 3_000, max: 1_000_000 }),
  overhead: fc.constantFrom(500, 2_000, 12_000),
  strategy: fc.constantFrom(...STRATEGIES),
  /** How much longer a model's summary is than it was asked to be; undefined = no model makes it. */
  length: fc.constantFrom(undefined, 0.3, 1, 1.19, 5),
});

const summarizerOf =
  (length: number): Summarizer =>
  async ({ maxTokens }) =>
    " word".repeat(Math.floor(maxTokens * length)).trim();

/** What is about to be reduced, and what was made of it. */
interface Case {
  /** As it was recorded, and as the target would see all of it. */
  entries: readonly Entry[];
  all: Entry[];
  kept: Entry[];
  /** All that was given up for it. */
  losses: readonly Loss[];
  made: Prepared;
  window: number;
  overhead: number;
}

async function cases(check: (found: Case) => Promise<void> | void, numRuns = 250): Promise<void> {
  await fc.assert(
    fc.asyncProperty(timeline, asked, async (entries, { share, window: any, overhead, strategy, length }) => {
      const model = length === undefined ? {} : { summarizer: summarizerOf(length) };
      const whole = await prepared(entries, { window: 1, overhead });
      const near = share === undefined ? any : Math.floor(whole.size.total * share);
      const window = Math.min(1_000_000, Math.max(3_000, near));
      const all = await read(whole);
      let made: Prepared;
      try {
        made = await prepared(entries, { window, overhead, strategy, ...model });
      } catch (error) {
        expect(error).toMatchObject({ code: "refused" });
        return expectTooLong(all, whole.size, window);
      }
      const short = made.stream();
      const kept = await Array.fromAsync(short.entries());
      await check({ entries, all, kept, losses: short.losses, made, window, overhead });
    }),
    // What fails is large, and making it small takes minutes.
    { numRuns, endOnFailure: true },
  );
}

/** Nothing is refused but a prompt that leaves no room, or a last step where there is no prompt. */
function expectTooLong(all: readonly Entry[], { overhead, scale }: Size, window: number): void {
  const prompt = all.findLast((entry) => entry.type === "user" && !entry.injected);
  if (!prompt) return;
  expect((tokensOf(prompt, countTokens).tokens + overhead) * scale).toBeGreaterThan(window * 0.6 - 2 * scale);
}

const isOpening = ({ id }: Entry) => id === "baton-summary";
const isSwitch = ({ type }: Entry) => type === "switch";

/** Of each entry, by its id. */
function messagesOf(entries: readonly Entry[]): Map<string, number> {
  const counter = newMessageCounter();
  return new Map(entries.map((entry) => [entry.id, counter.add(entry) ?? -1]));
}

/** Messages of the session as it was recorded of which something is left. */
function stillThere(entries: readonly Entry[], kept: readonly Entry[]): number {
  const messages = messagesOf(entries.filter((entry) => !isSwitch(entry)));
  return new Set(kept.flatMap(({ id }) => messages.get(id) ?? [])).size;
}

/** How many instructions stand at the beginning. */
const leading = (entries: readonly Entry[]) => {
  const first = entries.findIndex(({ type }) => type !== "system");
  return first === -1 ? entries.length : first;
};

/** The name is on the first line. */
const NOTE = /^\[(?:Previous conversation summary|Earlier conversation left out) - (\d+) messages/;

describe("whatever the session, the window and the strategy", () => {
  it("what is left fits, or the newest prompt alone does not", async () => {
    await cases(async ({ kept, made, window, overhead }) => {
      const { estimate } = await weigh(stream(kept), countTokens);
      if (made.isFitting) return expect(made.size.total).toBeLessThanOrEqual(window * 0.8);
      expect((estimate + overhead) * made.size.scale).toBeLessThanOrEqual(window * 0.8);
      expect(made.after).toBeLessThanOrEqual(window * 0.8);
    });
  });

  it("what is said beforehand of its size is what it has", async () => {
    await cases(async ({ kept, made, overhead }) => {
      if (made.isFitting) return;
      const { estimate } = await weigh(stream(kept), countTokens);
      const { scale } = made.size;
      expect((estimate + overhead) * scale).toBeLessThanOrEqual(made.after);
    });
  });

  it("a budget is kept to, however little it is", async () => {
    const budgets = fc.integer({ min: 50, max: 20_000 });
    await fc.assert(
      fc.asyncProperty(timeline, asked, budgets, async (entries, { overhead, strategy, length }, budget) => {
        const model = length === undefined ? {} : { summarizer: summarizerOf(length) };
        const wish = { window: 1_000_000, overhead, strategy, budget, ...model };
        const made = await prepared(entries, wish).catch((error: unknown) => {
          expect(error).toMatchObject({ code: "refused" });
        });
        if (!made) return;
        const { scale, total } = made.size;
        const { estimate } = await weigh(stream(await read(made)), countTokens);
        // What an agent has counted is believed rather than an estimate.
        if (made.isFitting) expect(total - overhead * scale).toBeLessThanOrEqual(budget * scale);
        else expect(estimate).toBeLessThanOrEqual(budget);
      }),
      { numRuns: 250, endOnFailure: true },
    );
  });

  it("nothing is changed where it fits", async () => {
    await cases(({ entries, all, kept, made }) => {
      if (!made.isFitting) return;
      expect(made.reduction).toBeUndefined();
      expect(kept).toEqual(all);
      // Only a result without its call is no message any more.
      const calls = new Set(entries.map(({ id }) => id));
      const lost = entries.filter((one) => one.type === "tool_result" && !calls.has(one.callId)).length;
      expect(made.originalMessageCount - made.preservedMessageCount).toBe(lost);
    });
  });

  it("every call has its result behind its message, and every result its call", async () => {
    await cases(({ kept }) => {
      const open = new Set<string>();
      let turn: string | undefined;
      for (const entry of kept.filter((one) => !isSwitch(one))) {
        if (entry.type === "tool_call") {
          open.add(entry.id);
          turn = entry.turn;
        } else if (entry.type === "tool_result") expect(open.delete(entry.callId)).toBe(true);
        else if (open.size > 0) expect([entry.type, entry.turn]).toEqual(["assistant", turn ?? "a turn"]);
      }
      expect([...open]).toEqual([]);
    });
  });

  it("from the cut on everything is there, and only payloads are shorter, each with a loss", async () => {
    await cases(({ all, kept, losses }) => {
      const clipped = new Set(
        losses.flatMap(({ kind, at }) => (kind === "payload_clipped" ? [at.entry] : [])),
      );
      const told = leading(all);
      // Instructions stay as they are.
      expect(kept.slice(0, told)).toEqual(all.slice(0, told));
      const rest = kept.slice(told).filter((entry) => !isOpening(entry) && !isSwitch(entry));
      const before = all.slice(told).filter((entry) => !isSwitch(entry));
      const last = before.length - rest.length;
      const prompt = before.findLastIndex((entry) => entry.type === "user" && !entry.injected);
      const isWithin = rest[0]?.id === before[prompt]?.id && rest[1]?.id !== before[prompt + 1]?.id;
      const meant = isWithin ? [before[prompt], ...before.slice(last + 1)] : before.slice(last);
      expect(rest.map(({ id }) => id)).toEqual(meant.map((entry) => entry?.id));
      // Where it is not the newest turn that was cut, whole turns go.
      if (!isWithin && last > 0 && prompt !== -1) {
        expect(rest[0]).toMatchObject({ type: "user" });
        expect(rest[0]).not.toHaveProperty("injected");
      }
      for (const [at, entry] of rest.entries())
        if (clipped.has(entry.id)) expect(["tool_call", "tool_result"]).toContain(entry.type);
        else expect(entry).toEqual(meant[at]);
      expect(clipped.size).toBeLessThanOrEqual(rest.length);
    });
  });

  it("one note stands for exactly the messages that are missing, and for whole ones", async () => {
    await cases(({ entries, all, kept, losses, made }) => {
      const messages = messagesOf(all);
      const there = new Set(kept.flatMap(({ id }) => messages.get(id) ?? []));
      const missing = all.filter((entry) => !isSwitch(entry) && !kept.some(({ id }) => id === entry.id));
      const left = new Set(missing.map(({ id }) => messages.get(id)));
      for (const message of left) expect(there).not.toContain(message);
      const notes = kept.filter(isOpening);
      expect(notes).toHaveLength(left.size === 0 ? 0 : 1);
      expect(made.preservedMessageCount).toBe(stillThere(entries, kept));
      const gone = stillThere(entries, all) - stillThere(entries, kept);
      expect(made.reduction?.reduction.leftOut ?? 0).toBe(gone);
      if (left.size === 0) return;
      // Behind the instructions, and before all that was said.
      const [note] = kept.slice(leading(all)).filter((entry) => !isSwitch(entry));
      expect(note).toMatchObject({ id: "baton-summary", type: "user", injected: true });
      expect(NOTE.exec(note?.type === "user" ? note.content : "")?.[1]).toBe(String(gone));
      const kind = made.reduction?.summary === undefined ? "history_truncated" : "history_summarized";
      expect(kindsOf(losses).filter((one) => one.startsWith("history_"))).toEqual([kind]);
    });
  });

  it("it is the same when it is read again, and every switch stays", async () => {
    await cases(async ({ all, kept, losses, made }) => {
      const again = made.stream();
      expect(await Array.fromAsync(again.entries())).toEqual(kept);
      expect(await Array.fromAsync(again.entries())).toEqual(kept);
      expect(again.losses).toEqual(losses);
      expect(kept.filter(isSwitch)).toEqual(all.filter(isSwitch));
    }, 120);
  });
});

type Kind = "prompt" | "other";

/** By hand: what each entry takes, and how much of that is a payload. Every entry is a message. */
function weights(entries: readonly (readonly [kind: Kind, tokens: number, payload?: number])[]): Weights {
  return {
    tokens: entries.map(([, tokens]) => tokens),
    payload: entries.map(([, , payload = 0]) => payload),
    prompts: entries.flatMap(([kind], at) => (kind === "prompt" ? [at] : [])),
    isSafe: entries.map(() => true),
    messages: entries.map((_, at) => at),
    types: entries.map(([kind]) => (kind === "prompt" ? "user" : "assistant")),
    instructions: 0,
    estimate: entries.reduce((sum, [, tokens]) => sum + tokens, 0),
  };
}

const sized = (of: Weights, overhead = 0, scale = 1): Size => ({
  total: (of.estimate + overhead) * scale,
  source: "estimated",
  overhead,
  scale,
});

function planned(of: Weights, window: number, strategy: Strategy, overhead?: number, scale?: number) {
  return planReduction(of, sized(of, overhead, scale), window, strategy);
}

/** Turns of two messages and 2,000 tokens each. */
const turns = (count: number, first = 100) =>
  weights(
    Array.from({ length: count }, () => [["prompt", first] as const, ["other", 1_900] as const]).flat(),
  );

describe("a window of 10,000 tokens", () => {
  it("is enough for 8,000 and for no more", () => {
    expect(fits({ total: 8_000 }, 10_000)).toBe(true);
    expect(fits({ total: 8_001 }, 10_000)).toBe(false);
  });

  it("keeps the turns that fill 6,000 of it, to the last token", () => {
    const none = { clips: new Map(), summary: 0, instructions: 0 };
    expect(planned(turns(5), 10_000, "truncate")).toEqual({ ...none, cut: 4, leftOut: 4, kept: 6_000 });
    expect(planned(turns(5, 101), 10_000, "truncate")).toEqual({ ...none, cut: 6, leftOut: 6, kept: 4_002 });
  });

  it("has room for what the agent itself says, and for a count that is higher than ours", () => {
    expect(planned(turns(5), 10_000, "hybrid", 2_000)).toMatchObject({ cut: 6, kept: 4_000, summary: 1_000 });
    expect(planned(turns(5), 10_000, "hybrid", 2_001)).toMatchObject({ cut: 8, kept: 2_000 });
    // Twice as much for everything, the summary too.
    expect(planned(turns(5), 10_000, "hybrid", 0, 2)).toMatchObject({ cut: 8, kept: 2_000, summary: 500 });
    expect(planned(turns(500), 900_000, "hybrid")).toMatchObject({ kept: 540_000, summary: 8_000 });
  });

  it("clips large payloads of older turns before it gives one up", () => {
    const found = weights([
      ["prompt", 100],
      ["other", 5_000, 4_980],
      ["other", 604, 400],
      ["other", 605, 401],
      ["prompt", 100],
      ["other", 3_500, 3_496],
    ]);
    // Those that are hardly longer than 2 % of the window, and those of the newest turn, stay as they are.
    expect(planned(found, 10_000, "hybrid")).toEqual({
      cut: 0,
      clips: new Map([
        [1, 200],
        [3, 200],
      ]),
      summary: 0,
      instructions: 0,
      leftOut: 0,
      kept: 100 + 220 + 604 + 404 + 3_600,
    });
  });

  it("cuts a giant last turn to ever smaller payloads, the biggest first", () => {
    const found = weights([
      ["prompt", 100],
      ["other", 100],
      ["prompt", 100],
      ["other", 8_020, 8_000],
      ["other", 1_020, 1_000],
    ]);
    expect(planned(found, 10_000, "hybrid")).toEqual({
      cut: 2,
      clips: new Map([[3, 4_000]]),
      summary: 1_000,
      instructions: 0,
      leftOut: 2,
      kept: 100 + 4_020 + 1_020,
    });
  });

  it("keeps the prompt of a giant turn and as many of its last steps as there is room for", () => {
    const steps = Array.from({ length: 10 }, () => ["other", 1_000] as const);
    const found = weights([["prompt", 50], ["other", 10], ["prompt", 900], ...steps]);
    expect(planned(found, 10_000, "hybrid")).toEqual({
      cut: 8,
      prompt: 2,
      clips: new Map(),
      summary: 1_000,
      instructions: 0,
      leftOut: 7,
      kept: 5_900,
    });
  });

  it("is refused to a prompt that does not fit, with what it has and what there is", () => {
    const found = weights([
      ["prompt", 7_001],
      ["other", 1],
    ]);
    const message =
      "The newest prompt has about 7,001 tokens, and beside what the target says by itself there is room for 6,800.";
    const hint =
      "Take a model with a larger window (`baton models` lists them), or a larger --budget where one was named.";
    expect(() => planned(found, 10_000, "hybrid")).toThrow(
      expect.objectContaining({ code: "refused", message, hint }),
    );
  });

  it("holds nothing but the newest turn, where all others are to be summarized", () => {
    expect(planned(turns(5), 10_000, "summarize")).toMatchObject({ cut: 8, kept: 2_000, summary: 1_000 });
  });
});
