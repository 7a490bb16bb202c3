// Sessions of every other agent, carried into one home: the CLI's own list shows each with its title, and each is
// still there and goes on after the CLI has been used for something else.
import { afterAll, describe, expect, it } from "vitest";
import type { Source } from "../../src/session/source.ts";
import { entryText } from "../../src/session/text.ts";
import { visible } from "../../src/transform/visible.ts";
import { carryInto, recordings } from "./carry.ts";
import { openRig, type Rig } from "./harness.ts";
import { type CliName, NAMES } from "./install.ts";
import { listing } from "./picker.ts";
import { adapterOf } from "./read.ts";

/** What a session of the first, second … other agent is about. */
const KINDS = ["plain", "tools", "orphaned"] as const;

/** Made once for all that they are carried into. */
const sessions = Object.fromEntries(NAMES.map((name) => [name, recordings(name)])) as Record<
  CliName,
  ReturnType<typeof recordings>
>;
afterAll(async () => {
  for (const { close } of Object.values(sessions)) await close();
});

describe.each(NAMES)("what was carried into %s", (name) => {
  it("is listed with its title, stays, and goes on", async ({ skip }) => {
    skip(process.platform !== "linux", "a picker needs a terminal, made here by util-linux's script");
    const others = NAMES.filter((one) => one !== name);
    const rig = await openRig(name);
    try {
      const all: { id: string; title: string }[] = [];
      for (const [at, from] of others.entries()) all.push(await carried(rig, from, KINDS[at] ?? "plain"));
      const shown = await listing(rig, all[0]?.title ?? "");
      for (const { title } of all) expect(shown).toContain(title);
      await rig.start("Something else", [{ text: "Slowly but surely.", pace: 400 }]);
      for (const { id } of all)
        expect(await rig.resume(id, "Still there?", [{ text: "Yes" }])).toMatchObject({ id, exitCode: 0 });
    } finally {
      await rig.close();
    }
  });
});

async function carried(rig: Rig, from: CliName, kind: string): Promise<{ id: string; title: string }> {
  const source = await sessions[from].open(kind);
  const made = await carryInto(source, adapterOf(rig.name), rig.home, rig.cwd, rig.cli);
  const title = source.header.title ?? "";
  const isLost = title === "" || made.losses.some((one) => one.detail.includes(`the title "${title}"`));
  return { id: made.originalId, title: isLost ? await firstPrompt(source) : title };
}

/** What is shown of a session without a name, or whose name was reported as lost. */
async function firstPrompt(source: Source): Promise<string> {
  for await (const entry of visible(source).entries())
    if (entry.type === "user" && !entry.injected) return entryText(entry);
  throw new Error("A session without a title and without a question");
}
