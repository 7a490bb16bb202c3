// Compares what was meant to be carried with what a real CLI then told its model, fact by fact: block type,
// role, order, each result paired with its call, bytes of images. It knows no agent.
import { isDeepStrictEqual } from "node:util";
import type { ModelRequest } from "../loopback/request.ts";
import type { Loss, LossName } from "../session/losses.ts";
import { type Asked, asked, type Item, type Surroundings, use } from "./asked.ts";
import { CHANGED_ARGUMENTS, isNear } from "./calls.ts";
import { argumentLoss, excuse } from "./excuses.ts";
import { excerpt, type Fact } from "./facts.ts";
import { type Place, placeAnywhere, placeInOrder } from "./place.ts";
import { resultVerdict } from "./results.ts";
import { strangers } from "./strangers.ts";

export interface Finding {
  type: Fact["type"] | "other";
  /** The entry it comes from; absent for what nobody said. */
  entry?: string;
  excerpt: string;
  reason: string;
  /** The loss that announced it, where one did. */
  named?: LossName;
}

export interface Comparison {
  facts: { total: number; kept: number; changed: number; lost: number };
  /** Facts that are lost or changed. */
  missing: Finding[];
  /** What the CLI told its model although nobody meant it to. */
  unexpected: Finding[];
  /** Text in the user's role, or a filler, that is known to be the CLI's own. */
  injected: string[];
}

export interface CompareOptions extends Surroundings {
  /** Texts that must not reach the model: compacted or rewound history, turns of subagents. */
  hidden?: readonly string[];
  /** What the writer announced, so that a fact that is not there can be put down to it. */
  losses?: readonly Loss[];
  /** Sentences that the CLI itself puts into the model's mouth. */
  fillers?: readonly string[];
  /** What was said after the session: looked for like facts, not counted as such. */
  after?: readonly Fact[];
  /** For a session of the CLI's own: whether a text is context that it put down when the session was made. */
  isContext?(text: string): boolean;
}

/** A fact that is there is kept; one in another form, role, order or pairing, or without an argument, is changed. */
export type Verdict =
  | { type: "kept" }
  /** `by`: losses that may be the reason for a change. */
  | { type: "changed" | "lost"; reason: string; by?: readonly LossName[] };

export function compare(
  facts: readonly Fact[],
  request: ModelRequest,
  options: CompareOptions = {},
): Comparison {
  const wire = asked(request, options);
  if (options.isContext) forgetRepeats(wire);
  const losses = options.losses ?? [];
  const all = [...facts, ...(options.after ?? [])];
  const places = placeInOrder(all, wire);
  const verdicts = judge(all, places, wire, losses);
  const counts = { total: facts.length, kept: 0, changed: 0, lost: 0 };
  const missing: Finding[] = [];
  for (const [at, fact] of all.entries()) {
    const verdict = verdicts[at] as Verdict;
    if (at < facts.length) counts[verdict.type]++;
    if (verdict.type === "kept") continue;
    const named = excuse(fact, verdict, losses) ?? withheld(fact, request);
    const reason = verdict.type === "lost" ? `lost: ${verdict.reason}` : verdict.reason;
    missing.push({
      type: fact.type,
      entry: fact.entry,
      excerpt: excerpt(fact),
      reason,
      ...(named && { named }),
    });
  }
  return { facts: counts, missing, ...strangers(wire, all, options) };
}

/** A CLI may send what it kept twice of its own session twice; whether its vendor takes that is not ours to mend. */
function forgetRepeats({ results }: Asked): void {
  for (const [callId, [first, ...more]] of results) {
    if (!first) continue;
    const repeats = more.filter(({ block }) => isDeepStrictEqual(block, first.block));
    for (const item of repeats) item.isOwn = true;
    results.set(callId, [first, ...more.filter((item) => !repeats.includes(item))]);
  }
}

function judge(
  facts: readonly Fact[],
  places: readonly (Place | undefined)[],
  wire: Asked,
  losses: readonly Loss[],
): Verdict[] {
  const callItems = new Map<string, readonly Item[]>();
  const answered = new Set(facts.flatMap((fact) => (fact.type === "result" ? [fact.callId] : [])));
  const verdicts = facts.map((fact, at): Verdict => {
    const place = places[at];
    if (fact.type === "call") callItems.set(fact.callId, place?.items ?? []);
    if (fact.type === "result" || ("callId" in fact && fact.type !== "call"))
      return resultVerdict(fact, callItems.get(fact.callId ?? "") ?? [], wire, losses);
    if (place) return placedVerdict(fact, place, losses);
    const elsewhere = placeAnywhere(fact, wire);
    if (!elsewhere) return { type: "lost", reason: "it is nowhere in the request" };
    if (fact.type === "call") callItems.set(fact.callId, elsewhere.place.items);
    for (const item of elsewhere.place.items) use(item, elsewhere.place.offset, elsewhere.place.length);
    return { type: "changed", reason: elsewhere.reason, by: reasonsFor(fact, elsewhere, wire) };
  });
  for (const [callId, calls] of callItems) if (!answered.has(callId)) useResults(calls, wire);
  return verdicts;
}

function placedVerdict(fact: Fact, { dropped = [] }: Place, losses: readonly Loss[]): Verdict {
  const gone = dropped.map((name) => ({ name, announced: argumentLoss(fact, name, losses) }));
  const silently = gone.filter(({ announced }) => !announced);
  // A label for people changes nothing about what was done.
  const changing = gone.filter(({ announced }) => announced && announced.severity !== "info");
  const told = silently.length > 0 ? silently : changing;
  if (told.length === 0) return { type: "kept" };
  const reason = `these arguments are not there: ${told.map(({ name }) => name).join(", ")}`;
  return { type: "changed", reason, by: silently.length > 0 ? [] : ["tool_argument_dropped"] };
}

/** An edit may be told approximately, but with the same lines; a document of text may become text. */
function reasonsFor(fact: Fact, found: { place: Place; reason: string }, wire: Asked): LossName[] {
  if (fact.type === "document") return ["part_converted"];
  const [item] = found.place.items;
  const isExcusable =
    fact.type === "call" &&
    found.reason === CHANGED_ARGUMENTS &&
    item !== undefined &&
    isNear(fact, item, wire);
  return isExcusable ? ["edit_approximated"] : [];
}

/** Every vendor demands a result for every call, so a CLI makes one up for a call that was never answered. */
function useResults(calls: readonly Item[], wire: Asked): void {
  for (const { block } of calls)
    if (block.type === "tool_use") for (const result of wire.results.get(block.id) ?? []) use(result);
}

/** A CLI that goes on with another model leaves out the thinking that is bound to the first. */
function withheld(fact: Fact, request: ModelRequest): LossName | undefined {
  const isBound = fact.type === "thinking" && fact.model !== undefined && fact.model !== request.model;
  return isBound ? "thinking_dropped" : undefined;
}
