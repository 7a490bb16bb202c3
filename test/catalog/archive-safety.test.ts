// Whatever happens to the archive or to whoever writes it, what was archived can be read.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { checkArchive, damagedSessions } from "../../src/catalog/archive/check.ts";
import { writeIndex } from "../../src/catalog/archive/manifest.ts";
import { pruneArchive } from "../../src/catalog/archive/prune.ts";
import { archivedAsIs, archivedSessions } from "../../src/catalog/archive/read.ts";
import { newBatches } from "../../src/catalog/archive/write.ts";
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

const CHILD = join(import.meta.dirname, "archive-child.ts");

function start({ home }: Place): ChildProcess {
  return spawn(process.execPath, [CHILD, home.dir], { stdio: ["ignore", "pipe", "inherit"] });
}

async function said(child: ChildProcess): Promise<string[]> {
  const all: string[] = [];
  if (child.stdout) for await (const line of createInterface(child.stdout)) all.push(line);
  return all;
}

/** Sessions of some megabytes, so that there are several batches. */
function manySessions(place: Place, count: number): string[] {
  return Array.from({ length: count }, (_, at) =>
    write(logPath(place, `00000000-0000-4000-8000-0000000000${String(at + 10)}`), lines(1500, at + 1)),
  );
}

async function isAllKept(place: Place, paths: readonly string[]): Promise<void> {
  for (const path of paths) expect((await kept(place, path)) === readFileSync(path, "utf8")).toBe(true);
}

const packOf = ({ batonHome }: Place) => join(batonHome, "archive", "pack-000001-0.zst");
const indexOf = ({ batonHome }: Place) => join(batonHome, "archive", "index.db");

describe("a process that is killed", () => {
  it.each([1, 12, 20])("after %i sessions leaves an archive that can be read and goes on", async (after) => {
    const place = newPlace();
    const paths = manySessions(place, 24);
    const child = start(place);
    const ended = once(child, "exit");
    for await (const line of createInterface(child.stdout!)) if (Number(line) >= after) break;
    child.kill("SIGKILL");
    await ended;
    for (const { path } of await archivedSessions(place.batonHome))
      expect((await kept(place, path)) === readFileSync(path, "utf8")).toBe(true);
    await archiveSessions(place.batonHome, await found(place));
    await isAllKept(place, paths);
  });

  it("between the pack and the manifest has lost nothing", async () => {
    const place = newPlace();
    const [first = "", second = ""] = manySessions(place, 2);
    await archiveSessions(place.batonHome, await found(place));
    const before = `${indexOf(place)}.before`;
    copyFileSync(indexOf(place), before);
    appendFileSync(first, lines(2, 77));
    await archiveSessions(place.batonHome, await found(place));
    const frames = await frameCount(place);
    const size = statSync(packOf(place)).size;
    copyFileSync(before, indexOf(place));
    for (const suffix of ["-wal", "-shm"]) rmSync(`${indexOf(place)}${suffix}`, { force: true });
    const result = await archiveSessions(place.batonHome, await found(place));
    expect(result).toMatchObject({ unchanged: 2, written: 0 });
    expect(await frameCount(place)).toBe(frames);
    expect(statSync(packOf(place)).size).toBe(size);
    await isAllKept(place, [first, second]);
  });

  it("in the middle of a frame leaves bytes that nobody minds", async () => {
    const place = newPlace();
    const [path = "", other = ""] = manySessions(place, 2);
    await archiveSessions(place.batonHome, await found(place));
    const whole = readFileSync(packOf(place));
    appendFileSync(packOf(place), whole.subarray(0, 5000));
    appendFileSync(path, lines(1, 88));
    expect(await archiveSessions(place.batonHome, await found(place))).toMatchObject({ updated: 1 });
    await isAllKept(place, [path, other]);
    rmSync(indexOf(place));
    await isAllKept(place, [path, other]);
  });
});

describe("two processes at once", () => {
  it("archive everything once", async () => {
    const place = newPlace();
    const paths = manySessions(place, 8);
    const children = [start(place), start(place)];
    const results = await Promise.all(
      children.map(async (child) => JSON.parse((await said(child)).at(-1) ?? "")),
    );
    expect(results.map(({ added, unchanged }) => added + unchanged)).toEqual([8, 8]);
    expect(results[0].added + results[1].added).toBe(8);
    await isAllKept(place, paths);
    expect(existsSync(join(place.batonHome, "archive", "lock"))).toBe(false);
  });
});

describe("a damaged archive", () => {
  it("costs the session whose frame it is, and no other", async () => {
    const place = newPlace();
    const paths = manySessions(place, 3);
    await archiveSessions(place.batonHome, await found(place));
    flip(packOf(place), 5000);
    const results = await Promise.allSettled(paths.map((path) => kept(place, path)));
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "fulfilled", "rejected"]);
    const failed = results.find((result) => result.status === "rejected");
    expect(failed?.reason).toMatchObject({ code: "damaged" });
    expect(String(failed?.reason.message)).toContain("is damaged");
  });

  it("is made whole again from the files that are still there", async () => {
    const place = newPlace();
    const paths = manySessions(place, 3);
    await archiveSessions(place.batonHome, await found(place));
    flip(packOf(place), 5000);
    expect(await checkArchive(place.batonHome)).toBe(1);
    expect(await damagedSessions(place.batonHome)).toHaveLength(1);
    expect(await archiveSessions(place.batonHome, await found(place))).toMatchObject({
      updated: 1,
      unchanged: 2,
    });
    expect(await damagedSessions(place.batonHome)).toEqual([]);
    await isAllKept(place, paths);
    expect(await kept(place, paths[0] ?? "", 1)).toBeUndefined();
    expect(await checkArchive(place.batonHome)).toBe(0);
  });

  it.each([
    ["gone", (path: string) => rmSync(path)],
    ["no database", (path: string) => writeFileSync(path, "this is no database at all, ".repeat(500))],
    ["empty", (path: string) => writeFileSync(path, "")],
  ])("has a manifest that is %s, and makes it anew from what lies there", async (_, damage) => {
    const place = await samplePlace();
    const log = write(logPath(place), lines(1500, 1));
    await archiveSessions(place.batonHome, await found(place));
    appendFileSync(log, lines(3, 2));
    await archiveSessions(place.batonHome, await found(place));
    write(log, lines(4, 3));
    await archiveSessions(place.batonHome, await found(place));
    const before = await archivedSessions(place.batonHome);
    damage(indexOf(place));
    expect(await archivedSessions(place.batonHome)).toEqual(before);
    expect(await kept(place, log)).toBe(lines(4, 3));
    expect(await kept(place, log, 1)).toBe(lines(1500, 1) + lines(3, 2));
    expect(await archiveSessions(place.batonHome, await found(place))).toMatchObject({
      added: 0,
      updated: 0,
    });
  });

  it("is rebuilt without the part of a pack that is damaged", async () => {
    const place = newPlace();
    const paths = manySessions(place, 4);
    await archiveSessions(place.batonHome, await found(place));
    // The bytes that say what the second frame is.
    const pack = readFileSync(packOf(place));
    const second = pack.indexOf(Buffer.from([0x50, 0x2a, 0x4d, 0x18]), 100);
    flip(packOf(place), second + 2);
    rmSync(indexOf(place));
    expect(await archivedSessions(place.batonHome)).toHaveLength(4);
    const results = await Promise.allSettled(paths.map((path) => kept(place, path)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    await isMadeWhole(place, paths);
  });

  it("is made whole also when its pack was written anew since", async () => {
    const place = newPlace();
    const paths = manySessions(place, 4);
    const oldest = (await found(place)).at(-1)?.ref.path ?? "";
    utimesSync(oldest, new Date(0), new Date(0));
    const all = await found(place);
    await archiveSessions(place.batonHome, all);
    flip(packOf(place), 5000);
    const { sessions } = await pruneArchive(place.batonHome, { found: all, keepNewest: 3, yes: true });
    expect(sessions).toMatchObject([{ path: oldest }]);
    await isMadeWhole(place, paths);
  });

  it("is not asked about again and again for a file that is nowhere any more", async () => {
    const place = newPlace();
    const paths = manySessions(place, 2);
    await archiveSessions(place.batonHome, await found(place));
    const [first = ""] = paths;
    const side = write(join(first.replace(/\.jsonl$/, ""), "tool-results", "toolu_1.txt"), lines(20, 9));
    appendFileSync(first, lines(1, 8));
    await archiveSessions(place.batonHome, await found(place));
    const pack = readFileSync(packOf(place));
    flip(packOf(place), pack.lastIndexOf(Buffer.from([0x50, 0x2a, 0x4d, 0x18])) + 100);
    rmSync(side);
    rmSync(indexOf(place));
    await archiveSessions(place.batonHome, await found(place));
    expect(await archiveSessions(place.batonHome, await found(place))).toMatchObject({ unchanged: 2 });
    expect(await damagedSessions(place.batonHome)).toMatchObject([
      { path: first, file: side, isThere: false },
    ]);
    const isArchived = await archivedAsIs(place.batonHome);
    expect((await found(place)).map(({ ref }) => isArchived(ref) === (ref.path !== first))).toEqual([
      true,
      true,
    ]);
  });

  it("names a session whose note is damaged when its manifest is made anew", async () => {
    const place = newPlace();
    const paths = manySessions(place, 3);
    await archiveSessions(place.batonHome, await found(place));
    const [lost = ""] = paths;
    const note = readFileSync(packOf(place)).indexOf(`"path":${JSON.stringify(lost)}`);
    const stamp = readFileSync(packOf(place)).indexOf('"stamp":', note);
    flip(packOf(place), stamp + 12);
    rmSync(indexOf(place));
    expect((await archivedSessions(place.batonHome)).map(({ path }) => path).toSorted()).toEqual(paths);
    const named = { agent: "claude", path: lost };
    expect(await damagedSessions(place.batonHome)).toMatchObject([named]);
    await expect(kept(place, lost)).rejects.toMatchObject({ code: "damaged" });
    // Its file is there, so it is archived anew.
    expect(await archiveSessions(place.batonHome, await found(place))).toMatchObject({ updated: 1 });
    expect(await damagedSessions(place.batonHome)).toEqual([]);
    await isAllKept(place, paths);
  });

  it("does not miss a session with a damaged note that was taken out since", async () => {
    const place = newPlace();
    const paths = manySessions(place, 2);
    const [lost = ""] = paths;
    // Frames that both need, so that the pack is not written anew without the note.
    write(lost, readFileSync(paths[1] ?? ""));
    await archiveSessions(place.batonHome, await found(place));
    const before = await archivedSessions(place.batonHome);
    const note = readFileSync(packOf(place)).indexOf(`"path":${JSON.stringify(lost)}`);
    flip(packOf(place), readFileSync(packOf(place)).indexOf('"stamp":', note) + 12);
    const one = before.find(({ path }) => path === lost);
    if (!one) throw new Error("it was not archived");
    const { database, release } = await writeIndex(place.batonHome);
    const batches = await newBatches(join(place.batonHome, "archive"), database);
    const { agent, originalId, path } = one;
    await batches.add({
      type: "forget",
      at: Date.now(),
      sessions: [{ agent, originalId, thread: "", path }],
    });
    await batches.finish();
    await batches.close();
    database.close();
    release();
    rmSync(indexOf(place));
    expect((await archivedSessions(place.batonHome)).map((session) => session.path)).toEqual([paths[1]]);
    expect(await damagedSessions(place.batonHome)).toEqual([]);
  });

  it("does not take the end of a file for all of it when the note of its beginning is damaged", async () => {
    const place = newPlace();
    const path = write(logPath(place), lines(3000, 1));
    await archiveSessions(place.batonHome, await found(place));
    appendFileSync(path, lines(10, 2));
    await archiveSessions(place.batonHome, await found(place));
    flip(packOf(place), readFileSync(packOf(place)).indexOf('"stamp":') + 12);
    rmSync(indexOf(place));
    await expect(kept(place, path)).rejects.toMatchObject({ code: "damaged" });
    expect(await damagedSessions(place.batonHome)).toMatchObject([{ path }]);
  });

  it("is packs and a manifest, and nothing else", async () => {
    const place = newPlace();
    manySessions(place, 2);
    await archiveSessions(place.batonHome, await found(place));
    expect(readdirSync(join(place.batonHome, "archive")).toSorted()).toEqual([
      "index.db",
      "pack-000001-0.zst",
    ]);
  });
});

/** While all files are there; until then the damaged one does not count as archived. */
async function isMadeWhole(place: Place, paths: readonly string[]): Promise<void> {
  const all = await found(place);
  expect(await damagedSessions(place.batonHome)).toMatchObject([{ isThere: true }]);
  const before = await archivedAsIs(place.batonHome);
  expect(all.filter(({ ref }) => before(ref)).length).toBeLessThan(all.length);
  expect((await archiveSessions(place.batonHome, all)).unchanged).toBeLessThan(all.length);
  expect(await damagedSessions(place.batonHome)).toEqual([]);
  const after = await archivedAsIs(place.batonHome);
  expect(all.every(({ ref }) => after(ref))).toBe(true);
  await isAllKept(place, paths);
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}
