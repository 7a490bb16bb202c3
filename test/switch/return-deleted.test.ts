// OpenCode deletes what was taken back as soon as the session goes on: others stand in its place then, and the rest
// is as it was.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { assistant, user } from "../session/build.ts";
import { begun, carried, goesOn, named, newWorld, returned, seen, type There, type World } from "./world.ts";

const TURNS = [1, 2, 3, 4, 5, 6].flatMap((n) => [user(`u${n}`), assistant(`a${n}`)]);
const KEPT = [1, 2, 3, 4, 5].flatMap((n) => [`says u${n}`, `replies a${n}`]);

function takeBack({ home }: World, { id }: There, prompt: string): void {
  const database = new DatabaseSync(join(home.dir, ".local/share/opencode/opencode.db"));
  try {
    const found = database
      .prepare("SELECT message_id FROM part WHERE session_id = ? AND data LIKE ?")
      .get(id, `%${prompt}%`);
    const from = String(found?.message_id);
    database.prepare("DELETE FROM part WHERE session_id = ? AND message_id >= ?").run(id, from);
    const { changes } = database
      .prepare("DELETE FROM message WHERE session_id = ? AND id >= ?")
      .run(id, from);
    expect(changes).toBe(2);
  } finally {
    database.close();
  }
}

describe("turns that OpenCode took back and made anew", () => {
  it.each([1, 2])("return behind what both still have (%s of them)", async (count) => {
    const world = await newWorld();
    const a = await begun(world, named("claude"), TURNS);
    const b = await carried(world, a, named("opencode"));
    takeBack(world, b, "says u6");
    await goesOn(world, b, [user("v6"), assistant("v6")]);
    if (count > 1) await goesOn(world, b, [user("v7"), assistant("v7")]);
    const back = await returned(world, b);
    expect(back).toMatchObject({ originalId: a.id, isNothing: false, isExtended: true });
    expect(back.warnings.join()).toContain("taken back");
    const more = count > 1 ? ["says v7", "replies v7"] : [];
    expect(await seen(world, a)).toEqual([...KEPT, "says v6", "replies v6", ...more]);
  });

  it("in the original stay its own: what was made elsewhere becomes a session with all of it", async () => {
    const world = await newWorld();
    const a = await begun(world, named("opencode"), TURNS);
    const b = await carried(world, a, named("claude"));
    takeBack(world, a, "says u6");
    await goesOn(world, a, [user("v6"), assistant("v6")]);
    await goesOn(world, b, [user("u7"), assistant("a7")]);
    const back = await returned(world, b);
    expect(back.isExtended).toBe(false);
    expect(back.warnings.join()).toContain("no longer holds what was carried");
    expect(await seen(world, a)).toEqual([...KEPT, "says v6", "replies v6"]);
    expect(await seen(world, back.there)).toEqual([
      ...[...KEPT, "says u6", "replies a6"],
      ...["says u7", "replies a7"],
    ]);
  });
});
