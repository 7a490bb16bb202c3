// Whatever any agent has left on a disk is found, with its entry and the line that it stands in.
import { describe, expect, it } from "vitest";
import { SCOPES } from "../../src/catalog/schema.ts";
import { cases, layOut, privateHome } from "../conformance/fixtures.ts";
import { indexedWords, searchIn } from "./searching.ts";

/** Words from the middle of each text are looked for as a phrase. */
const WORDS = 3;

describe.each(cases)("$adapter.id: $fixture", (one) => {
  it("every text is found where it stands", async () => {
    const home = await privateHome();
    layOut(one, home);
    const { catalog, find } = await searchIn(home, [one.adapter]);
    const unseen: unknown[] = [];
    let texts = 0;
    for (const shard of catalog.shards) {
      const place = shard.prepare("SELECT entry, scope FROM entry WHERE id = ?");
      for (const [row, words] of indexedWords(shard)) {
        texts++;
        const from = Math.floor((words.length - 1) / 2);
        const phrase = words.slice(from, from + WORDS).join(" ");
        const { hits } = await find(`"${phrase}"`, { limit: 1000 });
        const { entry, scope } = place.get(row) as { entry: string; scope: number };
        const hit = hits.find((found) => found.entry === entry && found.scope === SCOPES[scope]);
        if (!hit || hit.marks.length === 0) unseen.push({ phrase, entry, scope, hit });
      }
    }
    expect(unseen).toEqual([]);
    expect(texts).toBeGreaterThan(0);
  });
});
