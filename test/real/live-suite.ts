// One agent live in every scenario, the common ones and its own: the same that its golden transcripts were recorded in.
import { describe, expect, it } from "vitest";
import type { CliName } from "./install.ts";
import { ASKED, EXPECTED } from "./live-expected.ts";
import { expectLeft, leftOf } from "./live-left.ts";
import { outlineOf } from "./live-outline.ts";
import { type Followed, type LiveRig, openLive } from "./live-rig.ts";
import { SCENARIO_NAMES, SCENARIOS } from "./live-scenarios.ts";
import { adapterOf, findSession } from "./read.ts";

export type Scenario = (rig: LiveRig) => Promise<Followed>;

export function liveSuite(name: CliName, extra: Record<string, Scenario>): void {
  it("what is left behind is known of scenarios that there are", () => {
    expect(Object.keys(extra)).toEqual(expect.arrayContaining(leftOf(name)));
  });

  describe(`${name}, live`, () => {
    it.each(SCENARIO_NAMES)("%s", async (scenario) => {
      await withRig(name, SCENARIOS[scenario], (followed, rig) => {
        EXPECTED[scenario](followed, name);
        ASKED[scenario]?.(rig);
      });
    });

    it.each(Object.keys(extra))("%s", async (scenario) => {
      await withRig(name, extra[scenario] as Scenario, (followed, rig) => {
        expect(outlineOf(followed.events)).toMatchSnapshot();
        expectLeft(scenario, followed, rig);
      });
    });
  });
}

async function withRig(
  name: CliName,
  scenario: Scenario,
  look: (followed: Followed, rig: LiveRig) => void,
): Promise<void> {
  const rig = await openLive(name);
  try {
    const followed = await scenario(rig);
    await followed.close();
    look(followed, rig);
    expect(followed.violations).toEqual([]);
    expect(rig.loopback.refusals.filter(({ foreign }) => foreign)).toEqual([]);
    await expectStored(followed, rig);
  } finally {
    await rig.close();
  }
}

/** The agent itself has written it, and it is read like any other. */
async function expectStored({ events }: Followed, rig: LiveRig): Promise<void> {
  const result = events.findLast((event) => event.type === "result");
  const isNone = result?.error?.code === "session_missing";
  if (!result || result.session_id === "" || isNone) return;
  const adapter = adapterOf(rig.name);
  const ref = await findSession(adapter, rig.home, result.session_id);
  const { skeleton } = await adapter.open(ref);
  expect(skeleton.length).toBeGreaterThan(0);
  expect(adapter.isResumable?.(ref) ?? true).toBe(true);
}
