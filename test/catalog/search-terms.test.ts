import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { SCHEMA } from "../../src/catalog/schema.ts";
import { wordsWith } from "../../src/catalog/search/terms.ts";
import { fc } from "../property.ts";

const word = fc.oneof(
  fc.stringMatching(/^[a-c0-1]{1,6}$/),
  fc.stringMatching(/^[a-z0-9]{1,12}$/),
  fc.constantFrom("東", "über", "ﬁ", "x".repeat(3000), `${"y".repeat(40_000)}z`),
);

it("finds the words with a part that the index's own dictionary has", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(word, { minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 30 }),
      fc.array(fc.tuple(fc.stringMatching(/^[a-c0-1xyz]{1,3}$|^東$/), fc.boolean()), {
        minLength: 5,
        maxLength: 5,
      }),
      (texts, parts) => {
        const shard = new DatabaseSync(":memory:");
        shard.exec(SCHEMA);
        // Small pages and a small hash make many pages and segments of few words.
        shard.exec("INSERT INTO words (words, rank) VALUES ('pgsz', 64), ('hashsize', 2000)");
        const insert = shard.prepare("INSERT INTO words (text) VALUES (?)");
        for (const text of texts) insert.run(text.join(" "));
        shard.exec("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row)");
        const all = shard
          .prepare("SELECT term FROM vocabulary")
          .all()
          .map(({ term }) => String(term));
        for (const [text, isOpenAfter] of parts) {
          const expected = all.filter((one) => (isOpenAfter ? one.includes(text) : one.endsWith(text)));
          expect(wordsWith(shard, { text, isOpenAfter }).toSorted()).toEqual(expected.toSorted());
        }
        shard.close();
      },
    ),
    { numRuns: 25 },
  );
}, 60_000);

it("asks the index's own dictionary when its pages are of another format", () => {
  const shard = new DatabaseSync(":memory:", { defensive: false });
  shard.exec(SCHEMA);
  shard.exec(
    "INSERT INTO words (text) VALUES ('readable readonly thread'); UPDATE words_config SET v = 99 WHERE k = 'version'",
  );
  expect(wordsWith(shard, { text: "read", isOpenAfter: true })).toEqual(["thread", "readable", "readonly"]);
  expect(wordsWith(shard, { text: "read", isOpenAfter: false })).toEqual(["thread"]);
  shard.close();
});
