// What is known of a store's files from the last time is not looked up again, and every change to them shows.
import { appendFileSync, cpSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Adapter, FileRef, Home, Looking, SessionRef } from "../../src/adapters/adapter.ts";
import { claude } from "../../src/adapters/claude/index.ts";
import { codex } from "../../src/adapters/codex/index.ts";
import { gemini } from "../../src/adapters/gemini/index.ts";
import { opencode } from "../../src/adapters/opencode/index.ts";
import { yume } from "../../src/adapters/yume/index.ts";
import { buildDatabases } from "./opencode/database.ts";

const ID = "0199a213-81c0-7800-8aa1-bbab2a035a53";
const PARENT = "0199a213-81c0-7800-8aa1-bbab2a035a54";
const OTHER = "0199a213-81c0-7800-8aa1-bbab2a035a55";
const LONG = `${JSON.stringify({ text: "x".repeat(5000) })}\n`;

/** A file whose beginning says what its name does not: whose it is, or what it is called. */
const LOOKED_INTO: readonly {
  adapter: Adapter;
  path: string;
  told(id: string): string;
  says(ref: SessionRef): unknown;
}[] = [
  {
    adapter: claude,
    path: ".claude/projects/-p/agent-1.jsonl",
    told: (id) => `${JSON.stringify({ type: "user", sessionId: id })}\n`,
    says: ({ parent }) => parent,
  },
  {
    adapter: codex,
    path: `.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${ID}.jsonl`,
    told: (id) => `${JSON.stringify({ type: "session_meta", payload: { id: ID, parent_thread_id: id } })}\n`,
    says: ({ parent }) => parent,
  },
  {
    adapter: gemini,
    path: ".gemini/tmp/p/chats/session-2026-01-02T03-04-0199a213.jsonl",
    told: (id) => `${JSON.stringify({ sessionId: id, projectHash: "p" })}\n`,
    says: ({ originalId }) => originalId,
  },
  {
    adapter: yume,
    path: ".yume/sessions/openai/one.json",
    told: (id) => `${JSON.stringify({ id, provider: "openai", history: [] })}`,
    says: ({ originalId }) => originalId,
  },
];

describe.each(LOOKED_INTO)("$adapter.id", ({ adapter, path, told, says }) => {
  it("is not looked into again while it is the same file, and is when it is another", async () => {
    const home = await newHome();
    const file = put(home, path, told(PARENT) + LONG);
    const [first] = [...adapter.discover(home)] as [SessionRef];
    expect(says(first)).toBe(PARENT);
    // Nobody writes like this; it shows whether somebody looks.
    writeFileSync(file, told(OTHER) + LONG);
    expect([...adapter.discover(home)].map(says)).toEqual([OTHER]);
    expect([...adapter.discover(home, knowing([first]))].map(says)).toEqual([PARENT]);
    writeFileSync(file, told(OTHER));
    expect([...adapter.discover(home, knowing([first]))].map(says)).toEqual([OTHER]);
    rmSync(file);
    put(home, `${path}.beside`, "takes the number of the file that is gone");
    put(home, path, told(OTHER) + LONG);
    expect([...adapter.discover(home, knowing([first]))].map(says)).toEqual([OTHER]);
  });

  it("shows growth, truncation, replacement and a touch in size, time or inode", async () => {
    const home = await newHome();
    const file = put(home, path, told(PARENT) + LONG);
    const stamps = new Set([stampIn(adapter, home)]);
    appendFileSync(file, LONG);
    stamps.add(stampIn(adapter, home));
    writeFileSync(file, told(PARENT));
    stamps.add(stampIn(adapter, home));
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    stamps.add(stampIn(adapter, home));
    rmSync(file);
    put(home, `${path}.beside`, "takes the number of the file that is gone");
    put(home, path, told(PARENT));
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    stamps.add(stampIn(adapter, home));
    expect(stamps.size).toBe(5);
  });
});

it("what was known of a file that had only begun is looked up again", async () => {
  const home = await newHome();
  const [{ path, told }] = LOOKED_INTO.filter(({ adapter }) => adapter === codex) as [
    (typeof LOOKED_INTO)[0],
  ];
  const file = put(home, path, told(PARENT).slice(0, 30));
  const begun = [...codex.discover(home)];
  expect(begun.map(({ parent }) => parent)).toEqual([undefined]);
  appendFileSync(file, told(PARENT).slice(30));
  expect([...codex.discover(home, knowing(begun))].map(({ parent }) => parent)).toEqual([PARENT]);
});

describe("a database", () => {
  it("that nobody wrote to is not opened: its sessions are those of the last time", async () => {
    const { home, path } = await storeOf("recorded");
    longAgo(path);
    const stamps: string[] = [];
    const sessions = [...opencode.discover(home, { onDatabase: (_, stamp) => stamps.push(stamp) })];
    expect(stamps).toHaveLength(1);
    const marked = sessions.map((ref) => ({ ...ref, originalId: `${ref.originalId}-as-known` }));
    const database = () => ({ stamp: String(stamps[0]), sessions: () => marked });
    expect([...opencode.discover(home, { database })]).toEqual(marked);
    expect([
      ...opencode.discover(home, { database: () => ({ stamp: "another", sessions: () => marked }) }),
    ]).toEqual(sessions);
  });

  it("tells no stamp while the next change could have the same one", async () => {
    const { home, path } = await storeOf("recorded");
    const now = new Date();
    utimesSync(path, now, now);
    const onDatabase = () => expect.unreachable("it was written to just now");
    expect([...opencode.discover(home, { onDatabase })]).not.toEqual([]);
  });

  it("has another stamp once its log has grown, and the same after it was only read", async () => {
    const { home, path } = await storeOf("recorded");
    const stampNow = () => {
      const stamps: string[] = [];
      longAgo(path);
      for (const _ of opencode.discover(home, { onDatabase: (_path, stamp) => stamps.push(stamp) }));
      return stamps[0];
    };
    const before = stampNow();
    expect(before).toBeDefined();
    expect(stampNow()).toBe(before);
    const writer = new DatabaseSync(path);
    onTestFinished(() => writer.close());
    writer.exec("UPDATE session SET title = 'another'");
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    expect(stampNow()).not.toBe(before);
  });

  it("is measured only where something was written, and shows each event", async () => {
    const { home, path } = await storeOf("recorded");
    const [first] = [...opencode.discover(home)] as [SessionRef];
    const writer = new DatabaseSync(path);
    onTestFinished(() => writer.close());
    // Nobody writes without an event; it shows whether somebody measures.
    writer.exec("UPDATE part SET data = data || ' '");
    const known = { ...first, files: [{ ...(first.files[0] as FileRef), size: 7 }] };
    const looking: Looking = { database: () => ({ stamp: "", sessions: () => [known] }) };
    expect([...opencode.discover(home, looking)][0]?.files[0]?.size).toBe(7);
    writer
      .prepare("INSERT OR REPLACE INTO event_sequence (aggregate_id, seq) VALUES (?, ?)")
      .run(first.originalId, 72);
    const [after] = [...opencode.discover(home, looking)];
    expect(after?.files[0]?.size).toBeGreaterThan(first.files[0]?.size ?? 0);
    expect(after?.files[0]?.mtimeMs).not.toBe(first.files[0]?.mtimeMs);
  });

  it("whose session another store hides tells no stamp, so that it is found when it no longer is", async () => {
    const { home, path } = await storeOf("recorded");
    cpSync(path, join(dirname(path), "opencode-beta.db"));
    longAgo(path, join(dirname(path), "opencode-beta.db"));
    const told: string[] = [];
    expect([...opencode.discover(home, { onDatabase: (of) => told.push(of) })]).toHaveLength(1);
    expect(told).toEqual([path]);
  });
});

async function newHome(): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), "baton-looking-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return { dir, env: {} };
}

function put({ dir }: Home, path: string, content: string): string {
  const file = join(dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function knowing(refs: readonly SessionRef[]): Looking {
  return {
    known(file) {
      const ref = refs.find((one) => one.path === file.path && one.files[0]?.inode === file.inode);
      return ref && { ...ref, size: ref.files[0]?.size ?? 0 };
    },
  };
}

function stampIn(adapter: Adapter, home: Home): string {
  return JSON.stringify([...adapter.discover(home)].map(({ files }) => files));
}

async function storeOf(fixture: string): Promise<{ home: Home; path: string }> {
  const home = await newHome();
  const store = join(home.dir, ".local", "share", "opencode");
  mkdirSync(store, { recursive: true });
  cpSync(join(import.meta.dirname, "opencode", "fixtures", fixture, "native"), store, { recursive: true });
  buildDatabases(store);
  return { home, path: join(store, "opencode.db") };
}

/** As if nobody had written for a while, so that the clock of the disk has gone on. */
function longAgo(...paths: string[]): void {
  for (const path of paths)
    for (const file of [path, `${path}-wal`])
      if (statSync(file, { throwIfNoEntry: false })) utimesSync(file, 1_700_000_000, 1_700_000_000);
}
