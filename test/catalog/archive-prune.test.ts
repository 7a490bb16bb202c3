// Pruning takes out what was chosen, as its preview said, and never the only copy of a session by itself.
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { materialiseOlder } from "../../src/catalog/archive/open.ts";
import { type PruneRequest, pruneArchive } from "../../src/catalog/archive/prune.ts";
import { archivedSessions, versionsOf } from "../../src/catalog/archive/read.ts";
import { reportArchive } from "../../src/catalog/archive/report.ts";
import {
  found,
  frameCount,
  kept,
  lines,
  logPath,
  newPlace,
  type Place,
  samplePlace,
  write,
} from "./archived.ts";

const DAY = 86_400_000;

/** Sessions that changed that many days ago. */
function aged(place: Place, days: readonly number[]): string[] {
  return days.map((age, at) => {
    const path = write(logPath(place, `00000000-0000-4000-8000-0000000000${at + 10}`), lines(300, at + 1));
    const time = new Date(Date.now() - age * DAY);
    utimesSync(path, time, time);
    return path;
  });
}

/** A long output of a session, as old as it. */
function beside(main: string, content: string): string {
  const path = write(join(main.replace(/\.jsonl$/, ""), "tool-results", "toolu_9.txt"), content);
  utimesSync(path, daysAgo(50), daysAgo(50));
  return path;
}

async function pruned(place: Place, request: Omit<PruneRequest, "found">) {
  return pruneArchive(place.batonHome, { found: await found(place), ...request });
}

function packedBytes({ batonHome }: Place): number {
  const folder = join(batonHome, "archive");
  const packs = readdirSync(folder).filter((name) => name.startsWith("pack-"));
  return packs.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

const daysAgo = (days: number) => new Date(Date.now() - days * DAY);

describe("a preview", () => {
  it("changes nothing, and says what then happens", async () => {
    const place = newPlace();
    const paths = aged(place, [1, 40, 100]);
    await archiveSessions(place.batonHome, await found(place));
    const size = packedBytes(place);
    const preview = await pruned(place, { before: daysAgo(30) });
    expect(preview.sessions.map(({ path }) => path)).toEqual([paths[1], paths[2]]);
    expect(preview).toMatchObject({ done: false, protected: 0 });
    expect(packedBytes(place)).toBe(size);
    expect(await archivedSessions(place.batonHome)).toHaveLength(3);
    const done = await pruned(place, { before: daysAgo(30), yes: true });
    expect(done).toEqual({ ...preview, done: true });
    const freed = size - packedBytes(place);
    expect(freed).toBeGreaterThanOrEqual(preview.freed);
    expect(freed).toBeLessThan(preview.freed * 1.05);
    expect((await archivedSessions(place.batonHome)).map(({ path }) => path)).toEqual([paths[0]]);
    expect((await kept(place, paths[0] ?? "")) === readFileSync(paths[0] ?? "", "utf8")).toBe(true);
    expect((await reportArchive(place.batonHome)).sessions).toBe(1);
  });

  it("chooses nothing where nothing was said", async () => {
    const place = newPlace();
    aged(place, [400]);
    await archiveSessions(place.batonHome, await found(place));
    expect(await pruned(place, { yes: true })).toMatchObject({ sessions: [], freed: 0 });
    expect(await archivedSessions(place.batonHome)).toHaveLength(1);
  });
});

describe("what is pruned", () => {
  it("leaves the newest, and other agents", async () => {
    const place = await samplePlace();
    const paths = aged(place, [10, 20, 30]);
    await archiveSessions(place.batonHome, await found(place));
    const { sessions } = await pruned(place, { keepNewest: 2, agents: ["claude"], yes: true });
    expect(sessions.map(({ path }) => path)).toEqual([paths[1], paths[2]]);
    const left = await archivedSessions(place.batonHome);
    expect(new Set(left.map(({ agent }) => agent))).toEqual(
      new Set(["claude", "codex", "gemini", "opencode"]),
    );
  });

  it("is never the only copy, unless that was said", async () => {
    const place = newPlace();
    const [gone = "", there = ""] = aged(place, [50, 60]);
    await archiveSessions(place.batonHome, await found(place));
    rmSync(gone);
    const careful = await pruned(place, { before: daysAgo(1), yes: true });
    expect(careful).toMatchObject({ protected: 1, sessions: [{ path: there, gone: false }] });
    expect((await archivedSessions(place.batonHome)).map(({ path }) => path)).toEqual([gone]);
    const told = await pruned(place, { before: daysAgo(1), gone: true, yes: true });
    expect(told).toMatchObject({ protected: 0, sessions: [{ path: gone, gone: true }] });
    expect(await archivedSessions(place.batonHome)).toEqual([]);
    expect(await frameCount(place)).toBe(0);
  });

  it("is never an older version that no store holds, unless that was said", async () => {
    const place = newPlace();
    const [replaced = "", plain = ""] = aged(place, [50, 60]);
    await archiveSessions(place.batonHome, await found(place));
    const before = readFileSync(replaced, "utf8");
    write(replaced, lines(20, 77));
    utimesSync(replaced, daysAgo(50), daysAgo(50));
    await archiveSessions(place.batonHome, await found(place));
    const careful = await pruned(place, { before: daysAgo(1), gone: true, yes: true });
    expect(careful).toMatchObject({
      protected: 1,
      kept: [{ path: replaced, gone: false, versions: 1 }],
      sessions: [{ path: plain, versions: 0 }],
    });
    expect((await kept(place, replaced, 1)) === before).toBe(true);
    const told = await pruned(place, { before: daysAgo(1), versions: true, yes: true });
    expect(told).toMatchObject({ kept: [], sessions: [{ path: replaced, gone: false, versions: 1 }] });
    expect(await frameCount(place)).toBe(0);
  });

  it("is never a file beside a session that only the archive has, unless that was said", async () => {
    const place = newPlace();
    const [main = "", plain = ""] = aged(place, [50, 60]);
    const output = beside(main, "wombatword\n");
    await archiveSessions(place.batonHome, await found(place));
    const whole = await pruned(place, { before: daysAgo(1) });
    expect(whole).toMatchObject({ kept: [], sessions: [{ path: main, missing: [] }, { path: plain }] });
    rmSync(output);
    await archiveSessions(place.batonHome, await found(place));
    const careful = await pruned(place, { before: daysAgo(1), versions: true, yes: true });
    expect(careful).toMatchObject({
      kept: [{ path: main, gone: false, versions: 0, missing: [output] }],
      sessions: [{ path: plain, missing: [] }],
    });
    expect(await kept(place, output)).toBe("wombatword\n");
    const told = await pruned(place, { before: daysAgo(1), gone: true, yes: true });
    expect(told).toMatchObject({ kept: [], sessions: [{ path: main, missing: [output] }] });
    expect(await kept(place, output)).toBeUndefined();
  });

  it("is never an older version of a file beside a session, unless that was said", async () => {
    const place = newPlace();
    const [main = ""] = aged(place, [50]);
    const output = beside(main, "wombatword\n");
    await archiveSessions(place.batonHome, await found(place));
    beside(main, "short\n");
    // Not even while that was not archived yet.
    const early = await pruned(place, { before: daysAgo(1), yes: true });
    expect(early).toMatchObject({ sessions: [], kept: [{ versions: 0, missing: [output] }] });
    appendFileSync(main, lines(1, 9));
    utimesSync(main, daysAgo(50), daysAgo(50));
    await archiveSessions(place.batonHome, await found(place));
    const careful = await pruned(place, { before: daysAgo(1), gone: true, yes: true });
    expect(careful).toMatchObject({ sessions: [], kept: [{ path: main, versions: 1, missing: [] }] });
    expect(await kept(place, output, 1)).toBe("wombatword\n");
    const [session] = await archivedSessions(place.batonHome);
    const versions = await versionsOf(place.batonHome, session!);
    expect(versions.map((file) => [file.path, file.versions.map(({ size }) => size)])).toEqual([
      [main, [statSync(main).size]],
      [output, [6, 11]],
    ]);
    const folder = mkdtempSync(join(tmpdir(), "versions-"));
    const [older = ""] = await materialiseOlder(place.batonHome, session!, folder);
    expect(readFileSync(older, "utf8")).toBe("wombatword\n");
    const told = await pruned(place, { before: daysAgo(1), versions: true, yes: true });
    expect(told).toMatchObject({ kept: [], sessions: [{ path: main, versions: 1 }] });
  });

  it("is never what was cut or replaced since it was archived", async () => {
    const place = newPlace();
    const [cut = "", grown = ""] = aged(place, [50, 60]);
    await archiveSessions(place.batonHome, await found(place));
    const before = readFileSync(cut, "utf8");
    write(cut, before.slice(0, 5000));
    appendFileSync(grown, lines(2, 9));
    const careful = await pruned(place, { before: daysAgo(1), yes: true });
    expect(careful).toMatchObject({ sessions: [{ path: grown }], kept: [{ path: cut, missing: [cut] }] });
    expect((await kept(place, cut)) === before).toBe(true);
  });

  it("takes the old place of a session that was moved with the files beside it", async () => {
    const place = newPlace();
    const [main = ""] = aged(place, [50]);
    const output = beside(main, "wombatword\n");
    await archiveSessions(place.batonHome, await found(place));
    const folder = join(place.home.dir, ".claude", "projects", "-moved");
    renameSync(dirname(main), folder);
    const whole = await pruned(place, { before: daysAgo(1) });
    expect(whole).toMatchObject({ kept: [], sessions: [{ path: main, gone: false, missing: [] }] });
    rmSync(join(folder, basename(main, ".jsonl")), { recursive: true });
    const less = await pruned(place, { before: daysAgo(1) });
    expect(less).toMatchObject({ sessions: [], kept: [{ path: main, gone: false, missing: [output] }] });
  });

  it("keeps the subagents of a session that stays, and a subagent with an older version alone", async () => {
    const place = await samplePlace();
    const all = await found(place);
    await archiveSessions(place.batonHome, all);
    const claude = all.filter(({ ref }) => ref.agent === "claude");
    const main = claude.find(({ ref }) => ref.parent === undefined)?.ref.path ?? "";
    const sub = claude.find(({ ref }) => ref.parent !== undefined)?.ref.path ?? "";
    const original = readFileSync(sub);
    write(sub, lines(3, 5));
    await archiveSessions(place.batonHome, await found(place));
    const alone = await pruned(place, { agents: ["claude"] });
    expect(alone).toMatchObject({ sessions: [{ path: main }], subagents: 0, kept: [{ path: sub }] });
    write(sub, original);
    write(main, lines(3, 6));
    await archiveSessions(place.batonHome, await found(place));
    const family = await pruned(place, { agents: ["claude"] });
    expect(family).toMatchObject({ sessions: [], subagents: 0, protected: 1, kept: [{ path: main }] });
  });

  it("leaves the frames that another session needs", async () => {
    const place = newPlace();
    const [old = ""] = aged(place, [50]);
    const copy = write(logPath(place, undefined, "-copied"), readFileSync(old));
    await archiveSessions(place.batonHome, await found(place));
    const preview = await pruned(place, { before: daysAgo(1) });
    expect(preview).toMatchObject({ sessions: [{ path: old }], freed: 0 });
    await pruned(place, { before: daysAgo(1), yes: true });
    expect((await kept(place, copy)) === readFileSync(copy, "utf8")).toBe(true);
  });

  it("takes the subagents of a session along, and nothing of others", async () => {
    const place = await samplePlace();
    await archiveSessions(place.batonHome, await found(place));
    const before = await archivedSessions(place.batonHome);
    const { sessions, subagents } = await pruned(place, { agents: ["claude"], yes: true });
    expect([sessions.length, subagents]).toEqual([1, 1]);
    const left = before.filter(({ agent }) => agent !== "claude");
    expect(await archivedSessions(place.batonHome)).toEqual(left);
    for (const { files } of left)
      for (const { name, size } of files)
        expect(Buffer.byteLength((await kept(place, name)) ?? "")).toBe(size);
  });

  it("does not come back when the manifest is made anew, and may be archived again", async () => {
    const place = newPlace();
    const [old = "", young = ""] = aged(place, [50, 2]);
    await archiveSessions(place.batonHome, await found(place));
    await pruned(place, { before: daysAgo(10), yes: true });
    rmSync(join(place.batonHome, "archive", "index.db"));
    expect((await archivedSessions(place.batonHome)).map(({ path }) => path)).toEqual([young]);
    expect(await archiveSessions(place.batonHome, await found(place))).toMatchObject({
      added: 1,
      unchanged: 1,
    });
    rmSync(join(place.batonHome, "archive", "index.db"));
    expect((await kept(place, old)) === readFileSync(old, "utf8")).toBe(true);
  });
});

describe("what nobody needs any more", () => {
  it("is freed by itself once it is most of a pack", async () => {
    const place = newPlace();
    const path = logPath(place);
    const content = lines(900, 5);
    for (let size = 0.3; size <= 1; size += 0.02) {
      write(path, content.slice(0, Math.floor(content.length * size)));
      await archiveSessions(place.batonHome, await found(place));
    }
    expect((await kept(place, path)) === readFileSync(path, "utf8")).toBe(true);
    expect(packedBytes(place)).toBeLessThan(18 << 20);
    expect(existsSync(join(place.batonHome, "archive", "pack-000001-0.zst"))).toBe(false);
    rmSync(join(place.batonHome, "archive", "index.db"));
    expect((await kept(place, path)) === readFileSync(path, "utf8")).toBe(true);
  });

  it("goes at the next run where a process ended between two packs", async () => {
    const place = newPlace();
    const [first = "", second = ""] = aged(place, [50, 2]);
    await archiveSessions(place.batonHome, await found(place));
    const old = join(place.batonHome, "archive", "pack-000001-0.zst");
    const bytes = readFileSync(old);
    await pruned(place, { before: daysAgo(10), yes: true });
    // As if it had not been removed.
    write(old, bytes);
    await archiveSessions(
      place.batonHome,
      (await found(place)).filter(({ ref }) => ref.path === second),
    );
    expect(existsSync(old)).toBe(false);
    expect((await archivedSessions(place.batonHome)).map(({ path }) => path)).toEqual([second]);
    expect(await kept(place, first)).toBeUndefined();
  });
});
