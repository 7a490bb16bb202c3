// A home that is large enough for several threads, and for archiving it meanwhile: what comes of it is what one thread
// makes of it, one after the other.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { archivedSessions, readArchived } from "../../src/catalog/archive/read.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { writeSession } from "./claude-session.ts";
import { dump, lay, synced } from "./dump.ts";

const ROOT = join(import.meta.dirname, "../..");
const SESSIONS = 48;
/** More than 8 MB in all, which is what threads are started for. */
const WORDS = 1800;
const LENGTH = 100;

let root: string;
let home: string;
/** A catalog that was made by one thread. */
let alone: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "baton-threads-"));
  home = join(root, "home");
  mkdirSync(home);
  lay(home, "claude", "codex", "gemini", "opencode");
  for (let number = 1; number <= SESSIONS; number++) {
    const text = Array.from({ length: WORDS }, (_, at) => `w${(at * number) % 977}`.padEnd(LENGTH, "x")).join(
      " ",
    );
    const { path } = writeSession({ dir: home, env: {} }, number, [
      { scope: "prompt", text: `Session ${number}` },
      { scope: "reply", text },
    ]);
    const time = Date.UTC(2026, 0, 1, 0, number) / 1000;
    utimesSync(path, time, time);
  }
  alone = join(root, "alone");
  await synced(home, alone, { adapters: async () => adapters });
}, 120_000);

const baton = (batonHome: string, ...words: string[]) =>
  promisify(execFile)(process.execPath, [join(ROOT, "bin/baton.js"), "--home", home, ...words], {
    env: { PATH: process.env.PATH, HOME: root, BATON_HOME: batonHome },
    maxBuffer: 1 << 26,
  });

describe("a large home", { timeout: 120_000 }, () => {
  it("is listed by several threads as by one", async () => {
    const [several, one] = [join(root, "several"), join(root, "one")];
    await synced(home, several, { words: false });
    await synced(home, one, { words: false, adapters: async () => adapters });
    const listed = dump(several);
    expect(listed.sessions).toHaveLength(dump(alone).sessions.length);
    expect(listed).toEqual(dump(one));
  });

  it("is searchable and archived after one command, as if one came behind the other", async () => {
    const own = join(root, "both");
    const { stdout } = await baton(own, "sync", "--json");
    const { added, archived } = JSON.parse(stdout) as { added: number; archived: { added: number } };
    expect(dump(own)).toEqual(dump(alone));
    expect(archived.added).toBe(added);
    const kept = await archivedSessions(own);
    expect(kept.map(({ originalId }) => originalId).toSorted()).toEqual(
      dump(own)
        .sessions.map((one) => (one as unknown as { original_id: string }).original_id)
        .toSorted(),
    );
    expect(JSON.parse((await baton(own, "archive", "--json")).stdout)).toMatchObject({
      added: 0,
      updated: 0,
    });
    const files = kept.flatMap(({ agent, files: all }) => all.map((file) => ({ agent, ...file })));
    const inFiles = files.filter(({ isRows }) => !isRows);
    expect(inFiles.length).toBeGreaterThan(SESSIONS);
    for (const { agent, path } of inFiles) {
      const bytes = readFileSync(path);
      const archivedBytes = await readArchived(own, { agent, path, offset: 0, length: bytes.length + 1 });
      expect(archivedBytes.equals(bytes), path).toBe(true);
    }
  });

  it("is searchable although it could not be archived, which is said", async () => {
    const own = join(root, "unarchived");
    mkdirSync(own);
    writeFileSync(join(own, "archive"), "");
    const failed = await baton(own, "sync").then(
      () => undefined,
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("archive") });
    expect(dump(own)).toEqual(dump(alone));
  });

  it("has the words of many sessions in few segments: each is looked through in a search", () => {
    const catalog = openCatalog(alone);
    try {
      const segments = catalog.shards.map((shard) =>
        Number(shard.prepare("SELECT count(DISTINCT segid) AS n FROM words_idx").get()?.n),
      );
      // About nine megabytes of text, six of which make a batch.
      expect(Math.max(...segments)).toBeLessThanOrEqual(2);
      expect(Math.min(...segments)).toBeGreaterThan(0);
    } finally {
      catalog.close();
    }
  });
});
