// The line of a hit is cut from what was said, whatever else the record holds that has the same words.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Adapter, SessionRef } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { textsOf } from "../../src/catalog/index/texts.ts";
import { asRead } from "../../src/catalog/index/words.ts";
import { findSessions } from "../../src/catalog/scan.ts";
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

  it("shows the same when the files are gone", async () => {
    const home = await privateHome();
    layOut(one, home);
    const { catalog, find, update } = await searchIn(home, [one.adapter]);
    const indexed = new Set(catalog.shards.flatMap((shard) => [...indexedWords(shard).values()].flat()));
    const words = [...indexed].filter((_, at) => at % Math.ceil(indexed.size / 8) === 0);
    const lines = async () => {
      const found: string[][] = [];
      for (const word of words)
        for (const { entry, scope, snippet, problem = "" } of (await find(`"${word}"`, { limit: 1000 })).hits)
          found.push([word, entry, scope, snippet, problem]);
      return found.toSorted();
    };
    const before = await lines();
    const sessions = await findSessions(home, [one.adapter]);
    await archiveSessions(catalog.batonHome, sessions);
    for (const { path } of sessions.flatMap(({ ref }) => ref.files)) rmSync(path, { force: true });
    await update();
    const { hits } = await find(`"${words[0]}"`);
    expect(hits.map(({ gone }) => gone)).toEqual(hits.map(() => true));
    expect(await lines()).toEqual(before);
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

describe("a session that goes on from another file", () => {
  /** Its lines are as long as those of the file that it goes on from, so each stands where one of the other does. */
  function layOutFork(folder: string): string[] {
    const [base = "", fork = ""] = ["1", "2"].map((last) => `01a00000-0000-7000-8000-00000000000${last}`);
    const meta = (id: string, more: object, length = 0) => {
      const payload = { id, timestamp: TIME, cwd: "/p", ...more };
      const line = (padding: string) =>
        JSON.stringify({ timestamp: TIME, type: "session_meta", payload: { ...payload, padding } });
      return line("x".repeat(Math.max(0, length - line("").length)));
    };
    const prompt = (text: string) => {
      const payload = { type: "message", role: "user", content: [{ type: "input_text", text }] };
      return JSON.stringify({ timestamp: TIME, type: "response_item", payload });
    };
    const lines = [meta(base, {}, 500), prompt("the first wombat"), prompt("the other wombat")];
    const end = lines.slice(0, 2).join("\n").length + 1;
    const from = { forked_from_id: base, history_base: { thread_id: base, end_byte_offset: end } };
    const files = new Map([
      [base, lines],
      [fork, [meta(fork, from, 500), prompt("the third wombat"), prompt("the last! wombat")]],
    ]);
    mkdirSync(folder, { recursive: true });
    return [...files].map(([id, written]) => {
      const path = join(folder, `rollout-2026-01-02T03-04-05-${id}.jsonl`);
      writeFileSync(path, `${written.join("\n")}\n`);
      return path;
    });
  }

  it("has its own lines, in its store and from the archive", async () => {
    const home = await privateHome();
    const paths = layOutFork(join(home.dir, ".codex/sessions/2026/01/02"));
    const { catalog, find, update } = await searchIn(home);
    const lines = async () =>
      Map.groupBy((await find("wombat")).hits, ({ session }) => session)
        .values()
        .map((hits) => hits.toSorted((a, b) => a.position - b.position).map(({ snippet }) => snippet))
        .toArray()
        .toSorted();
    const all = [
      ["the first wombat", "the other wombat"],
      ["the first wombat", "the third wombat", "the last! wombat"],
    ];
    expect(await lines()).toEqual(all);
    await archiveSessions(catalog.batonHome, await findSessions(home, adapters));
    for (const path of paths) rmSync(path);
    await update();
    expect(await lines()).toEqual(all);
  });
});

const TIME = "2026-01-02T03:04:05.000Z";

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
