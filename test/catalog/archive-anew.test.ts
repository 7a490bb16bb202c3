// The manifest is what all notes of the packs come to: made anew from them, it says what it said before.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { damagedSessions } from "../../src/catalog/archive/check.ts";
import { collect } from "../../src/catalog/archive/collect.ts";
import { writeIndex } from "../../src/catalog/archive/manifest.ts";
import type { Note } from "../../src/catalog/archive/notes.ts";
import { pruneArchive } from "../../src/catalog/archive/prune.ts";
import { archivedSessions } from "../../src/catalog/archive/read.ts";
import { type Batches, newBatches } from "../../src/catalog/archive/write.ts";
import { found, kept, newPlace, type Place, samplePlace } from "./archived.ts";

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
