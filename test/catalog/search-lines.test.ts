// The line of a hit is cut from what was said, whatever else the record holds that has the same words.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Adapter, SessionRef } from "../../src/adapters/adapter.ts";
import { textsOf } from "../../src/catalog/index/texts.ts";
import { asRead } from "../../src/catalog/index/words.ts";
import { SCOPES } from "../../src/catalog/schema.ts";
import type { Hit } from "../../src/catalog/search/hit.ts";
import { stringsIn } from "../../src/catalog/search/strings.ts";
import { sessionId } from "../../src/session/id.ts";
import { cases, layOut, privateHome } from "../conformance/fixtures.ts";
import { type Said, writeSession } from "./claude-session.ts";
import { indexedWords, searchIn } from "./searching.ts";

/** They stand in the records of every agent: kinds, roles, states, folders, branches, versions and models. */
const ENVELOPE =
  "user assistant text message tool content home dev project main completed success external claude codex gemini gpt opencode 1 2 a the of";

describe.each(cases)("$adapter.id: $fixture", (one) => {
  it("shows what was said, and nothing else of the record", async () => {
    const home = await privateHome();
    layOut(one, home);
    const { catalog, find } = await searchIn(home, [one.adapter]);
    const indexed = new Set(catalog.shards.flatMap((shard) => [...indexedWords(shard).values()].flat()));
    const refs = await Array.fromAsync(one.adapter.discover(home));
    const words = [...new Set([...ENVELOPE.split(" "), ...[...indexed].slice(0, 5)])];
    const wrong: unknown[] = [];
    for (const word of words.filter((each) => indexed.has(each))) {
      const { hits } = await find(`"${word}"`, { limit: 1000 });
      expect(hits).not.toEqual([]);
      for (const hit of hits) if (!(await isSaid(hit, one.adapter, refs))) wrong.push({ word, hit });
    }
    expect(wrong).toEqual([]);
  });
});

async function isSaid(hit: Hit, adapter: Adapter, refs: readonly SessionRef[]): Promise<boolean> {
  if (hit.marks.length === 0) return false;
  const same = refs.filter(({ originalId }) => sessionId(adapter.id, originalId) === hit.session);
  const told: string[] = [];
  for (const ref of same) {
    for await (const entry of (await adapter.open(ref)).entries({ from: hit.position, to: hit.position + 1 }))
      told.push(...textsOf(entry).flatMap(({ scope, text }) => (SCOPES[scope] === hit.scope ? [text] : [])));
    // Long outputs stand in files of their own.
    for (const { role, path } of ref.files)
      if (role === "tool_result" && hit.scope === "tool_output") told.push(readFileSync(path, "utf8"));
  }
  return told.some((text) => letters(asRead(text)).includes(letters(hit.snippet)));
}

function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

const said: Said[] = [
  { scope: "prompt", text: "please repair the shop on the main branch for the external user" },
  { scope: "reply", text: "The shop in main is repaired for claude 2.1 and the assistant." },
];

describe("a record that no fold could take apart", () => {
  const record = {
    type: "user",
    cwd: "/home/me/shop",
    gitBranch: "main",
    other: "kept for last",
    message: { role: "user", model: "big", content: [{ type: "text", text: "said" }] },
    input: { type: "given", id: 7, more: '{"role":"inside"}' },
  };

  it("gives what was said first, and never whose it is", () => {
    expect(stringsIn(Buffer.from(JSON.stringify(record)))).toEqual([
      "said",
      "given",
      "7",
      "inside",
      '{"role":"inside"}',
      "kept for last",
    ]);
  });

  it("gives of a damaged one what is there of it", () => {
    const [text = ""] = stringsIn(Buffer.from(JSON.stringify(record).slice(0, -20)));
    expect(text).toContain("said");
    expect(text).not.toMatch(/shop|"main"|"big"/);
  });

  it("is looked through in pieces when it is very long", async () => {
    const home = await privateHome();
    writeSession(
      home,
      1,
      [{ scope: "prompt", text: `${"filler words ".repeat(400_000)} behind the shop` }],
      "/home/me/shop",
    );
    const { find } = await searchIn(home);
    expect((await find("shop")).hits).toMatchObject([
      { snippet: expect.stringContaining("behind the shop") },
    ]);
  });
});

describe("a word that stands in the folder, the branch or the model too", () => {
  it.each([
    ["shop", ["please repair the «shop» on the main", "The «shop» in main"]],
    ["main", ["on the «main» branch", "The shop in «main» is"]],
    ["external", ["for the «external» user"]],
    ["claude", ["repaired for «claude» 2.1 and"]],
    ["2.1", ["for claude «2.1» and the"]],
    ["assistant", ["and the «assistant»."]],
    ['"repair the shop"', ["please «repair the shop» on"]],
    ['"shop on" OR branch', ["repair the «shop on» the main «branch» for"]],
  ])("%s", async (query, lines) => {
    const home = await privateHome();
    const { path } = writeSession(home, 1, said, "/home/me/shop");
    // As up to 2.1.76: the facts of the session stand before the message.
    const older = readFileSync(path, "utf8").replaceAll(
      '{"uuid"',
      '{"userType":"external","cwd":"/home/me/shop","gitBranch":"main","uuid"',
    );
    writeFileSync(path, older);
    const { find } = await searchIn(home);
    const { hits } = await find(query);
    const shown = hits.map(({ snippet, marks }) =>
      marks.reduceRight(
        (line, [start, end]) => `${line.slice(0, start)}«${line.slice(start, end)}»${line.slice(end)}`,
        snippet,
      ),
    );
    expect(shown).toEqual(lines.map((line) => expect.stringContaining(line)));
  });
});
