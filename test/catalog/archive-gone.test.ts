// What is gone is told by the place and by the bytes: a session that was moved is not, one of which another place has
// less is.
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync } from "node:fs";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { adoptGone } from "../../src/catalog/archive/adopt.ts";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { archivedNamed } from "../../src/catalog/archive/find.ts";
import { goneAmong } from "../../src/catalog/archive/gone.ts";
import { pruneArchive } from "../../src/catalog/archive/prune.ts";
import { type ArchivedSession, archivedSessions } from "../../src/catalog/archive/read.ts";
import { restoreSession } from "../../src/catalog/archive/restore.ts";
import { discardCatalog, openCatalog } from "../../src/catalog/catalog.ts";
import { listSessions } from "../../src/catalog/query.ts";
import { sync } from "../../src/catalog/sync.ts";
import { found, kept, lines, logPath, newPlace, type Place, samplePlace, write } from "./archived.ts";

async function gone(place: Place): Promise<ArchivedSession[]> {
  const { batonHome } = place;
  return goneAmong(batonHome, await archivedSessions(batonHome), await found(place));
}

async function archived(place: Place): Promise<void> {
  await archiveSessions(place.batonHome, await found(place));
}

/** Two places have the same session, one of them only its beginning, and the longer one goes. */
async function halfGone(): Promise<{ place: Place; long: string; short: string; content: string }> {
  const place = newPlace();
  const content = lines(9, 1);
  const long = write(logPath(place, undefined, "-shop"), content);
  const short = write(logPath(place, undefined, "-shop-wt"), content.slice(0, content.length / 3));
  await archived(place);
  rmSync(long);
  return { place, long, short, content };
}

describe("a session of which another place has only a part", () => {
  it("is gone, and is not pruned by itself", async () => {
    const { place, long, short, content } = await halfGone();
    expect((await gone(place)).map(({ path }) => path)).toEqual([long]);
    const pruned = await pruneArchive(place.batonHome, {
      found: await found(place),
      agents: ["claude"],
      yes: true,
    });
    expect(pruned).toMatchObject({ sessions: [{ path: short }], kept: [{ path: long, gone: true }] });
    expect((await kept(place, long)) === content).toBe(true);
  });

  it("is restored, and is meant by the id that both have", async () => {
    const { place, long, content } = await halfGone();
    const { home, batonHome } = place;
    const all = await archivedSessions(batonHome);
    const [adapter] = adapters;
    const session = archivedNamed(
      all[0]?.id ?? "",
      all,
      adapters,
      await goneAmong(batonHome, all, await found(place)),
    );
    expect(session.path).toBe(long);
    const request = { session, all, found: await found(place), adapter: adapter!, home, batonHome };
    expect((await restoreSession(request)).path).toBe(long);
    expect(readFileSync(long, "utf8") === content).toBe(true);
    expect(await gone(place)).toEqual([]);
  });

  it("comes back into a catalog that was made anew", async () => {
    const { place, long, short } = await halfGone();
    const { home, batonHome } = place;
    discardCatalog(batonHome);
    const catalog = openCatalog(batonHome);
    await sync(catalog, home, adapters, { words: true });
    expect(await adoptGone(catalog, batonHome, adapters, await found(place))).toBe(1);
    expect(await adoptGone(catalog, batonHome, adapters, await found(place))).toBe(0);
    const { sessions } = listSessions(catalog, { archived: true });
    expect(sessions.map((one) => [one.path, one.gone !== undefined]).toSorted()).toEqual(
      [
        [short, false],
        [long, true],
      ].toSorted(),
    );
    catalog.close();
  });
});

describe("a session that was moved", () => {
  it.each([
    ["as it was", (path: string) => utimesSync(path, new Date(5000), new Date(5000))],
    ["and has grown since", (path: string) => appendFileSync(path, lines(400, 8))],
  ])("is not gone: %s", async (_, then) => {
    const place = newPlace();
    const old = write(logPath(place, undefined, "-old"), lines(1500, 1));
    await archived(place);
    const moved = logPath(place, undefined, "-new");
    renameSync(dirname(old), dirname(moved));
    expect(await gone(place)).toEqual([]);
    then(moved);
    expect(await gone(place)).toEqual([]);
    await archived(place);
    expect(await gone(place)).toEqual([]);
  });

  it("is gone where it was changed in its middle, or cut", async () => {
    const place = newPlace();
    const content = lines(1500, 1);
    const old = write(logPath(place, undefined, "-old"), content);
    await archived(place);
    rmSync(old);
    const moved = logPath(place, undefined, "-new");
    for (const other of [content.replace('"n":700,', '"n":707,'), content.slice(0, -900)]) {
      write(moved, other);
      expect((await gone(place)).map(({ path }) => path)).toEqual([old]);
    }
  });

  it("is not gone where its CLI put it away", async () => {
    const place = await samplePlace();
    await archived(place);
    const { ref } = (await found(place)).find(({ ref }) => ref.agent === "codex" && !ref.parent)!;
    const away = join(place.home.dir, ".codex", "archived_sessions");
    mkdirSync(away, { recursive: true });
    renameSync(ref.path, join(away, ref.path.split("/").at(-1)!));
    expect(await gone(place)).toEqual([]);
  });

  it("is not gone where its database lies elsewhere, but is where that has less", async () => {
    const place = await samplePlace();
    await archived(place);
    const rows = (await archivedSessions(place.batonHome)).filter(({ agent }) => agent === "opencode");
    const data = join(place.home.dir, ".local", "share", "opencode");
    const elsewhere = join(place.home.dir, "elsewhere");
    await cp(data, join(elsewhere, "opencode"), { recursive: true });
    rmSync(data, { recursive: true });
    const moved = { ...place, home: { ...place.home, env: { XDG_DATA_HOME: elsewhere } } };
    expect((await found(moved)).some(({ ref }) => ref.path.startsWith(elsewhere))).toBe(true);
    expect(rows.length).toBeGreaterThan(0);
    expect((await gone(moved)).filter(({ agent }) => agent === "opencode")).toEqual([]);
    const database = new DatabaseSync(join(elsewhere, "opencode", "opencode.db"));
    database.exec("DELETE FROM part WHERE id IN (SELECT id FROM part ORDER BY id DESC LIMIT 1)");
    database.close();
    expect((await gone(moved)).filter(({ agent }) => agent === "opencode")).toHaveLength(1);
  });

  it("is not gone where it was restored under another name", async () => {
    const place = await samplePlace();
    const { home, batonHome } = place;
    await archived(place);
    const all = await archivedSessions(batonHome);
    rmSync(join(home.dir, ".gemini", "tmp"), { recursive: true });
    const before = (await gone(place)).filter(({ agent }) => agent === "gemini");
    const adapter = adapters.find(({ id }) => id === "gemini")!;
    const session = before.find(({ parent }) => parent === undefined)!;
    const { path } = await restoreSession({
      session,
      all,
      found: await found(place),
      adapter,
      home,
      batonHome,
    });
    expect(path).not.toBe(session.path);
    expect((await gone(place)).some((one) => one.path === session.path)).toBe(false);
  });
});
