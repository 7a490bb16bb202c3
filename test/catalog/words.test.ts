import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { foldText, wordsOf } from "../../src/catalog/index/words.ts";
import { SCHEMA } from "../../src/catalog/schema.ts";
import { fc } from "../property.ts";

describe("the words of a text", () => {
  it.each([
    ["plain ASCII, cut at punctuation", "src/app.ts: foo_bar(2)", ["src", "app", "ts", "foo", "bar", "2"]],
    ["accents and case", "Ärger ÉTÉ Straße İstanbul", ["arger", "ete", "strasse", "istanbul"]],
    ["letters in pieces", "e\u0301te\u0301 か\u3099", ["ete", "が"]],
    ["Greek at the end of a word", "ΟΔΟΣ οδος", ["οδοσ", "οδοσ"]],
    ["Chinese and Japanese, each character a word", "東京都に、𠮷野家", [..."東京都に𠮷野家"]],
    ["Korean", "한국어", [..."한국어"]],
    ["Thai", "สวัส", [..."สวัส"]],
    ["Hindi keeps its vowels", "हिन्दी", ["हिन्दी"]],
    ["typographic punctuation", "so—“it” is…", ["so", "it", "is"]],
    ["wide and joined letters", "ＡＢＣ ﬁne ㎏", ["abc", "fine", "kg"]],
    ["pictures, without colour of skin", "a🎉b 👍🏽", ["a", "🎉", "b", "👍"]],
    ["drawn lines are no words", "│ x ─── ", ["x"]],
    ["invisible characters inside a word", "so\u00adft\ufeff", ["soft"]],
    ["coloured words", "\u001b[31merror\u001b[0m in \u001b[1;32mx\u001b[my", ["error", "in", "xy"]],
    ["half surrogate pairs", "\ud800x\udc00", ["x"]],
    ["characters that nobody sees", "a\0b\u001bc", ["a", "b", "c"]],
  ])("%s", (_, text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("leaves ASCII as it is", () => {
    const text = "The Quick_Brown(fox)\n".repeat(100);
    expect(foldText(text)).toBe(text);
  });

  it("are the ones that the index has, for any text", () => {
    const shard = new DatabaseSync(":memory:");
    shard.exec(SCHEMA);
    shard.exec("CREATE VIRTUAL TABLE term USING fts5vocab(words, instance)");
    const insert = shard.prepare("INSERT INTO words (rowid, text) VALUES (1, ?)");
    const terms = shard.prepare("SELECT term FROM term ORDER BY offset");
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" })), (text) => {
        shard.exec("BEGIN");
        try {
          insert.run(foldText(text));
          expect(terms.all().map(({ term }) => term)).toEqual(wordsOf(text));
        } finally {
          shard.exec("ROLLBACK");
        }
      }),
      { numRuns: 200 },
    );
    shard.close();
  });

  it("are the same once folded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(wordsOf(wordsOf(text).join(" "))).toEqual(wordsOf(text));
      }),
      { numRuns: 1000 },
    );
  });
});
