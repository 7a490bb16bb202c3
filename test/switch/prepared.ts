// Prepares made-up conversations for a window of any size.
import type { Overrides } from "../../src/models/overrides.ts";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { type Prepared, prepareSwitch } from "../../src/switch/prepare-switch.ts";
import type { Strategy } from "../../src/switch/reduction.ts";
import type { Summarizer } from "../../src/switch/summarize.ts";
import { session } from "../session/build.ts";
import { named } from "./world.ts";

export const NOW = new Date("2026-02-03T04:05:06.000Z");

/** Every model has this window. */
export const windowed = (window: number): Overrides => ({
  of: () => ({ window }),
  displayName: (id) => id,
  entries: [],
});

interface Asked {
  window: number;
  overhead: number;
  strategy?: Strategy;
  budget?: number;
  summarizer?: Summarizer;
}

export async function prepared(
  entries: readonly Entry[],
  { window, overhead, strategy, budget, summarizer }: Asked,
): Promise<Prepared> {
  const source = sourceOf(session([...entries], { source: { cli: "claude", originalId: "one" } }));
  const made = await prepareSwitch({
    source,
    to: { ...named("codex"), ownTokens: overhead },
    home: { dir: "/nowhere", env: {} },
    adapters: [],
    overrides: windowed(window),
    options: {
      ...(strategy && { summarizationStrategy: strategy }),
      ...(budget !== undefined && { budget }),
    },
    ...(summarizer && { summarizer }),
    now: NOW,
  });
  // As `switchOver` does.
  if (strategy && made.impossible) throw made.impossible;
  return made;
}

export const read = ({ stream: of }: Prepared) => Array.fromAsync(of().entries());
