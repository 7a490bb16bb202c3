// The archive keeps every byte, once, whatever becomes of the files.
import {
  appendFileSync,
  cpSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { goneAmong } from "../../src/catalog/archive/gone.ts";
import { archivedSessions, readArchived } from "../../src/catalog/archive/read.ts";
import { found, frameCount, frames, kept, lines, logPath, newPlace, samplePlace, write } from "./archived.ts";

describe("what was archived", () => {
  it("is every file of every session, as it is on the disk", async () => {
    const place = await samplePlace();
    const all = await found(place);
    const result = await archiveSessions(place.batonHome, all);
    expect(result).toMatchObject({ added: all.length, updated: 0, unchanged: 0, problems: [] });
    const sessions = await archivedSessions(place.batonHome);
    expect(sessions.map(({ agent, originalId }) => `${agent}:${originalId}`).toSorted()).toEqual(
      all.map(({ ref }) => `${ref.agent}:${ref.originalId}`).toSorted(),
    );
    const files = sessions.flatMap((session) => session.files).filter(({ isRows }) => !isRows);
    expect(files.length).toBeGreaterThan(5);
    for (const { path, name } of files)
      expect((await kept(place, name)) === readFileSync(path, "utf8")).toBe(true);
    expect(files.some(({ path }) => path.endsWith(".meta.json"))).toBe(true);
  });

  it("costs nothing again while nothing changed", async () => {
    const place = await samplePlace();
    const all = await found(place);
    await archiveSessions(place.batonHome, all);
    expect(await archiveSessions(place.batonHome, await found(place))).toMatchObject({
      added: 0,
      updated: 0,
      unchanged: all.length,
      read: 0,
      written: 0,
    });
  });

  it("is for nobody else's eyes", async () => {
    const place = await samplePlace();
    await archiveSessions(place.batonHome, await found(place));
    const folder = join(place.batonHome, "archive");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of ["index.db", "pack-000001-0.zst"])
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it("is read in any stretch, also across frames", async () => {
    const place = newPlace();
    const content = lines(3000, 1);
    const path = write(logPath(place), content);
    await archiveSessions(place.batonHome, await found(place));
    for (const [offset, length] of [
      [0, 10],
      [(1 << 20) - 500, 1000],
      [content.length - 7, 100],
      [content.length + 5, 5],
      [0, content.length],
    ] as const) {
      const piece = await readArchived(place.batonHome, { agent: "claude", path, offset, length });
      expect(piece.toString("utf8")).toBe(content.slice(offset, offset + length));
    }
    const missing = readArchived(place.batonHome, {
      agent: "claude",
      path: "/nowhere",
      offset: 0,
      length: 1,
    });
    await expect(missing).rejects.toMatchObject({ code: "not_found" });
  });

  it("shows which sessions are gone from the stores", async () => {
    const place = newPlace();
    write(logPath(place), lines(2, 1));
    const other = write(logPath(place, "00000000-0000-4000-8000-00000000000b"), lines(2, 2));
    await archiveSessions(place.batonHome, await found(place));
    renameSync(other, `${other}.away`);
    const gone = await goneAmong(
      place.batonHome,
      await archivedSessions(place.batonHome),
      await found(place),
    );
    expect(gone.map(({ path }) => path)).toEqual([other]);
  });
});

describe("a file that grows", () => {
  it("is the same archive after every step as after one, and only its last frame is new", async () => {
    const whole = lines(4000, 3);
    const steps = [10, 900_000, 1_048_576, 1_048_600, 2_000_000, 2_000_001, 3_500_000, whole.length];
    const place = newPlace();
    const path = logPath(place);
    let before: string[] = [];
    for (const [at, size] of steps.entries()) {
      const from = steps[at - 1] ?? 0;
      if (at === 0) write(path, whole.slice(0, size));
      else appendFileSync(path, whole.slice(from, size));
      await archiveSessions(place.batonHome, await found(place));
      expect((await kept(place, path)) === whole.slice(0, size)).toBe(true);
      const now = await frames(place, path);
      expect(now.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1));
      before = now;
    }
    expect(await kept(place, path, 1)).toBeUndefined();
    const once = newPlace();
    write(logPath(once), whole);
    await archiveSessions(once.batonHome, await found(once));
    expect(await frames(once, logPath(once))).toEqual(before);
    expect(before.length).toBeGreaterThan(3);
  });

  it("has frames that end with a line, unless a line is longer than one", async () => {
    const place = newPlace();
    const path = write(
      logPath(place),
      `${lines(1500, 4)}{"content":"${"x".repeat(3 << 20)}"}\n${lines(10, 5)}`,
    );
    await archiveSessions(place.batonHome, await found(place));
    expect((await kept(place, path)) === readFileSync(path, "utf8")).toBe(true);
    const sizes = (await archivedSessions(place.batonHome)).map(({ size }) => size);
    expect(sizes).toEqual([statSync(path).size]);
    expect((await frames(place, path)).length).toBeGreaterThan(4);
  });
});

describe("a file that is not what it was", () => {
  it("keeps its older version when it is cut", async () => {
    const place = newPlace();
    const content = lines(2000, 6);
    const path = write(logPath(place), content);
    await archiveSessions(place.batonHome, await found(place));
    truncateSync(path, 1_500_000);
    const result = await archiveSessions(place.batonHome, await found(place));
    expect(result).toMatchObject({ updated: 1 });
    expect((await kept(place, path)) === content.slice(0, 1_500_000)).toBe(true);
    expect((await kept(place, path, 1)) === content).toBe(true);
  });

  it("keeps it when another file takes its place, also a longer one", async () => {
    const place = newPlace();
    const [first, second] = [lines(20, 7), lines(30, 8)];
    const path = write(logPath(place), first);
    await archiveSessions(place.batonHome, await found(place));
    write(path, second);
    await archiveSessions(place.batonHome, await found(place));
    expect((await kept(place, path)) === second).toBe(true);
    expect((await kept(place, path, 1)) === first).toBe(true);
  });

  it("keeps it when something in its middle was changed while it grew", async () => {
    const place = newPlace();
    const content = lines(5000, 9);
    const path = write(logPath(place), content);
    await archiveSessions(place.batonHome, await found(place));
    const changed = `${content.slice(0, 2_500_000)}CHANGED${content.slice(2_500_007)}${lines(1, 10)}`;
    write(path, changed);
    await archiveSessions(place.batonHome, await found(place));
    expect((await kept(place, path)) === changed).toBe(true);
    expect((await kept(place, path, 1)) === content).toBe(true);
  });

  it("has no older version where only its time changed, or it was copied back", async () => {
    const place = newPlace();
    const path = write(logPath(place), lines(1200, 11));
    await archiveSessions(place.batonHome, await found(place));
    const count = await frameCount(place);
    utimesSync(path, new Date(), new Date(Date.now() + 5000));
    await archiveSessions(place.batonHome, await found(place));
    cpSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    await archiveSessions(place.batonHome, await found(place));
    expect(await kept(place, path, 1)).toBeUndefined();
    expect(await frameCount(place)).toBe(count);
  });
});

describe("equal content", () => {
  it("is stored once, in a project that was copied and in files that begin alike", async () => {
    const place = newPlace();
    const content = lines(2500, 12);
    const path = write(logPath(place), content);
    const first = await archiveSessions(place.batonHome, await found(place));
    const count = await frameCount(place);
    const copy = write(logPath(place, undefined, "-copied"), content);
    const forked = write(logPath(place, "00000000-0000-4000-8000-00000000000c"), content + lines(1, 13));
    const second = await archiveSessions(place.batonHome, await found(place));
    expect(second).toMatchObject({ added: 2 });
    expect(await frames(place, copy)).toEqual(await frames(place, path));
    expect((await kept(place, forked)) === content + lines(1, 13)).toBe(true);
    expect(await frameCount(place)).toBe(count + 1);
    expect(second.written).toBeLessThan(first.written / 2);
  });
});
