// The patch format: what is parsed, what is refused, and that printing and parsing undo each other.

import { describe, expect, test } from "vitest";
import { parsePatch, printPatch } from "../../src/adapters/patch.ts";
import type { FileChange } from "../../src/session/tools.ts";
import { fc } from "../property.ts";

const wrap = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

describe("parsing", () => {
  test.each<[string, string, FileChange[]]>([
    [
      "adds",
      wrap("*** Add File: a/b c.txt", "+one", "+", "+two"),
      [{ kind: "add", path: "a/b c.txt", content: "one\n\ntwo\n" }],
    ],
    ["adds an empty file", wrap("*** Add File: e"), [{ kind: "add", path: "e", content: "" }]],
    ["deletes", wrap("*** Delete File: a"), [{ kind: "delete", path: "a" }]],
    [
      "updates",
      wrap("*** Update File: a", "@@ f()", " x", "-y", "+z"),
      [{ kind: "update", path: "a", diff: "@@ f()\n x\n-y\n+z" }],
    ],
    [
      "updates without a marker",
      wrap("*** Update File: a", "-y", "+z"),
      [{ kind: "update", path: "a", diff: "-y\n+z" }],
    ],
    ["moves", wrap("*** Update File: a", "*** Move to: b"), [{ kind: "move", path: "a", to: "b" }]],
    [
      "moves and updates",
      wrap("*** Update File: a", "*** Move to: b", "@@", "-y", "*** End of File"),
      [{ kind: "move", path: "a", to: "b", diff: "@@\n-y\n*** End of File" }],
    ],
    [
      "several files",
      wrap("*** Add File: a", "+x", "*** Delete File: b", "*** Update File: c", "@@", "+y"),
      [
        { kind: "add", path: "a", content: "x\n" },
        { kind: "delete", path: "b" },
        { kind: "update", path: "c", diff: "@@\n+y" },
      ],
    ],
    ["a here-document", `<<'EOF'\n${wrap("*** Delete File: a")}\nEOF\n`, [{ kind: "delete", path: "a" }]],
    [
      "Windows line ends",
      wrap("*** Add File: a", "+x").replaceAll("\n", "\r\n"),
      [{ kind: "add", path: "a", content: "x\n" }],
    ],
    [
      "an environment",
      wrap("*** Environment ID: local", "*** Delete File: a"),
      [{ kind: "delete", path: "a" }],
    ],
  ])("%s", (_, patch, expected) => {
    expect(parsePatch(patch)).toEqual(expected);
  });

  test.each([
    ["nothing", ""],
    ["no begin", "*** Add File: a\n+x\n*** End Patch"],
    ["no end", "*** Begin Patch\n*** Add File: a\n+x"],
    ["no files", wrap()],
    ["an update of nothing", wrap("*** Update File: a")],
    ["an added line without its sign", wrap("*** Add File: a", "x")],
    ["a deletion with a body", wrap("*** Delete File: a", "-x")],
    ["text between", wrap("hello")],
  ])("refuses %s", (_, patch) => {
    expect(parsePatch(patch)).toBeUndefined();
  });
});

describe("printing", () => {
  test("leaves line numbers out, which Codex would take for context", () => {
    const diff = "@@ -1,2 +1,2 @@ function f()\n a\n-b\n+c\n\\ No newline at end of file\n";
    const printed = printPatch([{ kind: "update", path: "a", diff }]);
    expect(printed).toBe(wrap("*** Update File: a", "@@", " a", "-b", "+c"));
  });

  test.each<[string, FileChange]>([
    ["an addition without content", { kind: "add", path: "a" }],
    ["an update without a diff", { kind: "update", path: "a" }],
    ["a move to nowhere", { kind: "move", path: "a" }],
    ["no path", { kind: "delete", path: "" }],
    ["a path of two lines", { kind: "delete", path: "a\nb" }],
  ])("refuses %s", (_, change) => {
    expect(printPatch([change])).toBeUndefined();
  });

  test("and parsing undo each other", () => {
    const line = fc
      .string({ unit: "grapheme", maxLength: 20 })
      .map((text) => text.replace(/[\r\n\u0085\u2028\u2029]/g, ""));
    const path = line.map((text) => `f${text.trim()}`);
    const hunk = fc
      .array(fc.tuple(fc.constantFrom(" ", "+", "-"), line), { minLength: 1, maxLength: 6 })
      .map((lines) => ["@@", ...lines.map(([sign, text]) => sign + text)].join("\n"));
    const change: fc.Arbitrary<FileChange> = fc.oneof(
      fc.record({
        kind: fc.constant("add" as const),
        path,
        content: fc.array(line).map((all) => all.map((one) => `${one}\n`).join("")),
      }),
      fc.record({ kind: fc.constant("delete" as const), path }),
      fc.record({ kind: fc.constant("update" as const), path, diff: hunk }),
      fc.record({ kind: fc.constant("move" as const), path, to: path, diff: hunk }),
    );
    const cases = fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (changes) => {
      expect(parsePatch(printPatch(changes) ?? "")).toEqual(changes);
    });
    fc.assert(cases, { numRuns: 300 });
  });
});
