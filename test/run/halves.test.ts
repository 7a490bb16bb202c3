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
  for (let at = 0; at < 100; at++) expect(halves.whole(String(at), "a\ud83c")).toBe("a");
  expect(halves.whole("one too many", "a\ud83c")).toBe("a\ud83c");
  expect(halves.whole("0", "\udf0d")).toBe("\ud83c\udf0d");
});
