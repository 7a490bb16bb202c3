import { describe, expect, it } from "vitest";
import { shrink } from "../../src/storage/shrink.ts";
import { fc } from "../property.ts";

const PAD = "p".repeat(20_000);

describe("shrink", () => {
  it("leaves short lines and lines of short strings alone", () => {
    expect(shrink(Buffer.from('{"a":"b"}\n'))).toBeUndefined();
    expect(shrink(Buffer.from(JSON.stringify(Array.from({ length: 5000 }, () => "short"))))).toBeUndefined();
  });

  it("cuts a long string to its beginning and keeps everything else", () => {
    const line = { before: [1, "x"], text: "word ".repeat(10_000), after: { deep: [null, true] } };
    const small = JSON.parse(shrink(Buffer.from(JSON.stringify(line))) ?? "");
    expect(small).toEqual({ ...line, text: line.text.slice(0, 512) });
  });

  it("keeps long keys, so that two do not become one", () => {
    const line = { [`${PAD}1`]: 1, [`${PAD}2`]: 2, text: PAD };
    expect(Object.keys(JSON.parse(shrink(Buffer.from(JSON.stringify(line))) ?? ""))).toEqual(
      Object.keys(line),
    );
  });

  it("gives up on a string without an end", () => {
    expect(shrink(Buffer.from(`{"text":"${PAD}`))).toBeUndefined();
    expect(shrink(Buffer.from(`{"text":"${PAD}\\"`))).toBeUndefined();
  });

  const piece = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
    fc.constantFrom(
      "\n",
      '"',
      "\\",
      "\\\\",
      '\\"',
      "ü",
      "日",
      "😀",
      "\u2028",
      "\0",
      "/",
      "{",
      "}{",
      ":",
      " ",
    ),
  );
  const text = fc
    .tuple(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 0, max: 500 }))
    .map(([pieces, times]) => pieces.join("").repeat(times));
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: "binary" }), tie("value"), { maxKeys: 4 }),
    ),
  })).value;

  it("parses to the same structure with long strings cut", () => {
    fc.assert(
      fc.property(tree, fc.boolean(), (value, pretty) => {
        const line = Buffer.from(
          pretty ? JSON.stringify(value, null, 1).replaceAll("\n", " ") : JSON.stringify(value),
        );
        const small = shrink(line);
        if (small !== undefined) expectCut(JSON.parse(small), value);
        else expect(line.length < 8192 || longest(value) <= 4096).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("parses whenever the line does, whatever was changed in it", () => {
    fc.assert(
      fc.property(text, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), (long, changes) => {
        const line = Buffer.from(JSON.stringify({ a: 1, text: `${long}${PAD}`, b: [2] }));
        for (const [at, byte] of changes) line[at % line.length] = byte;
        const small = shrink(line);
        if (small !== undefined && isJson(line.toString("utf8"))) expect(isJson(small)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

function expectCut(small: unknown, whole: unknown): void {
  if (typeof whole === "string" && small !== whole) {
    expect(whole.startsWith(small as string)).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(small))).toBeGreaterThanOrEqual(512);
  } else if (typeof whole === "object" && whole !== null) {
    expect(Object.keys(small as object)).toEqual(Object.keys(whole));
    for (const [key, value] of Object.entries(whole))
      expectCut((small as Record<string, unknown>)[key], value);
  } else expect(small).toEqual(whole);
}

/** Bytes of the longest string as it is written. */
function longest(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(JSON.stringify(value)) - 1;
  if (typeof value !== "object" || value === null) return 0;
  return Math.max(0, ...Object.values(value).map(longest));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
