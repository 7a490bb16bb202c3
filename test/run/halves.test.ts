// Characters and sequences of a terminal that are cut between two pieces of a text.
import { describe, expect, it } from "vitest";
import type { Said } from "../../src/adapters/driver.ts";
import { newHalves } from "../../src/run/halves.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { said, wrong } from "./told.ts";

const text = (words: string, more: object = {}): Said => ({ type: "text", text: words, ...more });
const textsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === "text" ? [event.text] : []));

describe("a piece that ends in the middle of", () => {
  it.each([
    ["a character", ["a\ud83c", "\udf0db"], ["a", "\ud83c\udf0db"]],
    ["a sequence after its escape character", ["a\u001b", "[31mb"], ["a", "b"]],
    ["a sequence", ["a\u001b[3", "1mb"], ["a", "b"]],
    ["a sequence in three pieces", ["a\u001b", "[3", "1mb"], ["a", "b"]],
    ["a sequence of one control", ["a\u009b3", "1mb"], ["a", "b"]],
    ["a set of characters", ["a\u001b(", "Bb"], ["a", "b"]],
    ["a title", ["a\u001b]0;tit", "le\u0007b"], ["a", "b"]],
    ["a title that ends with two characters", ["a\u001b]0;title\u001b", "\\b"], ["a", "b"]],
  ])("%s waits for the rest", (_, pieces, expected) => {
    const events = said(pieces.map((piece) => text(piece)));
    expect(textsOf(events)).toEqual(expected);
    expect(events.at(-2)).toMatchObject({ result: expected.join("") });
    expect(wrong(events)).toEqual([]);
  });
});

it("each message waits for its own rest, and so does thinking", () => {
  const events = said([
    text("a\ud83c", { message: "1" }),
    text("b\ud83d", { message: "2" }),
    { type: "thinking", text: "c\u001b[", message: "1" },
    text("\udf0d", { message: "1" }),
    text("\ude00", { message: "2" }),
    { type: "thinking", text: "1md", message: "1" },
  ]);
  expect(textsOf(events)).toEqual(["a", "b", "\ud83c\udf0d", "\ud83d\ude00"]);
  expect(events.flatMap((event) => (event.type === "thinking" ? [event.text] : []))).toEqual(["c", "d"]);
});

it("at the end of a turn nothing waits any more", () => {
  const events = said([text("a\ud83c"), { type: "result" }, text("\udf0db")]);
  expect(textsOf(events)).toEqual(["a", "\ufffdb"]);
  expect(wrong(events)).toEqual([]);
});

it("a hundred messages wait at once, and no more", () => {
  const halves = newHalves();
  const whole = (message: string, words: string) => halves.whole({ type: "text", text: words, message });
  for (let at = 0; at < 100; at++) expect(whole(String(at), "a\ud83c")).toBe("a");
  expect(whole("one too many", "a\ud83c")).toBe("a\ud83c");
  expect(whole("0", "\udf0d")).toBe("\ud83c\udf0d");
});

describe("a sequence that never ends is text", () => {
  const BEGINNINGS = ["\u001b[", "\u001b[1 ", "\u001b]0;", "\u001b(", "\u009b"];
  const fillerOf = (begin: string) => (/[ (]$/.test(begin) ? "!" : "0");

  it.each(BEGINNINGS)("%j after some hundred characters, and nothing of it is lost or kept", (begin) => {
    const filler = fillerOf(begin);
    const halves = newHalves();
    let told = halves.whole({ type: "text", text: `a${begin}` }).length;
    let longest = 0;
    for (let at = 1; at <= 5000; at++) {
      told += halves.whole({ type: "text", text: filler.repeat(10) }).length;
      longest = Math.max(longest, 1 + begin.length + at * 10 - told);
    }
    expect(longest).toBeLessThan(600);
    const pieces = Array.from({ length: 100 }, () => text(filler.repeat(10)));
    const events = said([text(`a${begin}`), ...pieces, text("m end")]);
    const whole = `a${begin.slice(1)}${filler.repeat(1000)}m end`;
    expect(textsOf(events).join("")).toBe(whole);
    expect(events.at(-2)).toMatchObject({ result: whole });
    expect(wrong(events)).toEqual([]);
  });

  it.each(BEGINNINGS)("%j at the end of a turn, and before a call", (begin) => {
    const words = begin.slice(1) + fillerOf(begin);
    const ends = said([text(`a${begin}${fillerOf(begin)}`), { type: "result" }]);
    expect(textsOf(ends).join("")).toBe(`a${words}`);
    expect(ends.at(-2)).toMatchObject({ result: `a${words}` });
    const called = said([
      text(`a${begin}`),
      { type: "tool_use", id: "1", name: "Bash", input: {}, call: { tool: "unknown", input: {} } },
      text("b"),
    ]);
    const order = called.flatMap((event) =>
      event.type === "text" ? [event.text] : event.type === "tool_use" ? ["call"] : [],
    );
    expect(order.join(" ")).toBe(["a", begin.slice(1), "call", "b"].filter((one) => one !== "").join(" "));
    expect(wrong([...ends])).toEqual([]);
  });

  it("and what is left of a message before the last is not the reply", () => {
    const events = said([text("a\u001b]0;t", { message: "1" }), text("The reply", { message: "2" })]);
    expect(textsOf(events)).toEqual(["a", "The reply", "]0;t"]);
    expect(events.at(-2)).toMatchObject({ result: "The reply" });
  });
});
