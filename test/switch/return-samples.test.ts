// Sessions that the real CLIs wrote, with all that they leave behind in a store: turns come back to them more than
// once, and nothing that was there before comes along.
import { describe, expect, it } from "vitest";
import { entryText } from "../../src/session/text.ts";
import { carry } from "../../src/switch/carry.ts";
import { visible } from "../../src/transform/visible.ts";
import { assistant, user } from "../session/build.ts";
import { NAMES, sample } from "./samples.ts";
import { find, goesOn, named, returned, type There, type World } from "./world.ts";

async function carriedTo(world: World, from: There, to: string, kind: "resume" | "fork"): Promise<There> {
  const { ref, source } = await find(world, from);
  const agent = named(to);
  const made = await carry({ ...world, source, from: ref, to: agent, cwd: world.home.dir, kind, yes: true });
  return { agent, id: made.originalId };
}

/** What the model would see, calls included. */
async function told(world: World, there: There): Promise<string[]> {
  const entries = await Array.fromAsync(visible((await find(world, there)).source).entries());
  return entries.filter(({ type }) => type !== "system" && type !== "switch").map(entryText);
}

/** Claude Code sends a call that was cut off only while nothing follows it, or with a result. */
const ANSWERED: Readonly<Record<(typeof NAMES)[number], readonly string[]>> = {
  claude: ["[Tool call was interrupted; no result was recorded]"],
  codex: [],
  gemini: [],
  opencode: [],
};

describe.each(NAMES)("the session of %s", (name) => {
  it("takes turns back twice, and nothing else", async () => {
    const { world, original } = await sample(name);
    const there = await carriedTo(world, original, name === "claude" ? "codex" : "claude", "resume");
    const before = await told(world, original);
    await goesOn(world, there, [user("u1"), assistant("a1")]);
    const first = await returned(world, there);
    expect(await told(world, first.there)).toEqual([...before, ...ANSWERED[name], "says u1", "replies a1"]);
    await goesOn(world, there, [user("u2"), assistant("a2")]);
    const second = await returned(world, there);
    expect(second).toMatchObject({ originalId: first.originalId, isExtended: true, warnings: [] });
    const after = ["says u1", "replies a1", "says u2", "replies a2"];
    expect(await told(world, first.there)).toEqual([...before, ...ANSWERED[name], ...after]);
  });

  it("takes nothing back from a fork of its own", async () => {
    const { world, original } = await sample(name);
    const fork = await carriedTo(world, original, name, "fork");
    await expect(returned(world, fork)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining(`is a fork of ${name}:${original.id}`),
    });
  });
});
