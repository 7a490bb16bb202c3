// Sessions in a database are archived as lines of rows, which grow and change as their sessions do.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { pruneArchive } from "../../src/catalog/archive/prune.ts";
import { archivedSessions, readArchived } from "../../src/catalog/archive/read.ts";
import { found, frames, kept, type Place, samplePlace } from "./archived.ts";

const databaseOf = ({ home }: Place) => join(home.dir, ".local/share/opencode/opencode.db");

function change(place: Place, ...statements: string[]): void {
  const database = new DatabaseSync(databaseOf(place));
  for (const sql of statements) database.exec(sql);
  database.exec("UPDATE session SET time_updated = time_updated + 1000");
  database.close();
}

function ask(place: Place, sql: string): Record<string, unknown> {
  const database = new DatabaseSync(databaseOf(place));
  const row = database.prepare(sql).get();
  database.close();
  return row ?? {};
}

async function archived(place: Place) {
  await archiveSessions(place.batonHome, await found(place));
  const session = (await archivedSessions(place.batonHome)).find(
    (one) => one.agent === "opencode" && !one.parent,
  );
  const [rows] = session?.files ?? [];
  if (!session || !rows) throw new Error("nothing of it is archived");
  return { session, name: rows.name };
}

describe("rows of a session", () => {
  it("are one version while it goes on, although its own row and its last message change", async () => {
    const place = await samplePlace();
    const { session, name } = await archived(place);
    const before = (await kept(place, name)) ?? "";
    const last = `(SELECT id FROM message WHERE session_id = '${session.originalId}' ORDER BY time_created DESC, id DESC LIMIT 1)`;
    change(
      place,
      `UPDATE part SET data = json_set(data, '$.later', 1) WHERE message_id = ${last}`,
      `INSERT INTO message SELECT 'msg_zzzz', session_id, time_created + 1, time_updated, data FROM message WHERE id = ${last}`,
    );
    await archived(place);
    const after = (await kept(place, name)) ?? "";
    expect(after.split("\n").length).toBe(before.split("\n").length + 1);
    expect(after).toContain('"later":1');
    expect(await kept(place, name, 1)).toBeUndefined();
  });

  it("keep their older version when one of them is gone", async () => {
    const place = await samplePlace();
    const { session, name } = await archived(place);
    const before = await kept(place, name);
    change(place, `DELETE FROM message WHERE session_id = '${session.originalId}' AND rowid % 2 = 0`);
    await archived(place);
    expect(((await kept(place, name)) ?? "").length).toBeLessThan((before ?? "").length);
    expect((await kept(place, name, 1)) === before).toBe(true);
  });

  it.each([
    [
      "a part of one is gone",
      (id: string) => `DELETE FROM part WHERE id = (SELECT max(id) FROM part WHERE session_id = '${id}')`,
    ],
    [
      "a text of one is another",
      (id: string) =>
        `UPDATE part SET data = json_set(data, '$.text', 'another') WHERE id = (SELECT min(id) FROM part
         WHERE session_id = '${id}' AND data ->> 'type' = 'text')`,
    ],
    [
      "others took the place of some",
      (id: string) =>
        `PRAGMA foreign_keys = OFF; UPDATE message SET id = id || 'z', time_created = time_created + 1e9 WHERE session_id = '${id}' AND rowid % 7 = 0`,
    ],
  ])("keep their older version when %s", async (_, sql) => {
    const place = await samplePlace();
    const { session, name } = await archived(place);
    const before = await kept(place, name);
    change(place, sql(session.originalId));
    await archived(place);
    expect((await kept(place, name)) === before).toBe(false);
    expect((await kept(place, name, 1)) === before).toBe(true);
    await pruneArchive(place.batonHome, { found: await found(place), yes: true });
    expect((await kept(place, name, 1)) === before).toBe(true);
    change(place);
    await archived(place);
    expect(await kept(place, name, 2)).toBeUndefined();
  });

  it("are one version while a tool runs and a text is written", async () => {
    const place = await samplePlace();
    const { session } = await archived(place);
    const tool = `(SELECT max(id) FROM part WHERE session_id = '${session.originalId}' AND data ->> '$.state.status' = 'completed')`;
    const text = `(SELECT max(id) FROM part WHERE session_id = '${session.originalId}' AND data ->> 'type' = 'text')`;
    const state = `'{"status":"running","input":{"a":"b"},"metadata":{"output":"first words"}}'`;
    const { id } = ask(place, `SELECT ${tool} AS id`);
    change(place, `UPDATE part SET data = json_set(data, '$.state', json(${state})) WHERE id = '${id}'`);
    const { name } = await archived(place);
    // What the tool had said before is gone.
    expect(await kept(place, name, 1)).toBeDefined();
    change(
      place,
      `UPDATE part SET data = json_set(data, '$.state.status', 'completed', '$.state.metadata.output', 'other words') WHERE id = '${id}'`,
      `UPDATE part SET data = json_set(data, '$.text', data ->> 'text' || ' and more') WHERE id = ${text}`,
      `UPDATE message SET data = json_set(data, '$.summary', json('{"diffs":["x"]}'))`,
    );
    await archived(place);
    expect(await kept(place, name)).toContain("other words");
    expect(await kept(place, name, 2)).toBeUndefined();
  });

  it("of several frames are compared where they are cut differently", async () => {
    const place = await samplePlace();
    const { session } = await archived(place);
    const id = session.originalId;
    const first = `(SELECT min(id) FROM part WHERE session_id = '${id}' AND data ->> 'type' = 'text')`;
    const grow = `UPDATE part SET data = json_set(data, '$.text', data ->> 'text' || printf('%.*c', 70000, 'x'))
      WHERE session_id = '${id}' AND data ->> 'type' = 'text'`;
    change(place, grow);
    const { name } = await archived(place);
    const before = await kept(place, name);
    expect((await frames(place, name)).length).toBeGreaterThan(3);
    expect(await kept(place, name, 1)).toBeUndefined();
    change(
      place,
      `UPDATE part SET data = json_set(data, '$.text', data ->> 'text' || 'more') WHERE id = ${first}`,
    );
    await archived(place);
    expect(await kept(place, name, 1)).toBeUndefined();
    change(
      place,
      grow.replace("'x'", "'y'"),
      `DELETE FROM part WHERE id = (SELECT max(id) FROM part WHERE session_id = '${id}')`,
    );
    await archived(place);
    expect((await kept(place, name, 1))?.length).toBe((before?.length ?? 0) + "more".length);
  });

  it("are read in any stretch by the session's id", async () => {
    const place = await samplePlace();
    const { session, name } = await archived(place);
    const whole = Buffer.from((await kept(place, name)) ?? "");
    const { agent, originalId, path } = session;
    const piece = await readArchived(place.batonHome, { agent, originalId, path, offset: 1000, length: 500 });
    expect(piece.equals(whole.subarray(1000, 1500))).toBe(true);
  });

  it("change with their session only, not with others of the same database", async () => {
    const place = await samplePlace();
    await archived(place);
    const database = new DatabaseSync(databaseOf(place));
    database.exec("UPDATE session SET time_updated = time_updated + 1000 WHERE parent_id IS NOT NULL");
    database.close();
    const all = await found(place);
    const result = await archiveSessions(place.batonHome, all);
    expect(result).toMatchObject({ updated: 1, unchanged: all.length - 1 });
  });
});
