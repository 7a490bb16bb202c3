// The index finds exactly what a plain look through all texts finds.

import { expect, it } from "vitest";
import { wordsOf } from "../../src/catalog/index/words.ts";
import type { Scope } from "../../src/catalog/schema.ts";
import { type Phrase, parseQuery, type SearchQuery } from "../../src/catalog/search/query.ts";
import { privateHome } from "../conformance/fixtures.ts";
import { fc } from "../property.ts";
import { type Said, writeSession } from "./claude-session.ts";
import { searchIn } from "./searching.ts";

const PIECES = [
  ...'alpha Beta betamax alphabet gam_ma foo.bar() src/app.ts camelCase x1 12.5 --watch agent:codex "quoted"'.split(
    " ",
  ),
  ..."über Uber naïve e\u0301te\u0301 ﬁne straße 東京都 京都 東 한국어 สวัสดี 🎉 🎉🎉 👍🏽 😀x … — « ".split(
    " ",
  ),
  "\ud83d",
  "a\u0000b",
  "\u001b[31mred\u001b[0m",
];

const text = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(" ", " ", "\n", ", ", "—", "")), {
    minLength: 1,
    maxLength: 12,
  })
  .map((pieces) => pieces.flat().join(""))
  .filter((whole) => whole.trim() !== "");

const turn: fc.Arbitrary<Said[]> = fc.oneof(
  text.map((whole): Said[] => [{ scope: "prompt", text: whole }]),
  text.map((whole): Said[] => [{ scope: "reply", text: whole }]),
  text.map((whole): Said[] => [{ scope: "thinking", text: whole }]),
  fc.tuple(text, text).map(([input, output]): Said[] => [
    { scope: "tool_input", text: input },
    { scope: "tool_output", text: output },
  ]),
);
const session = fc.array(turn, { minLength: 1, maxLength: 6 }).map((turns) => turns.flat());

const term = fc.oneof(
  fc.constantFrom(...PIECES).map((piece) => piece.replaceAll('"', "")),
  fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 })
    .map((some) => `"${some.join(" ").replaceAll('"', "")}"`),
  fc.constantFrom("alph*", "bet*", "*eta*", "*lphabe*", "*bet", "*ma", "東*", "*ber", "na*", '"foo ba"*'),
);
const query = fc
  .record({
    all: fc.array(fc.array(term, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
    none: fc.array(term, { maxLength: 1 }),
    scope: fc.option(
      fc.constantFrom("scope:prompt", "scope:reply,thinking", "-scope:tool_output", "tool:bash"),
      { freq: 2 },
    ),
  })
  .map(({ all, none, scope }) =>
    [...all.map((any) => any.join(" OR ")), ...none.map((one) => `-${one}`), scope ?? ""].join(" "),
  )
  .filter(isUnderstood);

it("for words, phrases, beginnings, parts, exclusions and scopes, in any script", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(session, { minLength: 1, maxLength: 6 }),
      fc.array(query, { minLength: 20, maxLength: 20 }),
      async (sessions, queries) => {
        const home = await privateHome();
        const texts = sessions.flatMap((said, number) => {
          const { entries } = writeSession(home, number, said);
          return said.map((one, at) => ({ ...one, entry: entries[at] ?? "" }));
        });
        const { find } = await searchIn(home);
        for (const asked of queries) {
          const expected = texts.filter((one) => matches(parseQuery(asked), one)).map(nameOf);
          const { hits, total, expanded, isMinimum } = await find(asked, { limit: 10_000 });
          if (expected.length === 0 && expanded.length > 0) continue;
          expect({ asked, found: hits.map(nameOf).toSorted() }).toEqual({
            asked,
            found: expected.toSorted(),
          });
          expect({ total, expanded, isMinimum }).toEqual({
            total: expected.length,
            expanded: [],
            isMinimum: false,
          });
        }
      },
    ),
    { numRuns: 15 },
  );
}, 120_000);

function isUnderstood(asked: string): boolean {
  try {
    parseQuery(asked);
    return true;
  } catch {
    // Some of what is put together has no word in it, which other tests are about.
    return false;
  }
}

function nameOf({ entry, scope }: { entry: string; scope: Scope }): string {
  return `${entry} ${scope}`;
}

function matches({ groups, excluded, filters }: SearchQuery, { text: whole, scope }: Said): boolean {
  const words = wordsOf(whole);
  const holds = (phrase: Phrase) => words.some((_, at) => standsAt(words, at, phrase));
  if (!groups.every((group) => group.some(holds)) || excluded.some(holds)) return false;
  return filters.every(({ name, values, isExcluded }) => {
    const isTool = scope === "tool_input" || scope === "tool_output";
    return (name === "tool" ? isTool : values.includes(scope)) !== isExcluded;
  });
}

function standsAt(
  words: readonly string[],
  at: number,
  { words: wanted, isOpenBefore, isOpenAfter }: Phrase,
): boolean {
  return wanted.every((word, index) => {
    const found = words[at + index];
    if (found === undefined) return false;
    const before = index === 0 && isOpenBefore;
    const after = index === wanted.length - 1 && isOpenAfter;
    if (before && after) return found.includes(word);
    if (before) return found.endsWith(word);
    return after ? found.startsWith(word) : found === word;
  });
}
