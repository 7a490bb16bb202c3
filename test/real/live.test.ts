// While an agent holds a session, and after it has gone on with it, nothing of it is taken away.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { statusOf } from "../../src/catalog/status.ts";
import { baton } from "./baton.ts";
import { carryInto, withSession } from "./carry.ts";
import { openRig, type Rig } from "./harness.ts";
import { type CliName, NAMES } from "./install.ts";
import { adapterOf, findSession, homeAt } from "./read.ts";

describe.each(NAMES)("a session that %s is at work on", (name) => {
  const other = NAMES.find((one) => one !== name) as CliName;
  const adapter = adapterOf(name);

  it("is known to be held, and is not undone, then or later", async () => {
    await withSession(other, "plain", async (source) => {
      // Without a process namespace, as users run it: who holds a session is told by process ids.
      const rig = await openRig(name, { isolation: "proxy" });
      try {
        const { originalId, operation, path } = await carryInto(source, adapter, rig.home, rig.cwd, rig.cli);
        const isLive = async () => adapter.isLive(await findSession(adapter, rig.home, originalId));
        expect(await isLive()).toBe(false);
        const turn = await held(rig, originalId);
        expect(await isLive()).toBe(true);
        const status = await statusOf(homeAt(rig.home), [adapter], { since: new Date(), limit: 0 });
        expect(status.running.map((one) => one.originalId)).toEqual([originalId]);
        expect(await baton(rig.home, rig.cwd, "undo", operation ?? "")).toMatchObject({ status: 5 });
        await turn.end();
        expect(await isLive()).toBe(false);
        expect(await baton(rig.home, rig.cwd, "undo", operation ?? "")).toMatchObject({ status: 5 });
        expect(existsSync(path)).toBe(true);
        expect((await rig.resume(originalId, "Go on", [])).id).toBe(originalId);
      } finally {
        await rig.close();
      }
    });
  });
});

/** The CLI in the middle of a turn: it has asked and gets no answer. */
async function held(rig: Rig, id: string): Promise<{ end(): Promise<void> }> {
  const before = rig.loopback.requests.length;
  const turn = rig.resume(id, "Wait for it", [{ text: "Never", hang: 0 }], {
    signal: { name: "SIGKILL", file: "stop" },
  });
  await rig.loopback.waitFor(before + 1);
  return {
    async end() {
      await rig.write("stop", "");
      await turn;
    },
  };
}
