// Hunks as old and new text: replacing the one by the other makes of the file what the patch makes of it.

import { expect, test } from "vitest";
import { hunkEdits } from "../../src/adapters/hunks.ts";
import { parsePatch, printPatch } from "../../src/adapters/patch.ts";
import { fc } from "../property.ts";

interface Line {
  text: string;
  sign: " " | "+" | "-";
  /** A hunk ends here. */
  ends: boolean;
}

/** Lines of a file, each of them different, so that old text is found in one place only. */
function filesWith(end: "" | "\r") {
  const words = fc
    .string({ unit: "grapheme", maxLength: 12 })
    .map((text) => text.replace(/[\r\n\u0085\u2028\u2029]/g, ""));
  const line = fc.record({
    text: words,
    sign: fc.constantFrom<Line["sign"]>(" ", "+", "-"),
    ends: fc.boolean(),
  });
  return fc
    .array(line, { minLength: 1, maxLength: 12 })
    .map((lines) => lines.map((one, index) => ({ ...one, text: `<${index}:${one.text}>${end}` })));
}

const isOld = ({ sign }: Line) => sign !== "+";
const isNew = ({ sign }: Line) => sign !== "-";

/** Hunks in which something old shows the place. */
function diffOf(lines: readonly Line[]): string | undefined {
  const hunks: Line[][] = [[]];
  for (const line of lines) {
    hunks.at(-1)?.push(line);
    if (line.ends) hunks.push([]);
  }
  const told = hunks.filter((hunk) => hunk.some(({ sign }) => sign !== " "));
  if (told.length === 0 || !told.every((hunk) => hunk.some(isOld))) return undefined;
  return told.map((hunk) => ["@@", ...hunk.map(({ sign, text }) => sign + text)].join("\n")).join("\n");
}

const textOf = (lines: readonly Line[]) => lines.map(({ text }) => `${text}\n`).join("");

function applied(file: string, diff: string): string {
  return hunkEdits(diff).reduce((text, { old, new: fresh }) => {
    expect(text.split(old).length).toBe(2);
    return text.replace(old, () => fresh);
  }, file);
}

test.each([["newlines", ""] as const, ["carriage returns and newlines", "\r"] as const])(
  "lines that end with %s",
  (_, end) => {
    const cases = fc.property(filesWith(end), (lines) => {
      const diff = diffOf(lines);
      fc.pre(diff !== undefined);
      expect(applied(textOf(lines.filter(isOld)), diff as string)).toBe(textOf(lines.filter(isNew)));
    });
    fc.assert(cases, { numRuns: 500 });
  },
);

test("a patch that was printed and parsed makes the same edits", () => {
  const cases = fc.property(filesWith(""), fc.constantFrom("update", "move"), (lines, kind) => {
    const diff = diffOf(lines);
    fc.pre(diff !== undefined);
    const change = {
      kind,
      path: "ä b.txt",
      diff: diff as string,
      ...(kind === "move" && { to: "c.txt" }),
    } as const;
    const [again] = parsePatch(printPatch([change]) ?? "") ?? [];
    expect(hunkEdits(again?.diff ?? "")).toEqual(hunkEdits(diff as string));
  });
  fc.assert(cases, { numRuns: 300 });
});

test("what stands beside the lines is no line", () => {
  expect(
    hunkEdits("@@ -1,2 +1,2 @@ f()\n a\n-b\n\\ No newline at end of file\n+c\n*** End of File\n"),
  ).toEqual([{ old: "a\nb", new: "a\nc" }]);
  expect(hunkEdits("@@\n-a\n-b")).toEqual([{ old: "a\nb\n", new: "" }]);
  expect(hunkEdits("@@\n-a\n\\ No newline at end of file")).toEqual([{ old: "a", new: "" }]);
  expect(hunkEdits("-a\n+b")).toEqual([{ old: "a", new: "b" }]);
  expect(hunkEdits("@@\n a\n@@\n-x\n+y")).toEqual([{ old: "x", new: "y" }]);
  expect(hunkEdits("")).toEqual([]);
});
