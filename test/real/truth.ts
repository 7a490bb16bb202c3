// The truth about a session is what its own CLI tells the model when it resumes it. Our reader must see just
// that: nothing less, nothing more, in that order.
import { describe, expect, it } from "vitest";
import { visible } from "../../src/transform/visible.ts";
import { compare } from "../../src/verify/compare.ts";
import { hiddenTexts } from "../../src/verify/copy.ts";
import { type Fact, factsOf } from "../../src/verify/facts.ts";
import { once } from "../verify/request.ts";
import { openRig, type Rig, type Turn } from "./harness.ts";
import type { CliName } from "./install.ts";
import { adapterOf, openFrom } from "./read.ts";
import { SCENARIOS } from "./scenarios.ts";

const PROMPT = "The question that comes after everything else";

export function tellsTheTruth(name: CliName): void {
  describe(`what ${name} itself resumes`, () => {
    it.each(Object.keys(SCENARIOS[name]))("%s", async (kind) => {
      const rig = await openRig(name);
      try {
        const id = (await SCENARIOS[name][kind]?.(rig)) ?? "";
        await resumesWhole(rig, id, await rig.snapshot());
      } finally {
        await rig.close();
      }
    });
  });
}

interface Resumed {
  rig: Rig;
  turn: Turn;
  before: string;
  id: string;
}

/** What the CLI told its model, beside the session as it was before. */
async function compared({ rig, turn, before, id }: Resumed) {
  expect(turn).toMatchObject({ id, exitCode: 0 });
  const adapter = adapterOf(rig.name);
  const source = await openFrom(adapter, before, id);
  const said = await Array.fromAsync(factsOf(visible(source)));
  // Thoughts that bear no signature are for people to read.
  const isSent = adapter.holds.thinking === "signed";
  const facts = said.filter(({ type }) => isSent || type !== "thinking");
  const after: Fact[] = [{ entry: "prompt", type: "text", role: "user", text: PROMPT }];
  const fillers = adapter.sandbox?.(rig.home, rig.loopback.port).fillers;
  const [asked] = turn.requests;
  if (!asked) throw new Error("the CLI asked nothing");
  return compare(facts, rig.driver.sendsTwice ? once(asked.request) : asked.request, {
    after,
    hidden: await hiddenTexts(source),
    isContext: rig.driver.isContext,
    ...(fillers && { fillers }),
  });
}

/** The CLI goes on with everything that was in the session `before`, and its request is accepted. */
export async function resumesWhole(
  rig: Rig,
  id: string,
  before: Awaited<ReturnType<Rig["snapshot"]>>,
): Promise<void> {
  const refused = rig.loopback.refusals.length;
  const turn = await rig.resume(id, PROMPT, [{ text: "The answer" }]);
  const found = await compared({ rig, turn, before, id });
  expect(found).toMatchObject({ missing: [], unexpected: [] });
  expect(found.facts.kept).toBeGreaterThan(1);
  expect(rig.loopback.refusals.slice(refused)).toEqual([]);
}
