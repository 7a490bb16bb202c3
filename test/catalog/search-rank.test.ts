// The order of hits, and what of sessions is kept between two searches.

import { describe, expect, it } from "vitest";
import { openShard } from "../../src/catalog/catalog.ts";
import { type Candidate, rank } from "../../src/catalog/search/rank.ts";
import { factsOf } from "../../src/catalog/search/sessions.ts";
import { privateHome } from "../conformance/fixtures.ts";
import { fc } from "../property.ts";
import { writeSession } from "./claude-session.ts";
import { searchIn } from "./searching.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

const candidates = fc
  .array(
    fc.record({
      session: fc.integer({ min: 0, max: 12 }),
      scope: fc.integer({ min: 0, max: 5 }),
      isNear: fc.boolean(),
      isHidden: fc.boolean(),
    }),
    { maxLength: 80 },
  )
  .map((all) =>
    all.map(
      (one, position): Candidate => ({
        ...one,
        position,
        updated: NOW - (one.session % 5) * 86_400_000,
        inTitle: one.session % 3 === 0 ? 0.5 : 0,
        score: 0,
      }),
    ),
  );

describe("ranking", () => {
  it("gives the best alone as it gives them among all", () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 0, max: 30 }), (all, most) => {
        const copies = () => all.map((one) => ({ ...one }));
        expect(rank(copies(), most, NOW)).toEqual(rank(copies(), all.length + 1, NOW).slice(0, most));
      }),
      { numRuns: 500 },
    );
  });
});

describe("what is known of sessions", () => {
  it("is looked up again when anybody has written", async () => {
    const home = await privateHome();
    writeSession(home, 1, [{ scope: "prompt", text: "Zebra crossing" }]);
    const { catalog } = await searchIn(home);
    const number = catalog.shards.findIndex((one) => one.prepare("SELECT 1 FROM session").get());
    const shard = catalog.shards[number];
    if (!shard) throw new Error("there is no session");
    const titleNow = () => factsOf(shard, [1]).get(1)?.title;
    expect(titleNow()).toBe("zebra crossing");
    shard.exec("UPDATE session SET title = 'Über'");
    expect(titleNow()).toBe("uber");
    const other = openShard(catalog.folder, number);
    other.exec("UPDATE session SET title = 'of another process'");
    expect(titleNow()).toBe("of another process");
    other.exec("DELETE FROM session");
    expect(titleNow()).toBeUndefined();
    other.close();
  });
});
