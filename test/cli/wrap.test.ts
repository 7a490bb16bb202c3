// Lines of a text: none is wider than the screen, and words stay whole where they can.

import { expect, it } from "vitest";
import { harmless, widthOf } from "../../src/cli/text.ts";
import { wrapped } from "../../src/cli/wrap.ts";
import { fc } from "../property.ts";

it("breaks between words, and within one only if it is wider than a line", () => {
  expect(wrapped("one two three four", 9)).toEqual(["one two", "three", "four"]);
  expect(wrapped("a conversation that ran out", 10)).toEqual(["a conversa", "tion that", "ran out"]);
  expect(wrapped("exactly ten\nten more", 11)).toEqual(["exactly ten", "ten more"]);
  expect(wrapped("see 日本語日本語", 9)).toEqual(["see 日本", "語日本語"]);
});

it("keeps the indentation of a line, as far as there is room for it", () => {
  expect(wrapped("\tone two", 8)).toEqual(["    one", "    two"]);
  expect(wrapped("    abcdef", 8)).toEqual(["    abcd", "    ef"]);
  expect(wrapped("      one two\nthree four", 10)).toEqual(["      one", "     two", "three four"]);
  expect(wrapped("\u001b[2m  one two\u001b[22m", 6)).toEqual([
    "\u001b[2m  one\u001b[0m",
    "\u001b[2m  two\u001b[22m",
  ]);
  expect(wrapped("\tg", 4)).toEqual(["g"]);
  expect(wrapped("a\n\n  b", 4)).toEqual(["a", "", "  b"]);
});

it("colours go on after a break, wherever in a word they change", () => {
  expect(wrapped("\u001b[1m\u001b[31mabcd\u001b[39mef\u001b[22mgh", 3)).toEqual([
    "\u001b[1m\u001b[31mabc\u001b[0m",
    "\u001b[1m\u001b[31md\u001b[39mef\u001b[22m",
    "gh",
  ]);
  expect(wrapped("see \u001b[31mred\u001b[39m.", 7)).toEqual(["see", "\u001b[31mred\u001b[39m."]);
  expect(wrapped("\u001b[2mone two\u001b[22m", 4)).toEqual([
    "\u001b[2mone\u001b[0m",
    "\u001b[2mtwo\u001b[22m",
  ]);
});

it("loses nothing but spaces, and no line is wider than it may be", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 30 }), (text, width) => {
      const clean = harmless(text).replaceAll("\t", " ");
      const lines = wrapped(clean, width);
      expect(lines.join("").replaceAll(" ", "")).toBe(clean.replace(/[ \n]/g, ""));
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }),
  );
});

it("a word that fits a line is never broken", () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,10}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 10, max: 30 }), (list, width) => {
      expect(wrapped(list.join(" "), width).flatMap((line) => line.split(" "))).toEqual(list);
    }),
  );
});
