// Several processes with one catalog, and processes that are killed.
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { beforeEach, expect, it } from "vitest";
import { openCatalog } from "../../src/catalog/catalog.ts";
import { listSessions } from "../../src/catalog/query.ts";
import { dump, dumpAtOnce, shardsIn, synced } from "./dump.ts";

const ROOT = join(import.meta.dirname, "../..");
const CLAUDE = ".claude/projects/-home-dev-project/00000000-0000-4000-8000-000000000001.jsonl";

let home: string;
let own: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "baton-processes-"));
  home = join(root, "home");
  own = join(root, "baton");
  mkdirSync(home);
  for (const agent of ["claude", "codex", "gemini", "opencode"])
    cpSync(join(ROOT, "samples", agent, "native"), home, { recursive: true });
  env = {
    PATH: process.env.PATH,
    HOME: root,
    BATON_HOME: own,
    NODE_COMPILE_CACHE: join(tmpdir(), "baton-compiled"),
  };
});

const baton = (...words: string[]) =>
  promisify(execFile)(process.execPath, [join(ROOT, "bin/baton.js"), "--home", home, ...words], {
    env,
    maxBuffer: 1 << 26,
  });

const atOnce = () => dumpAtOnce(home);

it("twenty lists while one syncs all see every session", { timeout: 120_000 }, async () => {
  const syncing = baton("sync", "--json");
  const lists = await Promise.all(Array.from({ length: 20 }, () => baton("list", "--json")));
  const seen = lists.map(({ stdout }) => (JSON.parse(stdout) as { sessions: { id: string }[] }).sessions);
  expect(seen.map((sessions) => sessions.length)).toEqual(Array(20).fill(4));
  await syncing;
  expect(dump(own)).toEqual(await atOnce());
});

it("searches beside a sync that makes the catalog anew answer in full", { timeout: 120_000 }, async () => {
  await baton("sync");
  const total = async () =>
    (JSON.parse((await baton("search", "word", "--json")).stdout) as { total: number }).total;
  const whole = await total();
  const rebuilding = Array.from({ length: 3 }, () => baton("sync", "--rebuild", "--json"));
  expect(await Promise.all(Array.from({ length: 5 }, total))).toEqual(Array(5).fill(whole));
  await Promise.all(rebuilding);
  expect(dump(own)).toEqual(await atOnce());
});

it.each([
  [
    "damaged",
    (path: string) =>
      writeFileSync(path, Buffer.concat([Buffer.from("garbage!garbage!"), readFileSync(path).subarray(16)])),
  ],
  [
    "of another version",
    (path: string) => {
      const shard = new DatabaseSync(path);
      shard.exec("PRAGMA user_version = 1");
      shard.close();
    },
  ],
  ["missing", (path: string) => rmSync(path)],
])(
  "commands that find at once that the catalog is %s all answer in full",
  { timeout: 120_000 },
  async (_, spoil) => {
    await baton("sync");
    const whole = (await baton("search", "word", "--json")).stdout;
    const entries = (out: string) =>
      (JSON.parse(out) as { hits: { session: string; entry: string }[] }).hits
        .map(({ session, entry }) => `${session} ${entry}`)
        .toSorted();
    for (const path of shardsIn(own)) spoil(path);
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => baton("search", "word", "--json")),
      ...Array.from({ length: 3 }, () => baton("list", "--json")),
    ]);
    for (const { stdout } of answers.slice(0, 5)) expect(entries(stdout)).toEqual(entries(whole));
    for (const { stdout } of answers.slice(5)) expect(JSON.parse(stdout)).toMatchObject({ total: 4 });
  },
);

it("a session that only the archive has is found after any command made the catalog anew", async () => {
  await baton("sync");
  rmSync(join(home, CLAUDE));
  const found = async () =>
    (JSON.parse((await baton("search", "nobody agent:claude", "--json")).stdout) as { hits: unknown[] }).hits
      .length;
  const before = await found();
  expect(before).toBeGreaterThan(0);
  for (const path of shardsIn(own)) rmSync(path);
  await baton("list", "--json");
  expect(await found()).toBe(before);
});

it("syncs that run at once make one catalog", { timeout: 120_000 }, async () => {
  const reports = await Promise.all(Array.from({ length: 4 }, () => baton("sync", "--json")));
  const added = reports.map(({ stdout }) => (JSON.parse(stdout) as { added: number }).added);
  expect(added.reduce((sum, count) => sum + count)).toBe(8);
  expect(dump(own)).toEqual(await atOnce());
});

/** A hundred in all. */
const KILLS = 20;

interface Work {
  what: string;
  /** What the process is told besides the two homes. */
  words?: string[];
  /** How long it runs at most before it is killed, in milliseconds, unless it is done sooner. */
  within: number;
  /** Nothing was synced before. */
  isFirst?: true;
  begin?(): void;
  /** What happens before the process with that number is started. */
  change(kill: number): void;
}

let lines: string[] = [];
const WORKS: Work[] = [
  {
    what: "the first of all",
    within: 400,
    isFirst: true,
    change: () => rmSync(own, { recursive: true, force: true }),
  },
  { what: "one that makes everything anew", within: 400, words: ["rebuild"], change: () => undefined },
  {
    what: "one after a file has grown",
    within: 60,
    begin() {
      lines = readFileSync(join(home, CLAUDE), "utf8").split(/(?<=\n)/);
      writeFileSync(join(home, CLAUDE), "");
    },
    change(kill) {
      const [from, to] = [kill, kill + 1].map((part) => Math.floor((lines.length * part) / KILLS));
      appendFileSync(join(home, CLAUDE), lines.slice(from, to).join(""));
    },
  },
  {
    what: "one after a project was renamed",
    within: 60,
    change(kill) {
      const [from, to] = kill % 2 === 0 ? ["-home-dev-project", "-moved"] : ["-moved", "-home-dev-project"];
      renameSync(join(home, ".claude/projects", from ?? ""), join(home, ".claude/projects", to ?? ""));
    },
  },
  {
    what: "one after a database has changed",
    within: 60,
    change(kill) {
      const store = new DatabaseSync(join(home, ".local/share/opencode/opencode.db"));
      store.exec(`UPDATE session SET title = 'Title ${kill}', time_updated = time_updated + 1000;
        UPDATE part SET data = json_set(data, '$.text', json_extract(data, '$.text') || ' more${kill}')
          WHERE id = (SELECT id FROM part WHERE json_extract(data, '$.type') = 'text' ORDER BY id LIMIT 1)`);
      store.close();
    },
  },
];

it.each(WORKS)(
  "a sync that is killed, $what, leaves a catalog that is used and goes on",
  {
    timeout: 600_000,
  },
  async ({ words = [], within, isFirst, begin, change }) => {
    begin?.();
    if (!isFirst) await synced(home, own);
    let interrupted = 0;
    let longest = within;
    for (let kill = 0; kill < KILLS; kill++) {
      change(kill);
      const child = fork(join(import.meta.dirname, "sync-child.ts"), [home, own, ...words], { env });
      const ended = once(child, "exit");
      await Promise.race([once(child, "message"), ended]);
      const begun = performance.now();
      const done = once(child, "message");
      const isKilled = await Promise.race([setTimeout(random(kill) * longest, true), done.then(() => false)]);
      // A fast machine is done sooner: the next ones are killed within that time.
      if (!isKilled) longest = Math.min(longest, performance.now() - begun);
      child.kill("SIGKILL");
      await ended;
      if (isKilled) interrupted++;
      expect(isUsable()).toBe(true);
    }
    expect(interrupted).toBeGreaterThan(KILLS / 4);
    await synced(home, own);
    expect(dump(own)).toEqual(await atOnce());
  },
);

function isUsable(): boolean {
  const catalog = openCatalog(own);
  try {
    expect(catalog.rebuilt).toEqual([]);
    const { sessions, total } = listSessions(catalog, { subagents: true });
    return sessions.length === total && catalog.shards.every(isSound);
  } finally {
    catalog.close();
  }
}

function isSound(shard: DatabaseSync): boolean {
  shard.exec("INSERT INTO words (words) VALUES ('integrity-check')");
  return shard.prepare("PRAGMA quick_check").get()?.quick_check === "ok";
}

/** The same each time, so that a failure can be looked at again. */
function random(seed: number): number {
  const mixed = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return mixed / 2 ** 32;
}
