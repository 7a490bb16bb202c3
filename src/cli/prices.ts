// What a message cost where its agent did not write that down: its tokens at the vendor's prices, or the user's own.
import { readOverrides } from "../models/overrides.ts";
import { costOf, loadPrices } from "../models/prices.ts";
import type { PriceOf } from "../transform/turn-facts.ts";

export async function pricesFor(batonHome: string): Promise<PriceOf> {
  const find = await loadPrices(readOverrides(batonHome));
  return (usage, entry, session) => {
    const { model = session.model, provider = session.provider } = entry;
    const price = find(model, provider, Date.parse(entry.timestamp) || Date.now());
    return (
      price && costOf({ ...usage, cacheRead: usage.cacheRead ?? 0, cacheWrite: usage.cacheWrite ?? 0 }, price)
    );
  };
}
