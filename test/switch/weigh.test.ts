// How much a session is: what an agent counted itself where that can be true, otherwise an estimate of everything that
// a model would read.
import { describe, expect, it } from "vitest";
import { countTokens } from "../../src/models/tokens.ts";
import type { Entry, Part, Usage } from "../../src/session/session.ts";
import { sizeOf, tokensOf, weigh } from "../../src/switch/weigh.ts";
import { assistant, call, compaction, result, stream, user } from "../session/build.ts";
import { switched } from "../session/switched.ts";
import { prepared } from "./prepared.ts";

/** A token for each character, so that numbers can be told by looking. */
const count = (text: string) => text.length;

const weighed = (entries: readonly Entry[]) => weigh(stream(entries), count);
const said = (entry: Entry, content: string, fields: object = {}) =>
  ({ ...entry, content, ...fields }) as Entry;
const counted = (tokens: Usage, content = "") => said(assistant("a"), content, { usage: tokens });

describe("an entry takes", () => {
  it.each<[string, Entry, number, number]>([
    ["its text", said(user("u"), "12345"), 9, 0],
    ["something even where it says nothing", said(assistant("a"), ""), 4, 0],
    ["instructions too", { ...said(user("u"), "123"), type: "system" } as Entry, 7, 0],
    ["the arguments of a call with its name", { ...call("c"), input: {} } as Entry, 20 + 7, 7],
    [
      "arguments as the agent gave them",
      { ...call("c"), originalTool: "Do", originalInput: "12345" } as Entry,
      20 + 8,
      8,
    ],
    ["an output", { ...result("c"), output: "1234567" } as Entry, 11, 7],
    ["an error where there is no output", { ...result("c"), output: "", error: "12" } as Entry, 6, 2],
    ["a summary", compaction("k", { summary: "123" }), 7, 0],
    ["nothing for a switch", switched("s"), 0, 0],
  ])("%s", (_, entry, tokens, payload) => {
    expect(tokensOf(entry, count)).toEqual({ tokens, payload });
  });

  const text: Part = { type: "text", text: "12345" };
  const data = (bytes: number) => "A".repeat((bytes * 4) / 3);
  it.each<[string, Part, number]>([
    ["an image", { type: "image", mimeType: "image/png", data: data(30_000) }, 1_500],
    ["a document of a page", { type: "document", mimeType: "application/pdf", data: data(3_000) }, 2_000],
    ["a document of three", { type: "document", mimeType: "application/pdf", data: data(120_000) }, 6_000],
    ["a document that is elsewhere", { type: "document", url: "https://example.org/a.pdf" }, 2_000],
    ["a text file", { type: "document", mimeType: "text/plain", data: data(4_000 * 3) }, 3_000],
    ["thinking that stays", { type: "thinking", text: "1234", signature: "s" }, 4],
    ["code", { type: "code", code: "123", language: "ts" }, 3],
  ])("%s beside its text", (_, part, tokens) => {
    expect(tokensOf(said(user("u"), "12345", { parts: [text, part] }), count).tokens).toBe(9 + tokens);
  });

  it("images of a result, of which no payload is made shorter", () => {
    const parts: Part[] = [{ type: "image", mimeType: "image/png", data: "AAAA" }];
    const entry = { ...result("c"), output: "12", parts } as Entry;
    expect(tokensOf(entry, count)).toEqual({ tokens: 6 + 1_500, payload: 2 });
  });
});

describe("a session", () => {
  it("has the sum of its entries, and says where turns and messages are", async () => {
    const entries = [
      user("u0", { injected: true }),
      user("u1"),
      assistant("a1", { turn: "t" }),
      call("c1", { turn: "t" }),
      call("c2", { turn: "t" }),
      result("c1"),
      result("c2"),
      switched("s"),
      user("u2"),
    ];
    const weights = await weighed(entries);
    expect(weights.estimate).toBe(entries.reduce((sum, one) => sum + tokensOf(one, count).tokens, 0));
    expect(weights.tokens).toEqual(entries.map((one) => tokensOf(one, count).tokens));
    expect(weights.prompts).toEqual([1, 8]);
    expect(weights.messages).toEqual([0, 1, 2, 2, 2, 3, 4, -1, 5]);
    // Behind every call's result, and never inside of a message.
    expect(weights.isSafe).toEqual([true, true, true, false, false, false, false, false, true]);
    expect(weights.recorded).toBeUndefined();
  });

  it("has what the agent counted last, with all that it had in its cache", async () => {
    const weights = await weighed([
      user("u1"),
      counted({ input: 5, output: 5 }),
      user("u2"),
      counted({ input: 100, output: 30, cacheRead: 1_000, cacheWrite: 200 }),
      user("u3"),
    ]);
    expect(weights.recorded).toEqual({ tokens: 1_330, at: 3 });
  });

  it("has no count where the agent itself has estimated", async () => {
    expect((await weighed([counted({ input: 9, output: 9, estimated: true })])).recorded).toBeUndefined();
  });
});

describe("its size", () => {
  const thousand = "x".repeat(1_000 - 4);
  const sized = async (tokens: number | undefined, overhead: number, after: readonly Entry[] = []) => {
    const last = tokens === undefined ? assistant("a") : counted({ input: tokens - 10, output: 10 });
    return sizeOf(await weighed([said(user("u1"), thousand), said(last, thousand), ...after]), overhead);
  };

  it("is estimated where nobody counted, with what the target says by itself", async () => {
    expect(await sized(undefined, 500)).toEqual({
      total: 2_500,
      source: "estimated",
      overhead: 500,
      scale: 1,
    });
  });

  it("is what was counted, and an estimate of what came after it", async () => {
    expect(await sized(3_000, 500)).toEqual({ total: 3_000, source: "recorded", overhead: 500, scale: 1.2 });
    const more = [said(user("u2"), thousand)];
    expect(await sized(3_000, 500, more)).toMatchObject({ total: 4_000, source: "recorded" });
  });

  it("never makes an entry lighter than it was estimated", async () => {
    expect(await sized(1_500, 500)).toMatchObject({ total: 1_500, source: "recorded", scale: 1 });
  });

  it.each([
    ["of much less, as after a compaction", 1_149],
    ["of much more, as before one", 66_001],
  ])("is estimated where the count is %s", async (_, tokens) => {
    expect(await sized(tokens, 500)).toMatchObject({ total: 2_500, source: "estimated", scale: 1 });
  });

  it.each([1_150, 66_000])("is what was counted as long as that may be true: %i", async (tokens) => {
    expect(await sized(tokens, 500)).toMatchObject({ total: tokens, source: "recorded" });
  });

  it("is not that of what stood before a compaction", async () => {
    const before: Entry = said(assistant("a1"), "Done.", { usage: { input: 150_000, output: 100 } });
    const entries = [user("u1"), before, compaction("k", { summary: "It was long." }), user("u2")];
    const { size } = await prepared(entries, { window: 200_000, overhead: 12_000 });
    expect(size).toMatchObject({ source: "estimated", overhead: 12_000 });
    expect(size.total).toBeLessThan(12_100);
    const kept = { ...compaction("k", { summary: "It was long.", keeps: ["a1"] }) };
    const again = await prepared([user("u1"), before, kept, user("u2")], {
      window: 200_000,
      overhead: 12_000,
    });
    expect(again.size).toMatchObject({ source: "estimated" });
  });

  it("is the agent's own where it switches in mid-session", async () => {
    const entries = [
      said(user("u1"), "words ".repeat(1_000)),
      said(assistant("a1"), "Done.", { usage: { input: 20_000, output: 400, cacheRead: 5_000 } }),
    ];
    const { size } = await prepared(entries, { window: 200_000, overhead: 12_000 });
    expect(size).toMatchObject({ total: 25_400, source: "recorded" });
    expect(size.scale).toBeCloseTo(25_400 / (12_000 + countTokens("words ".repeat(1_000)) + 10), 2);
  });
});
