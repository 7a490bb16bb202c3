// A session that its CLI has deleted comes back as it was, once, and can be taken away again.
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { archivedNamed } from "../../src/catalog/archive/find.ts";
import { withArchived } from "../../src/catalog/archive/open.ts";
import { type ArchivedSession, archivedSessions } from "../../src/catalog/archive/read.ts";
import { type Restored, restoreSession } from "../../src/catalog/archive/restore.ts";
import { collect } from "../../src/session/source.ts";
import { undo } from "../../src/storage/undo.ts";
import { found, lines, logPath, newPlace, type Place, samplePlace, write } from "./archived.ts";

const AGENTS = ["claude", "codex", "gemini", "opencode"];

async function mainOf(place: Place, agent: string): Promise<ArchivedSession> {
  const all = await archivedSessions(place.batonHome);
  const session = all.find((one) => one.agent === agent && one.parent === undefined);
  if (!session) throw new Error(`nothing of ${agent} is archived`);
  return session;
}

function adapterOf(agent: string) {
  const adapter = adapters.find(({ id }) => id === agent);
  if (!adapter) throw new Error(agent);
  return adapter;
}

/** Everything of the session and its subagents, as their CLI would delete it. */
async function deleteNative(place: Place, session: ArchivedSession): Promise<void> {
  for (const { path, isRows, name } of session.files) {
    if (!isRows && !name.endsWith(".project_root")) rmSync(path);
    if (!isRows) continue;
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: true });
    database
      .prepare("DELETE FROM session WHERE id = ? OR parent_id = ?")
      .run(session.originalId, session.originalId);
    database.close();
  }
  // Resuming leaves files of the same session with nothing in them.
  for (let again = 0; again < 5; again++)
    for (const { ref } of await found(place))
      if (ref.agent === "gemini" && ref.agent === session.agent) rmSync(ref.path, { force: true });
  for (const { ref } of await found(place))
    if (ref.agent === session.agent && ref.parent === session.originalId) rmSync(ref.path, { force: true });
}

async function restored(place: Place, session: ArchivedSession, dryRun = false): Promise<Restored> {
  return restoreSession({
    session,
    all: await archivedSessions(place.batonHome),
    found: await found(place),
    adapter: adapterOf(session.agent),
    home: place.home,
    batonHome: place.batonHome,
    dryRun,
  });
}

/** What its adapter reads, without what a new place or time changes. */
async function contentOf(place: Place, agent: string, originalId: string) {
  for (const { adapter, ref } of await found(place))
    if (ref.agent === agent && ref.originalId === originalId) {
      const { metadata, ...session } = await collect(await adapter.open(ref));
      return { ...session, messages: metadata.messageCount };
    }
  return undefined;
}

describe.each(AGENTS)("a session of %s", (agent) => {
  it("comes back with everything, and undo takes it away again", async () => {
    const place = await samplePlace();
    const { batonHome } = place;
    await archiveSessions(batonHome, await found(place));
    const session = await mainOf(place, agent);
    const before = await contentOf(place, agent, session.originalId);
    expect(before?.timeline.length).toBeGreaterThan(5);
    await deleteNative(place, session);
    expect(await contentOf(place, agent, session.originalId)).toBeUndefined();
    const preview = await restored(place, session, true);
    expect(preview.operation).toBeNull();
    expect(await contentOf(place, agent, session.originalId)).toBeUndefined();
    const result = await restored(place, session);
    expect(result).toMatchObject({ agent, originalId: session.originalId, files: preview.files });
    expect(result.command?.argv).toContain(session.originalId);
    expect(await contentOf(place, agent, session.originalId)).toEqual(before);
    expect(Date.now() - statSync(result.path).mtimeMs).toBeLessThan(60_000);
    await undo(batonHome, result.operation ?? "");
    expect(await contentOf(place, agent, session.originalId)).toBeUndefined();
  });

  it("is opened from the archive as from its store", async () => {
    const place = await samplePlace();
    const { batonHome } = place;
    await archiveSessions(batonHome, await found(place));
    const session = await mainOf(place, agent);
    const before = await contentOf(place, agent, session.originalId);
    await deleteNative(place, session);
    const all = await archivedSessions(batonHome);
    const there = { batonHome, adapter: adapterOf(agent), session, all };
    const [content, folder] = await withArchived(there, async (source, ref) => {
      const { metadata, ...rest } = await collect(source);
      return [{ ...rest, messages: metadata.messageCount }, dirname(ref.path)] as const;
    });
    expect(content).toEqual(before);
    expect(existsSync(folder)).toBe(false);
  });
});

describe("restoring", () => {
  it("never writes over a file", async () => {
    const place = newPlace();
    const path = write(logPath(place), lines(3, 1));
    await archiveSessions(place.batonHome, await found(place));
    const [session] = await archivedSessions(place.batonHome);
    rmSync(path);
    writeFileSync(path, "");
    await expect(restored(place, session!)).rejects.toMatchObject({ code: "refused" });
    expect(readFileSync(path, "utf8")).toBe("");
  });

  it("leaves nothing behind where a frame is damaged", async () => {
    const place = newPlace();
    const path = write(logPath(place), lines(1500, 1));
    await archiveSessions(place.batonHome, await found(place));
    const pack = join(place.batonHome, "archive", "pack-000001-0.zst");
    const bytes = readFileSync(pack);
    bytes[bytes.length >> 1]! ^= 0xff;
    writeFileSync(pack, bytes);
    rmSync(path);
    const [session] = await archivedSessions(place.batonHome);
    await expect(restored(place, session!)).rejects.toMatchObject({ code: "damaged" });
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(place.batonHome, "operations"))).toBe(false);
  });

  it("brings back a file that was put beside others, with the name that the user gave it", async () => {
    const place = await samplePlace();
    const index = write(
      join(place.home.dir, ".codex", "session_index.jsonl"),
      `${JSON.stringify({ id: "other", thread_name: "Other" })}\n`,
    );
    const id =
      (await found(place)).find(({ ref }) => ref.agent === "codex" && !ref.parent)?.ref.originalId ?? "";
    const before = readFileSync(index, "utf8");
    await archiveSessions(place.batonHome, await found(place));
    // Nothing else of the session changes.
    writeFileSync(index, `${before}${JSON.stringify({ id, thread_name: "A name of mine" })}\n`);
    await archiveSessions(place.batonHome, await found(place));
    const session = await mainOf(place, "codex");
    await deleteNative(place, session);
    writeFileSync(index, before);
    const { operation } = await restored(place, session);
    expect((await contentOf(place, "codex", id))?.title).toBe("A name of mine");
    await undo(place.batonHome, operation ?? "");
    expect(readFileSync(index, "utf8")).toBe(before);
  });

  it("makes an old session one of today, for the agent that goes by what stands in it", async () => {
    const place = await samplePlace();
    await archiveSessions(place.batonHome, await found(place));
    const session = await mainOf(place, "gemini");
    await deleteNative(place, session);
    rmSync(join(place.home.dir, ".gemini", "tmp", "project", ".project_root"));
    const { path } = await restored(place, session);
    const last = JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "");
    expect(Date.now() - Date.parse(last.$set.lastUpdated)).toBeLessThan(60_000);
    expect(path).toContain(session.originalId);
    const marker = join(place.home.dir, ".gemini", "tmp", "project", ".project_root");
    expect(readFileSync(marker, "utf8")).toBe("/home/dev/project");
  });
});

describe("the name of an archived session", () => {
  it("is an id, a beginning of it, the agent's own id, or its path", async () => {
    const place = await samplePlace();
    await archiveSessions(place.batonHome, await found(place));
    const all = await archivedSessions(place.batonHome);
    const session = await mainOf(place, "claude");
    for (const name of [session.id, session.id.slice(0, 6), `claude:${session.originalId}`, session.path])
      expect(archivedNamed(name, all, adapters)).toEqual(session);
    expect(() => archivedNamed("00000000-0000-4000", all, adapters)).toThrowError(
      /means \d+ archived sessions/,
    );
    expect(() => archivedNamed("nothing", all, adapters)).toThrowError(/No archived session is called/);
    expect(() => archivedNamed("nobody:0000", all, adapters)).toThrowError(/no agent called/);
  });

  it("means the newest where several places had the same session", async () => {
    const place = newPlace();
    const old = write(logPath(place), lines(3, 1));
    utimesSync(old, new Date(0), new Date(1000));
    const young = write(logPath(place, undefined, "-copied"), lines(4, 1));
    await archiveSessions(place.batonHome, await found(place));
    const all = await archivedSessions(place.batonHome);
    expect(archivedNamed("00000000-0000", all, adapters).path).toBe(young);
    expect(archivedNamed(old, all, adapters).path).toBe(old);
  });
});
