// A session of one agent, carried into a rig of another, where its real CLI is then used as a user would.
import type { Source } from "../../src/session/source.ts";
import type { Carried } from "../../src/switch/perform.ts";
import { carryInto, withSession } from "./carry.ts";
import { openRig, type Rig } from "./harness.ts";
import type { CliName } from "./install.ts";
import { adapterOf } from "./read.ts";

export const DAY_MS = 86_400_000;

export async function settled(
  from: CliName,
  to: CliName,
  use: (rig: Rig, carried: Carried, source: Source) => Promise<void>,
): Promise<void> {
  await withSession(from, "tools", async (source) => {
    const rig = await openRig(to);
    try {
      await use(rig, await carryInto(source, adapterOf(to), rig.home, rig.cwd, rig.cli), source);
    } finally {
      await rig.close();
    }
  });
}
