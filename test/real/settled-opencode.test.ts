// What was carried is at home in OpenCode's store: it is listed, and deleting it leaves nothing behind.
import { readdir } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { carryInto, withSession } from "./carry.ts";
import { openRig } from "./harness.ts";
import { adapterOf } from "./read.ts";
import { settled } from "./settled.ts";
import { setTraps } from "./traps.ts";

function rowsOf(path: string, id: string): { messages: number; parts: number } {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const count = (table: string) =>
      Number(database.prepare(`SELECT count(*) n FROM ${table} WHERE session_id = ?`).get(id)?.n);
    return { messages: count("message"), parts: count("part") };
  } finally {
    database.close();
  }
}

describe("OpenCode", () => {
  it("imports it where there is no database yet, and runs and fetches nothing of the project's", async () => {
    const rig = await openRig("opencode");
    try {
      const traps = await setTraps(rig);
      const before = (await readdir(rig.cwd, { recursive: true })).sort();
      const made = await withSession("claude", "tools", (source) =>
        carryInto(source, adapterOf("opencode"), rig.home, rig.cwd, rig.cli),
      );
      expect(rowsOf(made.path, made.originalId).messages).toBeGreaterThan(2);
      expect(await traps.sprung()).toEqual([]);
      expect((await readdir(rig.cwd, { recursive: true })).sort()).toEqual(before);
      // The traps are real.
      await rig.resume(made.originalId, "Still there?", [{ text: "Yes" }]);
      expect(await traps.sprung()).toEqual(traps.all);
    } finally {
      await rig.close();
    }
  });

  it("lists it with its title, and deletes all of it when it is told to", () =>
    settled("claude", "opencode", async (rig, { path, originalId }, source) => {
      const { stdout } = await rig.run(["session", "list", "--format", "json"]);
      expect(JSON.parse(stdout)).toMatchObject([{ id: originalId, title: source.header.title }]);
      expect(rowsOf(path, originalId).messages).toBeGreaterThan(2);
      await rig.run(["session", "delete", originalId]);
      expect(rowsOf(path, originalId)).toEqual({ messages: 0, parts: 0 });
    }));
});
