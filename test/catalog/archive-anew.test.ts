// The manifest is what all notes of the packs come to: made anew from them, it says what it said before.
import { appendFileSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { checkArchive, damagedSessions } from "../../src/catalog/archive/check.ts";
import { collect } from "../../src/catalog/archive/collect.ts";
import { writeIndex } from "../../src/catalog/archive/manifest.ts";
import type { Note } from "../../src/catalog/archive/notes.ts";
import { pruneArchive } from "../../src/catalog/archive/prune.ts";
import { archivedSessions } from "../../src/catalog/archive/read.ts";
import { type Batches, newBatches } from "../../src/catalog/archive/write.ts";
import { found, kept, lines, logPath, newPlace, type Place, samplePlace, write } from "./archived.ts";

const folderOf = ({ batonHome }: Place) => join(batonHome, "archive");

function forgetManifest(place: Place): void {
  for (const suffix of ["", "-wal", "-shm"])
    rmSync(join(folderOf(place), `index.db${suffix}`), { force: true });
}

describe("a file that several sessions have", () => {
  it("stays with the one that stays, although another's note told of it", async () => {
    const place = await samplePlace();
    const all = await found(place);
    await archiveSessions(place.batonHome, all);
    const sub = all.find(({ ref }) => ref.agent === "claude" && ref.parent !== undefined)?.ref.path ?? "";
    const content = readFileSync(sub, "utf8");
    rmSync(sub);
    const now = await found(place);
    await archiveSessions(place.batonHome, now);
    const { kept: stayed } = await pruneArchive(place.batonHome, {
      found: now,
      agents: ["claude"],
      yes: true,
    });
    expect(stayed).toMatchObject([{ path: sub }]);
    const before = await archivedSessions(place.batonHome);
    forgetManifest(place);
    expect(await archivedSessions(place.batonHome)).toEqual(before);
    expect(await kept(place, sub)).toBe(content);
    expect(await damagedSessions(place.batonHome)).toEqual([]);
  });

  it("stays with the last of many that had it one after the other", async () => {
    const place = newPlace();
    await writing(place, async (batches) => {
      await batches.add(await noteOf(batches, "first", { shared: "what they share", first: "its own" }));
      await batches.add(await noteOf(batches, "second", { second: "of the second" }, ["shared"]));
      await batches.add(forgetting("first"));
      await batches.add(await noteOf(batches, "third", { third: "of the third" }, ["shared"]));
      await batches.add(forgetting("second"));
    });
    const before = await archivedSessions(place.batonHome);
    forgetManifest(place);
    expect(await archivedSessions(place.batonHome)).toEqual(before);
    expect(before.map(({ originalId }) => originalId)).toEqual(["third"]);
    expect(await kept(place, "shared")).toBe("what they share");
    expect(await kept(place, "first")).toBeUndefined();
  });

  it("is missed when no note tells of it", async () => {
    const place = newPlace();
    await writing(place, async (batches) => {
      await batches.add(await noteOf(batches, "one", { one: "its own" }, ["nowhere"]));
    });
    expect(await damagedSessions(place.batonHome)).toMatchObject([{ originalId: "one", file: "nowhere" }]);
  });
});

describe("a manifest that is put back from a time before", () => {
  /** Three sessions, of which the first is taken out; the manifest from before that. */
  async function putBack(): Promise<{ place: Place; left: string[]; before: Map<string, Buffer> }> {
    const place = newPlace();
    const paths = [1, 2, 3].map((n) => write(logPath(place, `${n}`.repeat(8)), lines(200, n)));
    utimesSync(paths[0] ?? "", new Date(0), new Date(0));
    await archiveSessions(place.batonHome, await found(place));
    const before = contents(place);
    await pruneArchive(place.batonHome, { found: await found(place), keepNewest: 2, yes: true });
    forgetManifest(place);
    write(join(folderOf(place), "index.db"), before.get("index.db") ?? "");
    return { place, left: paths.slice(1), before };
  }

  it("is made anew by whoever reads", async () => {
    const { place, left } = await putBack();
    for (const path of left) expect(await kept(place, path)).toBe(readFileSync(path, "utf8"));
    expect((await archivedSessions(place.batonHome)).map(({ path }) => path).toSorted()).toEqual(left);
  });

  it("is made anew by whoever archives or checks, who says so", async () => {
    const { place, left } = await putBack();
    const said: string[] = [];
    await archiveSessions(place.batonHome, [], { onRebuild: (why) => said.push(why) });
    expect(said).toEqual([expect.stringContaining("is older than the packs beside it")]);
    expect(await checkArchive(place.batonHome)).toBe(0);
    for (const path of left) rmSync(path);
    expect((await archivedSessions(place.batonHome)).map(({ path }) => path).toSorted()).toEqual(left);
  });

  it("with its packs does not cost what was archived since", async () => {
    const { place, before } = await putBack();
    forgetManifest(place);
    const late = write(logPath(place, "4".repeat(8)), lines(20, 4));
    await archiveSessions(place.batonHome, await found(place));
    forgetManifest(place);
    for (const [name, bytes] of before) write(join(folderOf(place), name), bytes);
    expect(Object.fromEntries(contents(place))).toHaveProperty(["pack-000001-1.zst"]);
    await archiveSessions(place.batonHome, []);
    expect(await kept(place, late)).toBe(lines(20, 4));
  });

  it("keeps what it knows of a pack that is gone altogether", async () => {
    const { place } = await putBack();
    for (const name of contents(place).keys()) if (/^pack/.test(name)) rmSync(join(folderOf(place), name));
    expect(await archivedSessions(place.batonHome)).toHaveLength(3);
    expect(await checkArchive(place.batonHome)).toBe(3);
    expect(await damagedSessions(place.batonHome)).toHaveLength(3);
  });
});

describe("a damaged note", () => {
  /** Two sessions; the note of the last is damaged, and its file is gone. */
  async function damagedLast(damage: (pack: Buffer, note: number) => void) {
    const place = newPlace();
    const paths = [1, 2].map((n) => write(logPath(place, `${n}`.repeat(8)), lines(5, n)));
    for (const { ref, adapter } of await found(place)) {
      await archiveSessions(place.batonHome, [{ ref, adapter }]);
    }
    const name = join(folderOf(place), "pack-000001-0.zst");
    const pack = readFileSync(name);
    const note = pack.lastIndexOf(Buffer.from([0x51, 0x2a, 0x4d, 0x18]));
    const lost = paths.find((path) => pack.includes(`"path":${JSON.stringify(path)}`, note)) ?? "";
    damage(pack, note);
    write(name, pack);
    rmSync(lost);
    return { place, lost, other: paths.find((path) => path !== lost) ?? "" };
  }

  it.each([
    ["in its text", (pack: Buffer, note: number) => pack.write("x", pack.indexOf('"stamp":"', note) + 9)],
    ["where it begins", (pack: Buffer, note: number) => pack.write("x", note)],
  ])("%s is named each time, whatever is written behind it", async (_, damage) => {
    const { place, lost, other } = await damagedLast(damage);
    for (const round of [1, 2, 3]) {
      forgetManifest(place);
      appendFileSync(other, lines(1, round));
      await archiveSessions(place.batonHome, await found(place));
      expect(await damagedSessions(place.batonHome)).toMatchObject([{ path: lost, isThere: false }]);
      expect(await kept(place, other)).toBe(readFileSync(other, "utf8"));
    }
  });

  it("is not lost when its pack is written anew", async () => {
    const { place, lost, other } = await damagedLast((pack, note) =>
      pack.write("x", pack.indexOf('"stamp":"', note) + 9),
    );
    appendFileSync(other, lines(1, 1));
    await archiveSessions(place.batonHome, await found(place));
    await pruneArchive(place.batonHome, { found: await found(place), yes: true });
    expect([...contents(place).keys()]).toContain("pack-000001-1.zst");
    expect(await kept(place, lost)).toBeDefined();
    forgetManifest(place);
    expect(await damagedSessions(place.batonHome)).toMatchObject([{ path: lost }]);
    await pruneArchive(place.batonHome, { found: await found(place), keepNewest: 1, gone: true, yes: true });
    forgetManifest(place);
    expect((await archivedSessions(place.batonHome)).map(({ path }) => path)).toEqual([other]);
  });
});

/** The files of the archive. */
function contents(place: Place): Map<string, Buffer> {
  const names = readdirSync(folderOf(place));
  return new Map(names.map((name) => [name, readFileSync(join(folderOf(place), name))]));
}

/** Writes into the archive, and then frees what nobody needs. */
async function writing(place: Place, write: (batches: Batches) => Promise<void>): Promise<void> {
  const { database, release } = await writeIndex(place.batonHome);
  const batches = await newBatches(folderOf(place), database);
  await write(batches);
  await batches.finish();
  await batches.close();
  await collect(place.batonHome, database, true);
  database.close();
  release();
}

const identity = (name: string) => ({ agent: "claude", originalId: name, thread: "", path: name });

/** `content`: what is new, by the files' names; `others`: files that another note told of. */
async function noteOf(
  batches: Batches,
  name: string,
  content: Record<string, string>,
  others: readonly string[] = [],
): Promise<Note> {
  const file = (of: string) => ({ name: of, role: "main" as const, isRows: false });
  const facts = { mtimeMs: 1, inode: 1, lines: 0, replaces: false, keeps: 0 };
  const versions = Object.entries(content).map(async ([of, text]) => {
    const frames: [string, number][] = [[await batches.frame(Buffer.from(text)), text.length]];
    return { ...facts, name: of, size: text.length, frames };
  });
  return {
    type: "session",
    at: 1,
    session: { ...identity(name), parent: null, updated: 1, stamp: name, facts: {} },
    files: [...Object.keys(content), ...others].map(file),
    versions: await Promise.all(versions),
  };
}

function forgetting(name: string): Note {
  return { type: "forget", at: 1, sessions: [identity(name)] };
}
