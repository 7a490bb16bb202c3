// Turns that come back to a session in which the user went back: OpenCode would remove them with the next prompt, so
// they go into a new session behind what is still there.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { adapters } from "../../../src/adapters/index.ts";
import { sourceOf } from "../../../src/session/source.ts";
import { perform } from "../../../src/switch/perform.ts";
import { bringBack } from "../../../src/switch/return.ts";
import { assistant, session, user } from "../../session/build.ts";
import { begun, carried, find, named, newWorld, seen, type There, type World } from "../../switch/world.ts";

const BEGINNING = [user("u1"), assistant("a1"), user("u2"), assistant("a2")];
const MORE = [user("u3"), assistant("a3")];

/** As if the user had gone back to before the second prompt. */
async function goesBack(world: World, there: There): Promise<void> {
  const { ref } = await find(world, there);
  const database = new DatabaseSync(ref.path);
  const rows = database.prepare("SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id");
  const revert = JSON.stringify({ messageID: rows.all(there.id)[2]?.id, snapshot: "x", diff: "" });
  database.prepare("UPDATE session SET revert = ? WHERE id = ?").run(revert, there.id);
  database.close();
}

async function goesOn(world: World, there: There): Promise<void> {
  const { ref, source } = await find(world, there);
  await perform({
    stream: sourceOf(session(MORE)),
    to: there.agent,
    target: {
      home: world.home,
      originalId: there.id,
      cwd: source.header.project.path,
      version: "1.0.0",
      now: new Date(),
      configuration: { mcpServers: [] },
      onto: { ref },
    },
    batonHome: join(world.home.dir, "elsewhere"),
    facts: { kind: "resume", source: "nowhere:1" },
  });
}

it.each([
  ["before", ["says u1", "replies a1", "says u3", "replies a3"]],
  ["after", ["says u1", "replies a1", "says u2", "replies a2", "says u3", "replies a3"]],
])("one who went back %s the session was carried gets a new one, which is said", async (when, expected) => {
  const world = await newWorld();
  const original = await begun(world, named("opencode"), BEGINNING);
  if (when === "before") await goesBack(world, original);
  const there = await carried(world, original, named("claude"));
  if (when === "after") await goesBack(world, original);
  await goesOn(world, there);
  const { ref, source } = await find(world, there);
  const back = await bringBack({ ...world, source, ref, adapters });
  expect(back).toMatchObject({ agent: "opencode", isExtended: false });
  expect(back.originalId).not.toBe(original.id);
  expect(back.warnings).toContain(
    `The turns go into a new OpenCode session, because the original was taken back in OpenCode and not gone on with. opencode:${original.id} stays as it is.`,
  );
  expect(await seen(world, { agent: named("opencode"), id: back.originalId })).toEqual(expected);
  // The original is as it was.
  expect(await seen(world, original)).toEqual(["says u1", "replies a1"]);
});
