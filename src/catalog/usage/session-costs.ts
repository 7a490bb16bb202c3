// What each session cost, as `usage` counts it: what a list shows, sorts and filters by.
import type { DatabaseSync } from "node:sqlite";
import type { FindPrice } from "../../models/prices.ts";
import type { IsHere } from "../here.ts";
import { type SessionFacts, sessionsOf } from "./messages.ts";
import { type Cost, costedMessages, rounded } from "./usage.ts";

export interface SessionCost {
  /** US dollars, as far as they are known; null = of no message. */
  dollars: number | null;
  /** The least certain that is part of it. */
  kind: CostKind | null;
  /** How many of its messages are of models that have no price. */
  unpriced: number;
}

export type CostKind = Exclude<Cost["kind"], "unpriced">;

/** For each shard, by the key of the session there; none = nothing was counted for it. */
export type SessionCosts = readonly ReadonlyMap<number, SessionCost>[];

export function sessionCosts(
  shards: readonly DatabaseSync[],
  find: FindPrice,
  isHere?: IsHere,
): SessionCosts {
  const costs = shards.map(() => new Map<number, SessionCost>());
  for (const [{ session, count }, cost] of costedMessages(shards, sessionsOf(shards, isHere), find)) {
    const sum = sumOf(costs, session);
    if (cost.kind === "unpriced") sum.unpriced += count;
    else {
      sum.dollars = (sum.dollars ?? 0) + cost.dollars;
      if (sum.kind === null || CERTAINTY[cost.kind] < CERTAINTY[sum.kind]) sum.kind = cost.kind;
    }
  }
  for (const shard of costs)
    for (const sum of shard.values()) if (sum.dollars !== null) sum.dollars = rounded(sum.dollars);
  return costs;
}

const CERTAINTY: Readonly<Record<CostKind, number>> = { estimated: 0, computed: 1, recorded: 2 };

function sumOf(costs: readonly Map<number, SessionCost>[], { shard, key }: SessionFacts): SessionCost {
  const known = costs[shard]?.get(key);
  if (known) return known;
  const made: SessionCost = { dollars: null, kind: null, unpriced: 0 };
  costs[shard]?.set(key, made);
  return made;
}
