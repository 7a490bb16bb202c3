// Finds the place of each fact in a request. Facts must come in their order, so the longest run of certain
// matches is fixed first and the rest is looked for between its neighbours.
import { find, type Progress } from "./arguments.ts";
import { type Asked, type Item, locate, use } from "./asked.ts";
import { type Fact, fingerprint } from "./facts.ts";

export interface Place {
  /** Orders places: block first, then offset inside it. */
  start: number;
  /** One block, or the calls that one call was split into. */
  items: Item[];
  /** The stretch of the block's text, where it is text. */
  offset: number;
  length: number;
}

/** Facts that live inside a result are placed by their call, everything else by its own order. */
type Ordered = Exclude<Fact, { type: "result" }>;

export function placeInOrder(facts: readonly Fact[], wire: Asked): (Place | undefined)[] {
  const places = longestRun(certain(facts, wire));
  for (const place of places) if (place) usePlace(place);
  const before = limits(places);
  const turnBefore = limits(places.map((place, at) => (isUserText(facts[at]) ? undefined : place)));
  let after = -1;
  let turn = -1;
  for (const [at, fact] of facts.entries()) {
    let place = places[at];
    if (!place && isOrdered(fact)) {
      // Where its context stands beside the user's words is the CLI's own affair.
      place = isContext(fact)
        ? firstBetween(fact, wire, turn, turnBefore[at] as number)
        : firstBetween(fact, wire, after, before[at] as number);
      if (place) usePlace(place);
      places[at] = place;
    }
    if (!place || isContext(fact)) continue;
    after = place.start;
    if (!isUserText(fact)) turn = place.start;
  }
  return places;
}

function isUserText(fact: Fact | undefined): boolean {
  return fact?.type === "text" && fact.role === "user";
}

function isContext(fact: Fact): boolean {
  return isUserText(fact) && fact.injected === true;
}

/** For each fact where the next certain one begins. */
function limits(places: readonly (Place | undefined)[]): number[] {
  let limit = Number.POSITIVE_INFINITY;
  const backwards = places.toReversed().map((place) => {
    const before = limit;
    limit = place?.start ?? limit;
    return before;
  });
  return backwards.toReversed();
}

/** Looks for a fact that is not in its place: out of order, in another role, or turned into prose. */
export function placeAnywhere(fact: Fact, wire: Asked): { place: Place; reason: string } | undefined {
  if (!isOrdered(fact)) return undefined;
  const displaced = firstBetween(fact, wire, -1, Number.POSITIVE_INFINITY);
  if (displaced) return { place: displaced, reason: "it is out of order" };
  const texts = fact.type === "text" || fact.type === "thinking" ? [fact.text] : callTexts(fact);
  if (texts.length === 0 || texts[0] === "") return undefined;
  for (const item of wire.items) {
    if (!texts.every((text) => item.text.includes(text))) continue;
    const offset = locate(item, texts[0] as string);
    if (offset === -1) continue;
    const was = fact.type === "text" ? `text of the ${fact.role}` : `a ${fact.type}`;
    const place = { start: position(item, offset), items: [item], offset, length: texts[0]?.length ?? 0 };
    return { place, reason: `${was} became ${item.block.type} of the ${item.role}` };
  }
  return undefined;
}

function callTexts(fact: Ordered): string[] {
  if (fact.type !== "call") return [];
  return fact.pieces.flatMap((piece) => [...piece.strings, ...piece.removed, ...piece.added]);
}

function isOrdered(fact: Fact): fact is Ordered {
  return fact.type === "call" || (fact.type !== "result" && !("callId" in fact));
}

function usePlace(place: Place): void {
  for (const item of place.items) use(item, place.offset, place.length);
}

const MOST_ALIKE = 20;

/** Candidates that need no search: the same text as a whole block, the same bytes, the same call id. */
function certain(facts: readonly Fact[], wire: Asked): Place[][] {
  const byText = new Map<string, Item[]>();
  const byId = new Map<string, Item>();
  for (const item of wire.items) {
    if (item.block.type === "text") {
      const key = `${item.role}:${item.text.trim()}`;
      const same = byText.get(key);
      if (same) same.push(item);
      else byText.set(key, [item]);
    } else if (item.block.type === "tool_use") byId.set(item.block.id, item);
  }
  return facts.map((fact) => {
    if (isContext(fact)) return [];
    if (fact.type === "text") {
      const same = byText.get(`${fact.role}:${fact.text}`) ?? [];
      // What is said all the time marks no place; it is looked for between what does.
      return same.length > MOST_ALIKE ? [] : same.map((item) => wholeOf(item, fact.text));
    }
    if (fact.type !== "call") return [];
    const item = byId.get(fact.callId);
    const place = item && placeCall(fact, item, wire);
    return place ? [place] : [];
  });
}

function wholeOf(item: Item, text: string): Place {
  const offset = item.text.indexOf(text);
  return { start: position(item, offset), items: [item], offset, length: text.length };
}

function position(item: Item, offset = 0): number {
  return item.at * 2 ** 30 + offset;
}

interface Link {
  fact: number;
  place: Place;
  before: Link | undefined;
}

/** The most facts whose places rise with them: the longest increasing subsequence over all candidates. */
function longestRun(candidates: readonly Place[][]): (Place | undefined)[] {
  const ends: Link[] = [];
  for (const [fact, places] of candidates.entries()) {
    for (const place of places.toSorted((a, b) => b.start - a.start)) {
      const at = firstNotBelow(ends, place.start);
      ends[at] = { fact, place, before: ends[at - 1] };
    }
  }
  const run: (Place | undefined)[] = candidates.map(() => undefined);
  for (let link = ends.at(-1); link; link = link.before) run[link.fact] = link.place;
  return run;
}

function firstNotBelow(ends: readonly Link[], start: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle]?.place.start ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstBetween(fact: Ordered, wire: Asked, after: number, before: number): Place | undefined {
  const first = Math.max(0, Math.floor(after / 2 ** 30));
  for (let at = first; at < wire.items.length; at++) {
    const item = wire.items[at] as Item;
    if (position(item) >= before) return undefined;
    const place = placeAt(fact, item, wire);
    if (place && place.start > after && place.start < before) return place;
  }
  return undefined;
}

function placeAt(fact: Ordered, item: Item, wire: Asked): Place | undefined {
  switch (fact.type) {
    case "text": {
      if (item.block.type !== "text" || item.role !== fact.role) return undefined;
      const offset = locate(item, fact.text);
      return offset === -1
        ? undefined
        : { start: position(item, offset), items: [item], offset, length: fact.text.length };
    }
    case "call":
      return item.arguments !== undefined && item.used.length === 0 ? placeCall(fact, item, wire) : undefined;
    case "thinking":
      return item.block.type === "thinking" &&
        item.used.length === 0 &&
        item.text.trim() === fact.text &&
        (fact.signature === undefined || item.block.signature === fact.signature)
        ? whole(item)
        : undefined;
    case "image":
    case "document":
      return item.block.type === fact.type &&
        item.used.length === 0 &&
        item.role === fact.role &&
        fingerprint(item.block) === fact.bytes
        ? whole(item)
        : undefined;
    default:
      fact satisfies never;
      return undefined;
  }
}

function whole(item: Item): Place {
  return { start: position(item), items: [item], offset: 0, length: item.text.length };
}

/** A call may have become several: its pieces are then found in order in later calls of the same group. */
function placeCall(fact: Extract<Fact, { type: "call" }>, first: Item, wire: Asked): Place | undefined {
  if (!isNamed(fact.name, first)) return undefined;
  const items = [first];
  let progress: Progress = { removed: 0, added: 0 };
  let next = first.call;
  for (const [index, piece] of fact.pieces.entries()) {
    for (;;) {
      const item = wire.calls[next];
      if (!item?.arguments || item.group !== first.group || (item.used.length > 0 && item !== first))
        return undefined;
      const found = find(piece, item.arguments, progress);
      if (found) {
        progress = found;
        if (!items.includes(item)) items.push(item);
        break;
      }
      if (index === 0) return undefined;
      next++;
      progress = { removed: 0, added: 0 };
    }
  }
  return { ...whole(first), items };
}

/** Servers and namespaces are written differently from agent to agent; the tool's own name is not. */
function isNamed(name: string | undefined, item: Item): boolean {
  if (name === undefined || item.block.type !== "tool_use") return true;
  const own = name.split(/__|\./).at(-1) ?? name;
  return `${item.block.namespace ?? ""}${item.block.name}`.includes(own);
}
