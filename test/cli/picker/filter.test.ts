// What the typed words leave of many sessions, and where they are marked.

import { describe, expect, it } from "vitest";
import { marksIn, matching, rowOf, wordsOf } from "../../../src/cli/picker/filter.ts";
import { initialState, withFilter, withSessions } from "../../../src/cli/picker/state.ts";
import { fc } from "../../property.ts";
import { session, sessions } from "./rows.ts";

const found = (filter: string, rows = sessions(10_000)) =>
  matching(rows.map(rowOf), wordsOf(filter)).map(({ session: { id } }) => id);

it("ten thousand sessions: every word has to occur, in any field, newest first", () => {
  expect(found("")).toHaveLength(10_000);
  expect(found("project-3 CODEX 777")).toEqual(["id0000007773"]);
  expect(found("number 42 opus")[0]).toBe("id0000000042");
  expect(found("id0000001234")).toEqual(["id0000001234"]);
  expect(found("original-9999")).toEqual(["id0000009999"]);
  expect(found("claude codex")).toEqual([]);
});

it("case, accents and width do not matter", () => {
  const rows = [session(1, { title: "Größe der Bücher im Café" }), session(2, { title: "ＡＢＣ 日本語" })];
  expect(found("grosse", rows)).toEqual([]);
  expect(found("GROẞE bucher CAFE", rows)).toEqual(found("große bücher café", rows));
  expect(found("cafe\u0301", rows)).toEqual(["id0000000001"]);
  expect(found("abc 本", rows)).toEqual(["id0000000002"]);
});

it("typing on gives what filtering anew gives", () => {
  const letters = fc.string({ unit: fc.constantFrom("c", "o", "1", "2", " ", "p", "é"), maxLength: 8 });
  const empty = withSessions(initialState({ columns: 80, rows: 24 }), sessions(300));
  fc.assert(
    fc.property(letters, letters, (first, second) => {
      const typed = withFilter(withFilter(empty, first), first + second);
      expect(typed.matches).toEqual(matching(empty.rows, wordsOf(first + second)));
    }),
  );
});

describe("marks", () => {
  it.each([
    ["Price rounding", "ro", [[6, 8]]],
    [
      "Price rounding",
      "price ing ri",
      [
        [0, 5],
        [11, 14],
      ],
    ],
    ["aaa", "aa", [[0, 3]]],
    [
      "Ünïcode 日本語",
      "uni 本",
      [
        [0, 3],
        [9, 10],
      ],
    ],
    ["e\u0301a", "a", [[2, 3]]],
    ["ﬁx", "fi", [[0, 1]]],
    ["nothing", "x", []],
  ] as const)("%s with %s", (text, filter, marks) => {
    expect(marksIn(text, wordsOf(filter))).toEqual(marks);
  });

  it("never leave the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (text, filter) => {
        for (const [from, to] of marksIn(text, wordsOf(filter))) {
          expect(from).toBeLessThan(to);
          expect(to).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });
});
