// Reads a new session only so far as a list needs it. It gives up at the first thing that is not plain: what is damaged,
// comes twice or has no counterpart is for read.ts to judge. Of the session no cursor is kept: if it grows, it is read
// as a whole, with a cursor, and from there on.

import type { Glimpse } from "../../adapters/glance.ts";
import { headerBuilder } from "../../adapters/header.ts";
import { conclude, type Reading } from "../../adapters/open.ts";
import type { Loss } from "../../session/losses.ts";
import type { Folded } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { problemsIn } from "../scan.ts";
import type { Piece } from "./read.ts";
import { newUsages } from "./usages.ts";

/** Undefined when it takes more than a glance. */
export async function glanceAt(agent: string, reading: Reading<unknown>): Promise<Piece | undefined> {
  const listing = newListing(agent, reading);
  if (!reading.glance?.(listing.record)) return undefined;
  const { header, usages, costPlace } = listing.finish();
  const concluded = await conclude(reading, header);
  const problems = problemsIn([...(reading.extra?.losses ?? []), ...concluded.losses]);
  return {
    docs: [],
    usages,
    cursor: undefined,
    isContinued: false,
    end: { header: concluded.header, hidden: null, costPlace, problems, isWhole: true },
  };
}

function newListing(agent: string, { fold, ref, provider, extra }: Reading<unknown>) {
  const state = fold.initial(ref);
  const header = headerBuilder(agent, ref, provider, extra);
  const usages = newUsages(provider);
  const ids = new Set<string>();
  const calls = new Set<string>();
  let isPlain = true;

  const entry = (one: Glimpse) => {
    const { id, type, callId } = one;
    if (ids.has(id) || (type === "tool_result" && !calls.has(callId ?? ""))) isPlain = false;
    ids.add(id);
    if (type === "tool_call") calls.add(id);
    header.entry(one);
    usages.entry(one);
  };
  const listing = {
    entry,
    usage: usages.add,
    patch(patch: Extract<Folded, { type: "header" }>["patch"]) {
      header.patch(patch);
      usages.note(patch);
    },
  };
  const tell = (folded: Folded) => {
    if (folded.type === "entry") entry(folded.entry);
    else if (folded.type === "header") listing.patch(folded.patch);
    else if (folded.type === "usage") listing.usage(folded);
    else if (folded.type === "loss" && isProblem(folded.loss)) isPlain = false;
  };
  return {
    record(value: unknown, index: number): boolean {
      usages.at(index);
      if (!fold.glance?.(state, value, index, listing))
        for (const folded of fold.step(state, recordOf(value, index))) tell(folded);
      return isPlain;
    },
    finish: () => ({
      header: header.finish(usages.all(), undefined),
      usages: usages.take(),
      costPlace: usages.state().costPlace,
    }),
  };
}

const isProblem = (loss: Loss) => problemsIn([loss]).length > 0;

const NOTHING = Buffer.alloc(0);

function recordOf(value: unknown, index: number): NativeRecord {
  return {
    index,
    line: index + 1,
    offset: 0,
    length: 0,
    value,
    whole: false,
    terminated: true,
    losses: [],
    bytes: NOTHING,
  };
}
