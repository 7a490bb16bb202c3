// In what order hits are shown: what the user and the model said before what tools printed, sessions that are about
// the words before others, what is recent before what is old, and not one session alone.
import type { Scope } from "../schema.ts";
import { SCOPES } from "../schema.ts";

export interface Candidate {
  scope: number;
  /** When its session last changed, in milliseconds. */
  updated: number;
  /** The number of its session, among all shards. */
  session: number;
  position: number;
  /** Whether all words stand close together. */
  isNear: boolean;
  /** The share of the words that its session's title has. */
  inTitle: number;
  /** Whether the model does not see it any more. */
  isHidden: boolean;
  /** Given by ranking. */
  score: number;
}

const WEIGHTS: Record<Scope, number> = {
  prompt: 1,
  reply: 0.8,
  tool_input: 0.6,
  thinking: 0.5,
  tool_output: 0.4,
  context: 0.25,
};
const DAY = 86_400_000;
/** After so many days a hit counts half as much for its age. */
const HALF = 30;
/** Each further hit of a session counts that much less. */
const REPEATED = 0.8;

/** Gives scores, and returns no more than the best, these in their order. */
export function rank<T extends Candidate>(candidates: readonly T[], most: number, now = Date.now()): T[] {
  const counts = new Map<number, number>();
  for (const { session } of candidates) counts.set(session, (counts.get(session) ?? 0) + 1);
  for (const one of candidates) one.score = scoreOf(one, counts.get(one.session) ?? 1, now);
  const least = leastOf(candidates, most);
  const best = candidates.filter(({ score }) => score >= least).sort(better);
  const seen = new Map<number, number>();
  for (const one of best) {
    const before = seen.get(one.session) ?? 0;
    seen.set(one.session, before + 1);
    one.score = rounded(one.score * REPEATED ** before);
  }
  return best.sort(better).slice(0, most);
}

/**
 * A score below which nothing can be among the best: each session's best text counts in full, so as many texts as
 * are wanted are above it. What is below neither is shown nor comes before a text of its session that is.
 */
function leastOf(candidates: readonly Candidate[], most: number): number {
  const bests = new Map<number, number>();
  for (const { session, score } of candidates)
    if (score > (bests.get(session) ?? 0)) bests.set(session, score);
  if (most === 0) return Number.POSITIVE_INFINITY;
  if (bests.size < most) return 0;
  const sorted = Float64Array.from(bests.values()).sort();
  return (sorted[sorted.length - most] ?? 0) - 1 / PARTS;
}

function scoreOf(one: Candidate, inSession: number, now: number): number {
  const age = Math.max(0, now - one.updated) / DAY;
  return (
    (WEIGHTS[SCOPES[one.scope] ?? "context"] ?? 0) *
    (1 + 0.5 * one.inTitle) *
    (one.isNear ? 1.5 : 1) *
    (one.isHidden ? 0.6 : 1) *
    (0.5 + 0.5 / (1 + age / HALF)) *
    (1 + 0.1 * Math.log2(inSession))
  );
}

function better(a: Candidate, b: Candidate): number {
  return b.score - a.score || b.updated - a.updated || a.session - b.session || b.position - a.position;
}

/** Scores are shown with four digits. */
const PARTS = 10_000;

function rounded(score: number): number {
  return Math.round(score * PARTS) / PARTS;
}
