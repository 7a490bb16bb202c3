// What tokens cost: the user's own prices, then a public price list, then the table of models. The list is a library
// that takes an id for a model that it merely begins like, so what it found is checked, and always named.
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import type { ConditionalPrice, ModelInfo, ModelPrice, PriceCalculation } from "@pydantic/genai-prices";
import { vendorOf } from "../session/vendor.ts";
import { MODELS } from "./known.ts";
import type { Prices } from "./model.ts";
import { modelOf, plainId } from "./names.ts";
import type { Overrides } from "./overrides.ts";

export interface Price {
  /** `provider/model` of the list whose price it is. */
  matched: string;
  source: "user" | "list" | "table";
  prices: Prices;
  /** Prices of a request whose input has more tokens than this. */
  tiers: readonly (Prices & { above: number })[];
}

/** Input is what came from no cache; reasoning is part of the output. */
export interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** The share of `cacheWrite` that was kept for an hour. */
  cacheWriteHour?: number;
}

/** Finds the price of a model at a time, in milliseconds. */
export type FindPrice = (model: string, provider: string, time: number) => Price | undefined;

/** US dollars for one request. */
export function costOf(tokens: Tokens, { prices, tiers }: Price): number {
  const { input, output, cacheRead, cacheWrite, cacheWriteHour = 0 } = tokens;
  const all = input + cacheRead + cacheWrite;
  const at = tiers.findLast(({ above }) => all > above) ?? prices;
  const write = at.cacheWrite ?? at.input;
  const hour = Math.min(cacheWriteHour, cacheWrite);
  const dollars =
    input * at.input +
    output * at.output +
    cacheRead * (at.cacheRead ?? at.input) +
    (cacheWrite - hour) * write +
    hour * (at.cacheWriteHour ?? write);
  return dollars / 1e6;
}

/** Loads the price list, which takes a tenth of a second: only for what shows prices. */
export async function loadPrices(overrides: Overrides): Promise<FindPrice> {
  const list = await import("@pydantic/genai-prices");
  const known = new Map<string, { periodOf(time: number): string; prices: Map<string, Price | undefined> }>();
  return (model, provider, time) => {
    const asked = { model, provider, time };
    const key = `${provider} ${model}`;
    const of = known.get(key) ?? { periodOf: periods(priceOf(list, overrides, asked)), prices: new Map() };
    known.set(key, of);
    const period = of.periodOf(time);
    if (!of.prices.has(period)) of.prices.set(period, priceOf(list, overrides, asked).price);
    return of.prices.get(period);
  };
}

/** Differs when prices may: another list, other prices of ours or of the user. */
export function priceStamp(overrides: Overrides): unknown {
  const { size, mtimeMs } = statSync(createRequire(import.meta.url).resolve("@pydantic/genai-prices"));
  return [size, mtimeMs, MODELS.map(({ id, prices }) => [id, prices]), overrides.entries];
}

const DAY = 86_400_000;

/** Names the time between two changes of a price: the list has some from a day on, and some for hours of each day. */
function periods({ changes = [] }: Found): (time: number) => string {
  const limits = changes.flatMap(({ constraint }) => (constraint ? [constraint] : []));
  if (limits.length === 0) return () => "";
  const days = limits.flatMap((limit) => ("start_date" in limit ? [Date.parse(limit.start_date)] : []));
  const hours = limits
    .flatMap((limit) => ("start_time" in limit ? [limit.start_time, limit.end_time] : []))
    .map((hour) => Date.parse(`1970-01-01T${hour}`) % DAY);
  const passed = (limits: readonly number[], time: number) => limits.filter((limit) => limit <= time).length;
  return (time) => `${passed(days, time)} ${passed(hours, time % DAY)}`;
}

type List = typeof import("@pydantic/genai-prices");

interface Asked {
  model: string;
  provider: string;
  time: number;
}

interface Found {
  price: Price | undefined;
  /** What the model costs at which times, if that is not always the same. */
  changes?: readonly ConditionalPrice[];
}

function priceOf(list: List, overrides: Overrides, asked: Asked): Found {
  const own = overrides.of(asked.model)?.prices;
  if (own) return { price: { matched: asked.model, source: "user", prices: own, tiers: [] } };
  for (const [provider, id] of namesOf(list, asked)) {
    const match = list.calcPrice({}, id, { providerId: provider, timestamp: new Date(asked.time) });
    if (!match || !isNamed(match.model, id)) continue;
    const price = listed(match);
    const { prices } = match.model;
    if (price) return { price, ...(Array.isArray(prices) && { changes: prices }) };
  }
  const model = modelOf(asked.model);
  if (!model?.prices) return { price: undefined };
  const matched = `${model.vendor}/${model.id}`;
  return { price: { matched, source: "table", prices: model.prices, tiers: [] } };
}

/** Under which providers and ids the list may have it: who served it first, then whose it is. */
function namesOf(list: List, { model, provider }: Asked): [provider: string, id: string][] {
  const plain = plainId(model);
  const bare = model.toLowerCase();
  const vendor = vendorOf(plain);
  const router = /^([a-z0-9-]+)\//.exec(bare)?.[1];
  const served = [provider, router].filter((name) => name !== undefined && name !== vendor);
  return [
    ...served
      .filter((name): name is string => list.findProvider({ providerId: name as string })?.id === name)
      .flatMap((name): [string, string][] => [
        [name, bare],
        [name, plain],
      ]),
    ...(vendor === undefined ? [] : ([plain, bare].map((id) => [vendor, id]) as [string, string][])),
  ];
}

/** Whether the list names the model, rather than taking it for one that begins or ends alike. */
function isNamed({ id, match }: ModelInfo, asked: string): boolean {
  const wanted = comparable(asked);
  return [id, ...wordsOf(match)].some((word) => comparable(word) === wanted);
}

function comparable(id: string): string {
  return plainId(id).replace(/-preview$/, "");
}

function wordsOf(logic: ModelInfo["match"]): string[] {
  if ("or" in logic) return logic.or.flatMap(wordsOf);
  if ("and" in logic) return logic.and.flatMap(wordsOf);
  return "regex" in logic ? [] : Object.values(logic);
}

function listed({ provider, model, model_price: price }: PriceCalculation): Price | undefined {
  const prices = at(price, 0);
  if (!prices) return undefined;
  const starts = new Set(Object.values(price).flatMap(startsOf));
  const tiers = [...starts].toSorted((a, b) => a - b).map((above) => ({ above, ...at(price, above + 1) }));
  return { matched: `${provider.id}/${model.id}`, source: "list", prices, tiers: tiers.filter(isPriced) };
}

const isPriced = (tier: { above: number } & Partial<Prices>): tier is Prices & { above: number } =>
  tier.input !== undefined && tier.output !== undefined;

function startsOf(rate: ModelPrice[string]): number[] {
  return typeof rate === "object" ? rate.tiers.map(({ start }) => start) : [];
}

const NAMES = {
  cacheRead: "cache_read_mtok",
  cacheWrite: "cache_write_mtok",
  cacheWriteHour: "cache_write_1h_mtok",
} as const;

/** The prices of a request with so many tokens of input. */
function at(price: ModelPrice, tokens: number): Prices | undefined {
  const rate = (name: string) => {
    const found = price[name];
    if (typeof found !== "object") return found;
    return found.tiers.findLast(({ start }) => tokens > start)?.price ?? found.base;
  };
  const input = rate("input_mtok");
  const output = rate("output_mtok");
  if (input === undefined || output === undefined) return undefined;
  const prices: Prices = { input, output };
  for (const [name, listName] of Object.entries(NAMES) as [keyof typeof NAMES, string][]) {
    const found = rate(listName);
    if (found !== undefined) prices[name] = found;
  }
  return prices;
}
