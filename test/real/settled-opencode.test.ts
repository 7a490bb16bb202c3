// What was carried is at home in OpenCode's store: it is listed, and deleting it leaves nothing behind.
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { settled } from "./settled.ts";

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
  it("lists it with its title, and deletes all of it when it is told to", () =>
    settled("claude", "opencode", async (rig, { path, originalId }, source) => {
      const { stdout } = await rig.run(["session", "list", "--format", "json"]);
      expect(JSON.parse(stdout)).toMatchObject([{ id: originalId, title: source.header.title }]);
      expect(rowsOf(path, originalId).messages).toBeGreaterThan(2);
      await rig.run(["session", "delete", originalId]);
      expect(rowsOf(path, originalId)).toEqual({ messages: 0, parts: 0 });
    }));
});
