// Tokens and cost up to each step: one pass over the session in the background, of which only numbers are kept.
import type { Source } from "../../session/source.ts";
import { factsOptions, newSpent, type PriceOf, plus, type Spent } from "../../transform/turn-facts.ts";

export interface Tally {
  /** What was spent up to the last of these positions; undefined while that is not known yet. */
  upTo(positions: readonly number[]): Spent | undefined;
}

const NOTHING: Spent = { tokens: null, cost: null, computed: 0 };

/** `onKnown` is called when all of it is known, or why it will never be. */
export function startTally(
  source: Source,
  priceOf: PriceOf | undefined,
  isOver: () => boolean,
  onKnown: (problem?: unknown) => void,
): Tally {
  const totals: { position: number; spent: Spent }[] = [];
  let known = -1;
  const count = async () => {
    let spent = NOTHING;
    const options = factsOptions(source.header, priceOf);
    // Texts are of no use here and may stay where they are.
    for await (const entry of source.entries({ texts: "referenced" })) {
      if (isOver()) return;
      known++;
      if (!entry.usage) continue;
      const one = newSpent(options);
      one.add(entry);
      spent = plus(spent, one.total());
      totals.push({ position: known, spent });
    }
    known = Number.POSITIVE_INFINITY;
    onKnown();
  };
  count().catch(onKnown);
  return {
    upTo(positions) {
      const last = Math.max(...positions);
      if (last > known) return undefined;
      return totals[before(totals, last)]?.spent ?? NOTHING;
    },
  };
}

/** The last one that is not behind the position, by halving. */
function before(totals: readonly { position: number }[], position: number): number {
  let low = 0;
  for (let high = totals.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((totals[middle]?.position ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
