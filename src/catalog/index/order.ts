// What only the order of all entries shows: what the model does not see any more, and problems such as a result
// without a call. A session that is read from somewhere on is looked at as a whole where that may have changed. New
// problems of a long one, and an id of the part before that comes again in its turn, show when it is read anew.
import type { Reader, SessionRef } from "../../adapters/adapter.ts";
import { finishSkeleton, type Gathered, type Reading } from "../../adapters/open.ts";
import type { Loss } from "../../session/losses.ts";
import { type Skeleton, skeletonBuilder } from "../../session/skeleton.ts";
import type { Folded } from "../../session/source.ts";
import { threadPositions } from "../../transform/visible.ts";
import { problemsIn, sizeOf } from "../scan.ts";

/** The skeleton, when the session is read from its beginning; otherwise whether what is new can hide anything. */
export function newOrder(isContinued: boolean) {
  const gathered: Gathered & { hosted: Set<string> } = {
    skeleton: skeletonBuilder(),
    head: undefined,
    hosted: new Set(),
  };
  let isPlain = true;
  const ids = new Set<string>();
  return {
    /** There may be a problem that only the whole session shows. */
    doubt() {
      isPlain = false;
    },
    add(folded: Extract<Folded, { type: "entry" | "link" | "head" }>) {
      if (isContinued) {
        const isNext = folded.type === "entry" && folded.entry.parent === undefined;
        if (!isNext || folded.entry.type === "compaction" || ids.has(folded.entry.id)) isPlain = false;
        else ids.add(folded.entry.id);
      } else if (folded.type === "entry") {
        gathered.skeleton.add(folded.entry, folded.keepsRun);
        if (folded.entry.type === "tool_call" && folded.entry.hosted) gathered.hosted.add(folded.entry.id);
      } else if (folded.type === "link") gathered.skeleton.link(folded.id, folded.parent, folded.alias);
      else gathered.head = folded;
    },
    isPlain: () => isPlain,
    finish(reading: Reading<unknown>): Order {
      if (isContinued) return { hidden: isPlain ? undefined : null, losses: undefined };
      const { skeleton, losses } = finishSkeleton(reading, gathered);
      const head = skeleton.head === skeleton.length - 1 ? undefined : skeleton.id(skeleton.head);
      return { hidden: hiddenBits(skeleton), losses, head };
    },
  };
}

/** For a list: whether there may be a problem, and no more. */
export function plainOrder(): ReturnType<typeof newOrder> {
  const ids = new Set<string>();
  let isPlain = true;
  return {
    doubt() {
      isPlain = false;
    },
    add(folded) {
      if (folded.type === "head") return;
      const { id } = folded.type === "entry" ? folded.entry : folded;
      // Also one that another record is called by.
      if (folded.type === "entry" && ids.has(id)) isPlain = false;
      ids.add(id);
    },
    isPlain: () => isPlain,
    finish: () => ({ hidden: null, losses: [], head: undefined }),
  };
}

/** A bit for each entry that was taken back or compacted away; empty when there is none. */
export function hiddenBits(skeleton: Skeleton): Uint8Array {
  if (isStraight(skeleton)) return new Uint8Array();
  const thread = new Set(threadPositions(skeleton));
  if (thread.size === skeleton.length) return new Uint8Array();
  const bits = new Uint8Array(Math.ceil(skeleton.length / 8));
  let last = 0;
  for (let at = 0; at < skeleton.length; at++) {
    if (thread.has(at)) continue;
    bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
    last = at >> 3;
  }
  return bits.slice(0, last + 1);
}

/** Whether each entry follows the one before it, to the last, and none stands for others. */
function isStraight(skeleton: Skeleton): boolean {
  if (skeleton.head !== skeleton.length - 1) return false;
  for (let at = 0; at < skeleton.length; at++)
    if (skeleton.parent(at) !== at - 1 || skeleton.type(at) === "compaction") return false;
  return true;
}

interface Order {
  /** See `hidden` in schema.ts; undefined = as it was, null = nobody knows. */
  hidden: Uint8Array | null | undefined;
  /** Undefined when only a part of the session was read. */
  losses: Loss[] | undefined;
  head?: string | undefined;
}

/** What the order of all entries shows, also of a session that was read from somewhere on. */
export async function seenWhole(
  adapter: Reader,
  ref: SessionRef,
  { hidden, losses }: Order,
  before: string[] | undefined,
): Promise<{ hidden: Order["hidden"]; structure: string[] }> {
  if (losses) return { hidden, structure: problemsIn(losses) };
  const isSettled = hidden === undefined && before?.length === 0;
  if (isSettled || sizeOf(ref) > LOOKED_AT_AGAIN) return { hidden, structure: before ?? [] };
  const { skeleton, losses: all } = await adapter.open(ref);
  return {
    hidden: hiddenBits(skeleton),
    structure: problemsIn(all.filter(({ kind }) => STRUCTURE.has(kind))),
  };
}

/** The kinds that `finishSkeleton` finds. */
const STRUCTURE: ReadonlySet<Loss["kind"]> = new Set([
  "parent_missing",
  "id_duplicate",
  "call_unanswered",
  "result_orphaned",
]);

/** Of a longer session that went on, what only the whole of it shows is found out when somebody asks. */
const LOOKED_AT_AGAIN = 4 << 20;
