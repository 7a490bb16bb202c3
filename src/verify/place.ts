// Finds the place of each fact in a request. Facts must come in their order, so the longest run of certain
// matches is fixed first and the rest is looked for between its neighbours.
import { type Asked, type Item, locate, use } from "./asked.ts";
import { type CallFact, difference, matchCall } from "./calls.ts";
import { type Fact, fingerprint, type Speaker } from "./facts.ts";

export interface Place {
  /** Orders places: block first, then offset inside it. */
  start: number;
  /** One block, or the calls that one call was split into. */
  items: Item[];
  /** The stretch of the block's text, where it is text. */
  offset: number;
  length: number;
  /** Arguments of a call that are not there. */
  dropped?: string[];
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
  if (fact.type === "call") return placeChanged(fact, wire) ?? placeProse(fact, callTexts(fact), wire);
  return "text" in fact && fact.text ? placeProse(fact, [fact.text], wire) : undefined;
}

/** A call that bears the right id, but says something else. */
function placeChanged(fact: CallFact, wire: Asked): { place: Place; reason: string } | undefined {
  const item = wire.calls.find(
    ({ block, used }) => block.type === "tool_use" && block.id === fact.callId && used.length === 0,
  );
  return item && { place: whole(item), reason: difference(fact, item) };
}

function placeProse(
  fact: Ordered,
  texts: readonly string[],
  wire: Asked,
): { place: Place; reason: string } | undefined {
  const [first = ""] = texts;
  if (first === "") return undefined;
  for (const item of wire.items) {
    if (item.isOwn || !texts.every((text) => item.text.includes(text))) continue;
    const offset = locate(item, first);
    if (offset === -1) continue;
    const was = fact.type === "text" ? `text of the ${fact.role}` : `a ${fact.type}`;
    const place = { start: position(item, offset), items: [item], offset, length: first.length };
    return { place, reason: `${was} became ${item.block.type} of the ${item.role}` };
  }
  return undefined;
}

/** The words of a call by which it is recognised where it became prose. */
function callTexts({ call: { input } }: CallFact): string[] {
  const words = [
    input.command,
    input.content,
    input.pattern,
    input.prompt,
    input.query,
    input.url,
    input.path,
  ];
  const [first] = words.filter((word) => typeof word === "string" && word !== "");
  return typeof first === "string" ? [first] : [];
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
      if (item.isOwn) continue;
      const key = `${item.role}:${item.text.trim()}`;
      const same = byText.get(key);
      if (same) same.push(item);
      else byText.set(key, [item]);
    } else if (item.block.type === "tool_use") byId.set(item.block.id, item);
  }
  return facts.map((fact) => {
    if (isContext(fact)) return [];
    if (fact.type === "text") {
      const same = rolesOf(fact).flatMap((role) => byText.get(`${role}:${fact.text}`) ?? []);
      // What is said all the time marks no place; it is looked for between what does.
      return same.length > MOST_ALIKE ? [] : same.map((item) => wholeOf(item, fact.text));
    }
    if (fact.type !== "call") return [];
    const item = byId.get(fact.callId);
    const place = item && placeCall(fact, item, wire);
    return place ? [place] : [];
  });
}

/** No vendor has a place for a system message inside a conversation, so it may be told in the user's role. */
function rolesOf({ role }: { role: Speaker }): readonly Speaker[] {
  return role === "system" ? ["system", "user"] : [role];
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
  // A block of its own comes before a place inside another.
  const own =
    fact.type === "text" && scan(fact, wire, after, before, ({ text }) => text.trim() === fact.text);
  return own || scan(fact, wire, after, before, () => true);
}

function scan(
  fact: Ordered,
  wire: Asked,
  after: number,
  before: number,
  filter: (item: Item) => boolean,
): Place | undefined {
  const first = Math.max(0, Math.floor(after / 2 ** 30));
  for (let at = first; at < wire.items.length; at++) {
    const item = wire.items[at] as Item;
    if (position(item) >= before) return undefined;
    const place = filter(item) ? placeAt(fact, item, wire) : undefined;
    if (place && place.start > after && place.start < before) return place;
  }
  return undefined;
}

function placeAt(fact: Ordered, item: Item, wire: Asked): Place | undefined {
  switch (fact.type) {
    case "text": {
      if (item.block.type !== "text" || item.isOwn || !rolesOf(fact).some((role) => role === item.role))
        return undefined;
      const text = [...(fact.forms ?? []), fact.text].find((form) => locate(item, form) !== -1);
      if (text === undefined) return undefined;
      const offset = locate(item, text);
      return { start: position(item, offset), items: [item], offset, length: text.length };
    }
    case "call":
      return item.call !== -1 && item.used.length === 0 ? placeCall(fact, item, wire) : undefined;
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
        // No vendor lets a model's message hold an image, so one that it made may be told in the user's role.
        (item.role === fact.role || fact.role === "assistant") &&
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

/** A call may have become several. */
function placeCall(fact: CallFact, first: Item, wire: Asked): Place | undefined {
  const match = matchCall(fact, first, wire);
  return match && { ...whole(first), ...match };
}
