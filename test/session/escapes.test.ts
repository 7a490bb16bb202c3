// What somebody has to judge is there to be seen, to the character.
import fc from "fast-check";
import { expect, it } from "vitest";
import { visible, visibleSequences } from "../../src/session/escapes.ts";

/** What a reader makes of the signs, where the text has none of its own. */
function readBack(text: string): string {
  return text
    .replace(/<U\+([0-9A-F]{4,6})>/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/[\u2400-\u241f]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0x2400))
    .replaceAll("\u2421", "\u007f");
}

const character = fc.oneof(
  fc.constantFrom("\u001b[31m", "\u001b]0;", "\u0007", "\u009b", "\r", "\b", "\u200d", "\ufe0f", "❤", "👩"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
);
const text = fc
  .array(character)
  .map((list) => list.join(""))
  .filter((one) => !/[\u2400-\u2421]|<U\+/.test(one));

it("no character disappears, and none that acts is left", () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(readBack(visible(one))).toBe(one);
      expect(visible(one)).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200c\u202a-\u202e\u2066-\u2069]/,
      );
      expect(readBack(visibleSequences(one))).toBe(one);
      expect(visibleSequences(one)).not.toMatch(/[\u001b\u0080-\u009f]/);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ["a tab and\na line", "a tab and\na line"],
  ["1️⃣ ❤️ 👩‍💻 👩🏽‍🚀", "1️⃣ ❤️ 👩‍💻 👩🏽‍🚀"],
  ["a\u200db 👩\u200d", "a<U+200D>b 👩<U+200D>"],
  ["a\ufe0f\ufe0f 1\ufe0f", "a<U+FE0F><U+FE0F> 1<U+FE0F>"],
  ["日本語 é क्षि", "日本語 é क्षि"],
  ["a\u00adb\u2028c\u180e", "a<U+00AD>b<U+2028>c<U+180E>"],
])("%j is seen as %j", (given, seen) => {
  expect(visible(given)).toBe(seen);
});
