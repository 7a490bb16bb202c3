import { describe, expect, it } from "vitest";
import { parseQuery, type SearchQuery } from "../../src/catalog/search/query.ts";
import { BatonError } from "../../src/session/error.ts";
import { fc } from "../property.ts";

describe("what a query means", () => {
  it.each([
    ["words that all have to be there", "database migration", "database & migration"],
    ["a phrase", '"out of memory" crash', "out-of-memory & crash"],
    ["typographic quotes", "“out of memory”", "out-of-memory"],
    ["a beginning", "migr*", "migr…"],
    ["a phrase with a beginning at its end", '"out of mem"*', "out-of-mem…"],
    ["a part", "*gratio*", "…gratio…"],
    ["an end", "*gration", "…gration"],
    ["without a word, a phrase, a beginning", 'a -b -"c d" -e*', "a ! b ! c-d ! e…"],
    ["alternatives bind closer than the rest", "a b OR c d", "a & b|c & d"],
    ["three alternatives", "a OR b OR c", "a|b|c"],
    ["code is a phrase of its words", "foo.bar() src/app.ts", "foo-bar & src-app-ts"],
    ["names with underscores", "camelCase_x", "camelcase-x"],
    ["characters without blanks are a phrase", "東京都", "東-京-都"],
    ["accents and case do not count", "ÉTÉ", "ete"],
    ["AND is what happens anyway", "a AND b", "a & b"],
    ["the words or and and", "or and", "or & and"],
    ["an option of a program", "--watch", "watch"],
    ["a dash and signs alone", "a - b => c", "a & b & c"],
    ["a star in the middle is a sign", "a*b", "a-b"],
    ["addresses and C++ are no filters", "https://x.org/a std::vector", "https-x-org-a & std-vector"],
    ["a port and a line are no filters", "localhost:3000 app.ts:12", "localhost-3000 & app-ts-12"],
    ["a word with a colon", "TypeError: undefined", "typeerror & undefined"],
    ["a path as the value of a filter", "x project:/home/me file:3.ts", "x"],
    ["what is quoted is no filter", '"agent:codex"', "agent-codex"],
  ])("%s", (_, text, meaning) => {
    expect(described(parseQuery(text))).toBe(meaning);
  });

  it("has filters, with quotes, lists and exclusions", () => {
    const { filters, groups } = parseQuery(
      'x agent:codex,Claude project:"my app" -tool:bash file:src/a.ts model:opus scope:prompt since:3d',
    );
    expect(groups).toHaveLength(1);
    expect(filters).toEqual([
      { name: "agent", values: ["codex", "Claude"], isExcluded: false },
      { name: "project", values: ["my app"], isExcluded: false },
      { name: "tool", values: ["bash"], isExcluded: true },
      { name: "file", values: ["src/a.ts"], isExcluded: false },
      { name: "model", values: ["opus"], isExcluded: false },
      { name: "scope", values: ["prompt"], isExcluded: false },
      { name: "since", values: ["3d"], isExcluded: false },
    ]);
  });
});

describe("a query that cannot be understood", () => {
  it.each([
    ["an open quote", 'foo "bar', "This quote is not closed.", 4],
    ["a filter without a value", "foo agent: bar", "The filter agent: needs a value.", 10],
    ["a list with a gap", "foo agent:codex,", "The filter agent: needs a value.", 10],
    ["an unknown filter", "foo -colour:red", 'There is no filter "colour:".', 5],
    ["an unknown agent", "foo agent:clod", 'There is no agent called "clod".', 10],
    ["an unknown scope", "foo scope:all", 'There is no scope called "all".', 10],
    ["a time that is none", "foo since:yore", '"yore" is no time.', 10],
    ["only exclusions", "-foo -bar", "The query only says what is not looked for.", 0],
    ["only filters", "agent:codex", "There are filters, but no word to look for.", 11],
    ["only punctuation", " => !", "There is nothing but punctuation here.", 1],
    ["an empty phrase", 'foo "…"', "There is no word between these quotes.", 4],
    ["OR at the beginning", "OR foo", "OR stands between two words or phrases.", 0],
    ["OR at the end", "foo OR", "There is nothing behind this OR.", 4],
    ["OR twice", "foo OR OR bar", "OR stands between two words or phrases.", 7],
    ["OR before a filter", "foo OR agent:codex", "OR joins words and phrases, not filters.", 4],
    ["OR before an exclusion", "foo OR -bar", "What is excluded cannot be a choice of OR.", 7],
    ["a part of one letter", "foo *a*", "Nearly every word ends like this.", 4],
    ["a caret behind wide characters", '東京 "x', "This quote is not closed.", 5],
  ])("%s", (_, text, message, column) => {
    const error = errorOf(() => parseQuery(text, { agents: ["claude", "codex"] }));
    expect(error.code).toBe("usage");
    expect(error.hint).not.toBe("");
    const shown = text.replace(/\s/g, " ");
    expect(error.message).toBe(`${message}\n  ${shown}\n  ${" ".repeat(column)}^`);
  });

  it("says what filters there are, and how to look for the words", () => {
    const { hint } = errorOf(() => parseQuery("colour:red"));
    expect(hint).toBe(
      'Filters are agent:, project:, file:, tool:, model:, scope:, since:. To look for the words themselves: "colour:red"',
    );
  });

  it("is empty, or far too long", () => {
    expect(errorOf(() => parseQuery("  ")).message).toBe("There is nothing to look for.");
    expect(errorOf(() => parseQuery("x".repeat(10_001))).message).toContain("10001 characters");
    expect(errorOf(() => parseQuery("x ".repeat(65))).message).toContain("at most 64 words");
  });

  it("shows a part of a long one, in one line", () => {
    const { message } = errorOf(() => parseQuery(`${"word\n".repeat(60)}"open`));
    const [, line = "", caret = ""] = message.split("\n");
    expect(message.split("\n")).toHaveLength(3);
    expect(line.length).toBeLessThan(150);
    expect(line[caret.indexOf("^")]).toBe('"');
  });
});

it("never fails in another way, whatever it is given", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '"',
      "*",
      "-",
      "OR",
      "AND",
      ":",
      "agent:",
      "scope:",
      "since:",
      " ",
      "\0",
      "'",
      "(",
      "NEAR",
    ),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      try {
        const { groups, excluded } = parseQuery(pieces.join(""));
        const words = [...groups.flat(), ...excluded].flatMap((phrase) => phrase.words);
        expect(words.length).toBeGreaterThan(0);
        for (const word of words) expect(word).toMatch(/^[a-z0-9\u0080-\u{10ffff}]+$/u);
      } catch (error) {
        if (!(error instanceof BatonError)) throw error;
        expect(error.code).toBe("usage");
      }
    }),
    { numRuns: 500 },
  );
});

function described({ groups, excluded }: SearchQuery): string {
  const all = groups.map((group) => group.map(phraseText).join("|")).join(" & ");
  return [all, ...excluded.map((phrase) => `! ${phraseText(phrase)}`)].join(" ");
}

function phraseText({ words, isOpenBefore, isOpenAfter }: SearchQuery["excluded"][number]): string {
  return `${isOpenBefore ? "…" : ""}${words.join("-")}${isOpenAfter ? "…" : ""}`;
}

function errorOf(work: () => unknown): BatonError {
  try {
    work();
  } catch (error) {
    if (error instanceof BatonError) return error;
    throw error;
  }
  throw new Error("it was understood");
}
