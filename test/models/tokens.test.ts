// The estimate of tokens: near the count of OpenAI's own tokenizer for every kind of text, and sane for any other.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens as trueCount } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { countTokens } from "../../src/models/tokens.ts";
import { fc } from "../property.ts";

const ROOT = join(import.meta.dirname, "../..");
const texts = readdirSync(join(ROOT, "bench/texts")).map((name) => `bench/texts/${name}`);

describe("is within 10 % of the true count", () => {
  it.each([
    ...texts,
    "src/models/names.ts",
    "src/session/schema.ts",
    "docs/usage.md",
    "schema/ucf.schema.json",
    "package-lock.json",
    "tsconfig.json",
  ])("of %s", (path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    const real = trueCount(text);
    expect(countTokens(text) / real).toBeGreaterThan(0.9);
    expect(countTokens(text) / real).toBeLessThan(1.1);
  });
});

it("nothing has no tokens, and anything has some", () => {
  expect(countTokens("")).toBe(0);
  for (const text of ["a", " ", "\n", "\ud800", "。", "é", "\0"]) expect(countTokens(text)).toBe(1);
});

it("is a whole number for any text, lone surrogates too, and no more than its bytes", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.integer({ min: 0, max: 0xffff }),
      (text, code) => {
        const all = text + String.fromCharCode(code);
        const count = countTokens(all);
        expect(Number.isInteger(count)).toBe(true);
        expect(count).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(Buffer.byteLength(all));
        expect(countTokens(all)).toBe(count);
      },
    ),
  );
});

it("two texts have as many tokens as the text of both", () => {
  const code = readFileSync(join(ROOT, "src/models/names.ts"), "utf8");
  fc.assert(
    fc.property(fc.nat(code.length), (at) => {
      const apart = countTokens(code.slice(0, at)) + countTokens(code.slice(at));
      expect(Math.abs(apart - countTokens(code))).toBeLessThanOrEqual(3);
    }),
  );
});

it("takes a line of ten megabytes", () => {
  const words = "one line that has no end, ".repeat(400);
  const ratio = countTokens(words.repeat(1000)) / (trueCount(words) * 1000);
  expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
  expect(countTokens("a".repeat(10_000_000))).toBeGreaterThan(1_000_000);
});
