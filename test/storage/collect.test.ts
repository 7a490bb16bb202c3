import { describe, expect, it } from "vitest";
import { collector } from "../../src/storage/collect.ts";
import { fc } from "../property.ts";

describe("collector", () => {
  const text = fc
    .tuple(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom(1, 50, 5_000, 60_000))
    .map(([unit, times]) => unit.repeat(times));
  const bytes = fc.oneof(
    { weight: 3, arbitrary: text },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  );
  const adding = fc.array(fc.tuple(fc.nat(3), bytes), { maxLength: 40 });

  it("gives each file its bytes in order, whatever comes between", () => {
    fc.assert(
      fc.property(adding, (additions) => {
        const expected = new Map<number, Buffer[]>();
        const given = new Map<number, Buffer[]>();
        const collected = collector<number>();
        const take = () => {
          for (const [file, piece] of collected.take())
            given.set(file, [...(given.get(file) ?? []), Buffer.from(piece)]);
        };
        for (const [file, piece] of additions) {
          expected.set(file, [...(expected.get(file) ?? []), Buffer.from(piece as string)]);
          const isFull = collected.add(file, piece);
          // As a reader's buffer is.
          if (typeof piece !== "string") piece.fill(0);
          if (isFull) take();
        }
        take();
        expect([...given.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
        for (const [file, pieces] of expected)
          expect(Buffer.concat(given.get(file) ?? []).equals(Buffer.concat(pieces))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it("keeps what was taken until the next time", () => {
    const collected = collector<string>();
    collected.add("a", "first");
    const taken = collected.take();
    collected.add("a", "other");
    expect(taken.get("a")?.toString()).toBe("first");
  });

  it("asks to be emptied about every megabyte", () => {
    const collected = collector<string>();
    let count = 1;
    while (!collected.add("a", "x".repeat(10_000))) count++;
    expect(count).toBeGreaterThan(50);
    expect(count).toBeLessThan(110);
    collected.take();
    expect(collected.add("a", "x".repeat(2_000_000))).toBe(true);
  });
});
