// What the catalog keeps in order whatever comes: new sessions before old ones, sessions without a time, and what is
// known of a session that cannot be read any more.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { SessionRef } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { listSessions } from "../../src/catalog/query.ts";
import { writeSession } from "./claude-session.ts";
import { synced } from "./dump.ts";

const ROOT = join(import.meta.dirname, "../..");

let root: string;
let home: string;
let own: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baton-kept-"));
  home = join(root, "home");
  own = join(root, "baton");
  mkdirSync(home);
});

function write(number: number, seconds: number): string {
  const { path } = writeSession({ dir: home, env: {} }, number, [
    { scope: "prompt", text: `Session ${number}` },
    { scope: "reply", text: "zebra" },
  ]);
  // A negative number would mean now.
  const time = new Date(seconds * 1000);
  utimesSync(path, time, time);
  return path;
}

function listed() {
  const catalog = openCatalog(own);
  try {
    return listSessions(catalog, {}).sessions;
  } finally {
    catalog.close();
  }
}

/** For each shard the times of its sessions, in the order of their texts' row numbers. */
function timesByRow(): number[][] {
  const catalog = openCatalog(own);
  try {
    return catalog.shards.map((shard) =>
      shard
        .prepare("SELECT updated FROM session JOIN chunk ON chunk.session = session.key ORDER BY chunk.first")
        .all()
        .map(({ updated }) => Number(updated)),
    );
  } finally {
    catalog.close();
  }
}

it("texts of newer sessions have greater row numbers, however the sessions came", async () => {
  const begin = 1_700_000_000;
  // First some, then newer ones and older ones at once, then newer ones again.
  for (const [from, to] of [
    [20, 30],
    [30, 50],
    [0, 20],
    [50, 70],
  ] as const) {
    for (let number = from; number < to; number++) write(number + 1, begin + number);
    // As a list before a search does.
    if (from === 30) await synced(home, own, { words: false });
    await synced(home, own);
    for (const times of timesByRow()) {
      expect(times.length).toBeGreaterThan(0);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
  }
});

it("sessions of the beginning of time and from before are listed", async () => {
  write(1, 0);
  write(2, -1e9);
  write(3, 1_700_000_000);
  await synced(home, own);
  const [first, ...others] = listed().map(({ title }) => title);
  expect(first).toBe("Session 3");
  expect(others.toSorted()).toEqual(["Session 1", "Session 2"]);
});

it("a session that cannot be read any more keeps what is known of it, beside what is wrong", async () => {
  const path = write(1, 1_700_000_000);
  await synced(home, own);
  const [before] = listed();
  utimesSync(path, 1_700_000_100, 1_700_000_100);
  const locked = adapters.map((adapter) => ({
    ...adapter,
    reading: () => Promise.reject(new Error("EACCES: permission denied")),
  }));
  await synced(home, own, { adapters: async () => locked });
  expect(listed()).toEqual([{ ...before, problems: ["EACCES: permission denied"] }]);
  // Once it can be read again, all is as it was.
  await synced(home, own);
  expect(listed()).toMatchObject([{ title: "Session 1", messageCount: 2, problems: [] }]);
});

it("a long session that fails behind its first piece is listed, with what is wrong", async () => {
  const long = "word ".repeat(1_000_000);
  const said = [1, 2].map(() => ({ scope: "prompt" as const, text: long }));
  writeSession({ dir: home, env: {} }, 1, said);
  const failing = adapters.map((adapter) => ({
    ...adapter,
    async reading(ref: SessionRef) {
      const reading = await adapter.reading(ref);
      return {
        ...reading,
        async *read(options: Parameters<typeof reading.read>[0]) {
          yield* reading.read(options);
          throw new Error("EIO: read failed");
        },
      };
    },
  }));
  await synced(home, own, { adapters: async () => failing });
  expect(listed()).toMatchObject([{ problems: ["EIO: read failed"] }]);
  await synced(home, own);
  expect(listed()).toMatchObject([{ messageCount: 2, problems: [] }]);
});

it("lists, searches and counts with a folder of its own that it cannot write to, the archive in it included", () => {
  cpSync(join(ROOT, "samples/claude/native"), home, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  // Root may write everywhere.
  const anybody = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  const baton = (as: object, ...words: string[]) =>
    execFileSync(process.execPath, [join(ROOT, "bin/baton.js"), "--home", home, ...words], {
      env: { PATH: process.env.PATH, HOME: root, BATON_HOME: own },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      ...as,
    });
  baton({}, "sync");
  const found = (text: string) => JSON.parse(text) as { sessions?: unknown[]; hits?: unknown[] };
  const wanted = found(baton({}, "list", "--json"));
  for (const { parentPath, name } of readdirSync(root, { recursive: true, withFileTypes: true }))
    chmodSync(join(parentPath, name), 0o555);
  chmodSync(root, 0o555);
  expect(found(baton(anybody, "list", "--json"))).toEqual(wanted);
  expect(found(baton(anybody, "search", "word", "--json")).hits?.length).toBeGreaterThan(0);
  expect(found(baton(anybody, "usage", "--json"))).toHaveProperty("total");
});
