// Sessions of every other agent, carried into one home: the CLI's own list shows each with its title, and each is
// still there and goes on after the CLI has been used for something else.
import { describe, expect, it } from "vitest";
import { carryInto, withSession } from "./carry.ts";
import { openRig, type Rig } from "./harness.ts";
import { type CliName, NAMES } from "./install.ts";
import { listing } from "./picker.ts";
import { adapterOf } from "./read.ts";

/** By which kind, and under which title, a session of the first, second … other agent is recognised. */
const KINDS = [
  ["plain", "Grüße, 世界 🌍! What is 6 × 7?"],
  ["tools", "Use your tools"],
  ["orphaned", "Run something long"],
] as const;

describe.each(NAMES)("what was carried into %s", (name) => {
  it("is listed with its title, stays, and goes on", async ({ skip }) => {
    skip(process.platform !== "linux", "a picker needs a terminal, made here by util-linux's script");
    const others = NAMES.filter((one) => one !== name);
    const rig = await openRig(name);
    try {
      const ids: string[] = [];
      const kinds = KINDS.slice(0, others.length);
      for (const [at, [kind]] of kinds.entries()) ids.push(await carried(rig, others[at] as CliName, kind));
      const shown = await listing(rig, kinds[0]?.[1] ?? "");
      for (const [, title] of kinds) expect(shown).toContain(title);
      await rig.start("Something else", [{ text: "Slowly but surely.", pace: 400 }]);
      for (const id of ids)
        expect(await rig.resume(id, "Still there?", [{ text: "Yes" }])).toMatchObject({ id, exitCode: 0 });
    } finally {
      await rig.close();
    }
  });
});

async function carried(rig: Rig, from: CliName, kind: string): Promise<string> {
  return withSession(from, kind, async (source) => {
    const { originalId } = await carryInto(source, adapterOf(rig.name), rig.home, rig.cwd, rig.cli);
    return originalId;
  });
}
