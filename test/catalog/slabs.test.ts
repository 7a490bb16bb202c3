// Texts that wait as bytes are the bytes that they would be by themselves, folded.
import { describe, expect, it } from "vitest";
import { newSlabs } from "../../src/catalog/index/slabs.ts";
import { foldText } from "../../src/catalog/index/words.ts";
import { fc } from "../property.ts";

const texts = fc.array(
  fc.tuple(
    fc.oneof(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.constantFrom("a", "é", "語", "\ud83d", "👍", "\u001b[31mred", "word "),
    ),
    fc.constantFrom(1, 3, 50_000, 200_000, 400_000),
  ),
  { maxLength: 12 },
);

describe("texts in slabs", () => {
  it("are what they would be alone, however long, until they are let go of", () => {
    fc.assert(
      fc.property(texts, (some) => {
        const slabs = newSlabs();
        for (const round of [0, 1]) {
          const given = some.map(([text, times]) => text.repeat(Math.ceil((times + round) / text.length)));
          const kept = given.map((text) => slabs.put(text));
          const wanted = given.map((text) => Buffer.from(foldText(text)));
          expect(kept.every((bytes, at) => wanted[at]?.equals(bytes))).toBe(true);
          expect(slabs.size()).toBe(wanted.reduce((sum, { length }) => sum + length, 0));
          slabs.clear();
        }
      }),
      { numRuns: 40 },
    );
  });
});
