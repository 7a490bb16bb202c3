// All models that are known by name, the user's own among them, each with its facts and its price.
import { factsOf, type ModelFacts } from "./facts.ts";
import { MODELS } from "./known.ts";
import type { Prices } from "./model.ts";
import { modelOf } from "./names.ts";
import type { Overrides } from "./overrides.ts";
import type { FindPrice, Price } from "./prices.ts";

export interface ModelRow extends Omit<ModelFacts, "name" | "vendor"> {
  display: string;
  vendor: string | null;
  /** `provider/model` whose price it is; null = it has none. */
  matched: string | null;
  prices: Prices | null;
  tiers: Price["tiers"];
}

export function knownModels(overrides: Overrides, find: FindPrice, now = Date.now()): ModelRow[] {
  const others = overrides.entries.map(([id]) => id).filter((id) => !modelOf(id));
  return [...MODELS.map(({ id }) => id), ...others].map((id) => modelRow(id, overrides, find, now));
}

/** Of any id, also of one that nobody knows. */
export function modelRow(id: string, overrides: Overrides, find: FindPrice, now = Date.now()): ModelRow {
  const { name, vendor, ...facts } = factsOf(id, overrides);
  const price = find(id, LISTED[vendor ?? ""] ?? "", now);
  return {
    ...facts,
    display: name,
    vendor: vendor ?? null,
    matched: price?.matched ?? null,
    prices: price?.prices ?? null,
    tiers: price?.tiers ?? [],
  };
}

/** Vendors as the price list calls them, for what a model costs with the vendor itself: others serve it as well. */
const LISTED: Readonly<Record<string, string>> = {
  deepseek: "deepseek",
  mistral: "mistral",
  moonshot: "moonshotai",
  zhipu: "zai",
  minimax: "minimax",
  xai: "x-ai",
};
