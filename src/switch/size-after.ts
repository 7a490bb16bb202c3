// How much a session is once turns are returned to it: what its model keeps seeing, and what comes back.
import type { Adapter } from "../adapters/adapter.ts";
import { countTokens } from "../models/tokens.ts";
import { batched, batchesOf, mapped } from "../session/batches.ts";
import type { Entry } from "../session/session.ts";
import type { Source, Stream } from "../session/source.ts";
import { visible } from "../transform/visible.ts";
import { DEFAULT_OVERHEAD } from "./prepare-switch.ts";
import { type Size, sizeOf, weigh } from "./weigh.ts";

export interface After {
  /** What stays of the original; undefined = nothing. */
  kept: Source | undefined;
  fresh: Stream;
  /** The original's agent, and the one that the turns were made in. */
  to: Adapter;
  from: Adapter | undefined;
}

export async function sizeAfter({ kept, fresh, to, from }: After): Promise<Size> {
  const overhead = to.ownTokens ?? DEFAULT_OVERHEAD;
  // With nothing before it, it is a session like one that is switched.
  if (!kept) return sizeOf(await weigh(fresh.entries(), countTokens), overhead, from?.ownTokens);
  const entries = batched(async function* () {
    yield* batchesOf(countedBy(to, visible(kept).entries()));
    yield* batchesOf(mapped(fresh.entries(), (batch) => batch.map(uncounted)));
  });
  return sizeOf(await weigh(entries, countTokens), overhead);
}

/** Another agent may have seen less than what stands here, so only what the own one counted is believed. */
function countedBy({ badge }: Adapter, entries: AsyncIterable<Entry>): AsyncIterable<Entry> {
  let isOwn = true;
  return mapped(entries, (batch) =>
    batch.map((entry) => {
      if (entry.type === "switch") isOwn = entry.switch.toProvider === badge;
      return isOwn ? entry : uncounted(entry);
    }),
  );
}

function uncounted(entry: Entry): Entry {
  const { usage: _, ...rest } = entry;
  return rest as Entry;
}
