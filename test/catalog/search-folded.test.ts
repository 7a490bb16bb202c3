// A text as the index spells it leads back to where everything in it comes from.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asRead, foldText } from "../../src/catalog/index/words.ts";
import { foldedOf } from "../../src/catalog/search/folded.ts";

const PIECES =
  "aB Zz über ﬁ 東京 \ud83d é e\u0301 각 \u1100\u1161 क\u093c \u001b[31m \ufdfa … — 🎉 ΑΣ İ \u200b".split(
    " ",
  );

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(fc.constantFrom(...PIECES, " "), { maxLength: 20 }).map((some) => some.join("")),
);

describe("a folded text", () => {
  it("is each character folded, and each of them leads back to where it stands", () => {
    fc.assert(
      fc.property(texts, (given) => {
        const { text, folded, places } = foldedOf(given);
        expect(text).toBe(asRead(given));
        let [at, all] = [0, ""];
        for (const character of text) {
          const own = foldText(character).toLowerCase();
          if (own !== "") {
            const whole = places(all.length, all.length + own.length);
            expect(whole).toEqual([at, at + character.length]);
          }
          all += own;
          at += character.length;
        }
        expect(folded).toBe(all);
      }),
      { numRuns: 1000 },
    );
  });
});
