// A file that is as it should be is read as records.ts reads it; all others are left to that.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type PlainOptions, readPlain } from "../../src/storage/plain.ts";
import { readRecords } from "../../src/storage/records.ts";
import { fc } from "../property.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-plain-"));
const path = join(folder, "session.jsonl");
afterAll(() => rmSync(folder, { recursive: true }));

const WHOLE: PlainOptions = { isWhole: true, largest: 64 << 20 };

function plain(bytes: string | Buffer, options = WHOLE) {
  writeFileSync(path, bytes);
  const found: unknown[] = [];
  const isPlain = readPlain(path, (...record) => found.push(record) > 0, options);
  return isPlain ? found : undefined;
}

describe("a plain file", () => {
  it("has the values, numbers and places that reading its records says, however long its lines are", async () => {
    const line = fc.tuple(fc.json(), fc.constantFrom(0, 1, 5000, 400_000, 1_100_000));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.boolean(), async (lines, isWhole) => {
        const text = lines.map(([json, more]) => `{"a":${json},"b":"${"é\\n".repeat(more / 3)}"}\n`).join("");
        const found = plain(text, { ...WHOLE, isWhole });
        const records = (await Array.fromAsync(readRecords(path, { shrink: !isWhole }))).flat();
        expect(found).toEqual(
          records.map(({ value, index, offset, length }) => [value, index, offset, length]),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("may be empty", () => expect(plain("")).toEqual([]));
});

describe.each([
  ["a last line that is not ended", '{"a":1}\n{"a":2}'],
  ["a blank line", '{"a":1}\n\n{"a":2}\n'],
  ["a line that is cut", '{"a":1}\n{"a":\n'],
  ["two values on a line", '{"a":1}{"a":2}\n'],
  ["a BOM", '\ufeff{"a":1}\n'],
  ["NUL bytes", '{"a":1}\n\0\0'],
  ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a])],
])("a file with %s", (_, bytes) => {
  it("is not plain", () => expect(plain(bytes)).toBeUndefined());
});

it("is not read when it is larger than is wanted, and no further than is wanted", () => {
  expect(plain("1\n2\n3\n", { ...WHOLE, largest: 5 })).toBeUndefined();
  const seen: unknown[] = [];
  expect(readPlain(path, (value) => seen.push(value) < 2, WHOLE)).toBe(false);
  expect(seen).toEqual([1, 2]);
});
