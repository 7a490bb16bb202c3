import { describe, expect, it } from "vitest";
import { parseQuery } from "../../src/catalog/search/query.ts";
import { cutAround, newFinder } from "../../src/catalog/search/snippet.ts";

describe("the line that shows why a text was found", () => {
  it.each([
    ["a word, in any case", "fox", "The quick FOX jumps", "The quick [FOX] jumps"],
    ["no part of another word", "fox", "foxes, a firefox and a fox", "foxes, a firefox and a [fox]"],
    ["a beginning", "fo*", "no info on a forest", "no info on a [fo]rest"],
    ["a part and an end", "*fo* *ing", "info about nothing", "in[fo] about noth[ing]"],
    ["a phrase, whatever stands between its words", '"foo bar"', "x foo.\nbar y", "x [foo. bar] y"],
    ["accents", "uber naive", "über allem: NAÏVE", "[über] allem: [NAÏVE]"],
    ["characters without blanks", "京都", "東京都へ行く", "東[京都]へ行く"],
    ["letters in pieces", "が", "か\u3099く", "[が]く"],
    ["pictures and half ones", "🎉", "ok\ud83d 🎉🎉!", "ok\ufffd [🎉][🎉]!"],
    ["letters that are two when folded", "fine strasse", "a ﬁne Straße", "a [ﬁne] [Straße]"],
    ["control characters", "b", "a\u0000\u001b[31mb\u001b]0;title\u0007\r\nc\u202e", "a [b] c"],
    ["words of a phrase that stand apart", '"one two"', "two and one", "[two] and [one]"],
  ])("%s", (_, query, text, line) => {
    expect(shown(query, text)).toBe(line);
  });

  it("is where the rare word is, however often the others are elsewhere", () => {
    const text = `${"it is what it is. ".repeat(500)}and there it was: the needle, and it stays. ${"it is. ".repeat(500)}`;
    expect(shown("it needle", text)).toContain("[it] was: the [needle], and");
  });

  it("is cut at words, and no longer than it shall be", () => {
    const text = `${"before ".repeat(100)}needle ${"behind ".repeat(100)}`;
    const line = shown("needle", text, 80);
    expect(line).toMatch(/^…(?:before )+\[needle\] (?:behind )+.*…$/);
    expect(line.length).toBeLessThanOrEqual(86);
  });

  it("is nothing for a text without the words", () => {
    expect(newFinder(parseQuery("fox")).find("firefox")).toBeUndefined();
  });
});

function shown(query: string, text: string, width = 160): string {
  const spot = newFinder(parseQuery(query), width).find(text);
  if (!spot) throw new Error("not found");
  const { text: line, marks } = cutAround(spot, width);
  return marks.reduceRight(
    (whole, [start, end]) => `${whole.slice(0, start)}[${whole.slice(start, end)}]${whole.slice(end)}`,
    line,
  );
}
