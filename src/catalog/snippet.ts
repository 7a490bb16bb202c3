// The piece of a text that shows why it was found: one line around the words that were looked for, with where they are.
import { withoutSequences } from "../formats/escapes.ts";
import type { Phrase, SearchQuery } from "./search-query.ts";
import { composed, foldText } from "./words.ts";

export interface Snippet {
  text: string;
  /** First and behind the last character of each word or phrase that was found. */
  marks: [start: number, end: number][];
}

export interface Finder {
  /** How many phrases one text can have. */
  phrases: number;
  /** Where in the text most of what was looked for is closest together. */
  find(text: string): Spot | undefined;
}

/** A stretch of a text with what was found in it. */
export interface Spot {
  /** Letters that came in pieces are whole in it. */
  text: string;
  /** How many different phrases; more is better. */
  phrases: number;
  marks: [start: number, end: number][];
}

const WIDTH = 160;

export function newFinder({ groups }: SearchQuery, width = WIDTH): Finder {
  const phrases = groups.flat();
  const whole = patternOf(phrases);
  // The words of a phrase may stand in two strings of a record.
  const single = patternOf(
    phrases.flatMap((phrase) => phrase.words.map((word) => ({ ...phrase, words: [word] }))),
  );
  return {
    phrases: phrases.length,
    find(given) {
      const text = composed(given);
      const folded = foldPlaces(text);
      const matches = matchesIn(folded.text, whole);
      const best = closest(matches.length > 0 ? matches : matchesIn(folded.text, single), width);
      return best && { ...best, text, marks: best.marks.map(([start, end]) => folded.places(start, end)) };
    },
  };
}

/** What the tokenizer takes for a letter, where case does not count. */
const LETTER = "[a-z0-9\\u0080-\\uffff]";

function patternOf(phrases: readonly Phrase[]): RegExp {
  const one = ({ words, isOpenBefore, isOpenAfter }: Phrase) => {
    const begin = isOpenBefore ? "" : `(?<!${LETTER})`;
    const end = isOpenAfter ? "" : `(?!${LETTER})`;
    return `(${begin}${words.join(`[^a-z0-9\\u0080-\\uffff]+`)}${end})`;
  };
  return new RegExp(phrases.map(one).join("|"), "gi");
}

interface Found {
  phrase: number;
  start: number;
  end: number;
}

/** More would not show the text any better. */
const MOST_MATCHES = 500;

function matchesIn(text: string, pattern: RegExp): Found[] {
  const found: Found[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match && found.length < MOST_MATCHES; match = pattern.exec(text)) {
    const [whole] = match;
    const phrase = match.findIndex((part, index) => index > 0 && part !== undefined);
    found.push({ phrase, start: match.index, end: match.index + whole.length });
  }
  return found;
}

/** The stretch of this width with the most phrases; the first of several. */
function closest(found: readonly Found[], width: number): Omit<Spot, "text"> | undefined {
  let best: Omit<Spot, "text"> | undefined;
  for (const [index, first] of found.entries()) {
    const inside = found.slice(index, index + width).filter(({ end }) => end - first.start <= width * 0.8);
    const marked = inside.length > 0 ? inside : [first];
    const phrases = new Set(marked.map(({ phrase }) => phrase)).size;
    if (!best || phrases > best.phrases)
      best = { phrases, marks: marked.map(({ start, end }) => [start, end]) };
  }
  return best;
}

/** The folded text, and where in the text a stretch of it comes from. */
function foldPlaces(text: string): { text: string; places(start: number, end: number): [number, number] } {
  if (!/[^\x00-\x7f]/.test(text)) return { text, places: (start, end) => [start, end] };
  const folded: number[] = [];
  const original: number[] = [];
  let all = "";
  let from = 0;
  const note = (at: number) => {
    folded.push(all.length);
    original.push(at);
  };
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) < 0x80) continue;
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    note(from);
    all += text.slice(from, at);
    note(at);
    all += foldText(character);
    at += character.length - 1;
    from = at + 1;
  }
  note(from);
  all += text.slice(from);
  note(text.length);
  const segment = (place: number) => {
    let [low, high] = [0, folded.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((folded[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const originalOf = (place: number) => {
    const at = segment(place);
    const end = original[at + 1] ?? text.length;
    return Math.min((original[at] ?? 0) + place - (folded[at] ?? 0), Math.max(original[at] ?? 0, end - 1));
  };
  return {
    text: all,
    places(start, end) {
      const last = originalOf(end - 1);
      return [originalOf(start), last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1)];
    },
  };
}

/** One line around the marks. */
export function cutAround({ text, marks }: Spot, width = WIDTH): Snippet {
  const [first = 0] = marks[0] ?? [];
  const last = marks.at(-1)?.[1] ?? first;
  const room = Math.max(0, width - (last - first));
  // What comes behind a word says more than what stands before it.
  const begin = wordBoundary(text, Math.max(0, first - Math.ceil(room / 3)), first);
  const end = Math.min(text.length, begin + Math.max(width, last - begin));
  let line = begin > 0 ? "…" : "";
  const placed: Snippet["marks"] = [];
  let from = begin;
  for (const [start, stop] of marks) {
    line += clean(text.slice(from, start), line === "");
    const marked = clean(text.slice(start, Math.min(stop, start + width)), true);
    placed.push([line.length, line.length + marked.length]);
    line += marked;
    from = stop;
  }
  line += clean(text.slice(from, end), false);
  return { text: end < text.length ? `${line.trimEnd()}…` : line.trimEnd(), marks: placed };
}

const NEAR_BOUNDARY = 20;

/** The beginning of a word soon behind the place, if there is one. */
function wordBoundary(text: string, from: number, to: number): number {
  if (from === 0) return 0;
  const blank = text.slice(from, Math.min(from + NEAR_BOUNDARY, to)).search(/\s\S/);
  if (blank >= 0) return from + blank + 1;
  // Not between the two halves of a character.
  return /[\udc00-\udfff]/.test(text[from] ?? "") ? from + 1 : from;
}

/** Texts are untrusted: nothing in them acts on a terminal, and a line stays a line. */
function clean(text: string, isBeginning: boolean): string {
  const line = withoutSequences(text)
    .replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .toWellFormed();
  return isBeginning ? line.trimStart() : line;
}
