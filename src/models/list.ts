// All models that are known by name, the user's own among them, each with its price.
import { vendorOf } from "../session/vendor.ts";
import { MODELS, type Modality, type Prices } from "./known.ts";
import { modelOf } from "./names.ts";
import type { Overrides } from "./overrides.ts";
import type { FindPrice, Price } from "./prices.ts";
import { badgeFor } from "./providers.ts";

export interface ModelRow {
  id: string;
  display: string;
  /** Whose badge it carries. */
  provider: string;
  /** Tokens of input and output together; null = not known. */
  window: number | null;
  /** Tokens that one reply may have; null = not known. */
  output: number | null;
  input: readonly Modality[];
  /** `provider/model` whose price it is; null = it has none. */
  matched: string | null;
  prices: Prices | null;
  tiers: Price["tiers"];
}

export function knownModels(overrides: Overrides, find: FindPrice, now = Date.now()): ModelRow[] {
  const others = overrides.entries.map(([id]) => id).filter((id) => !modelOf(id));
  return [...MODELS.map(({ id }) => id), ...others].map((id) => rowOf(id, overrides, find(id, "", now)));
}

function rowOf(id: string, overrides: Overrides, price: Price | undefined): ModelRow {
  const model = modelOf(id);
  const vendor = model?.vendor ?? vendorOf(id);
  return {
    id,
    display: overrides.displayName(id),
    provider: vendor === undefined ? "unknown" : badgeFor(vendor).provider,
    window: overrides.of(id)?.window ?? model?.window ?? null,
    output: model?.output ?? null,
    input: model?.input ?? ["text"],
    matched: price?.matched ?? null,
    prices: price?.prices ?? null,
    tiers: price?.tiers ?? [],
  };
}
