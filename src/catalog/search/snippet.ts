// The piece of a text that shows why it was found: one line around the words that were looked for, with where they are.
import { withoutSequences } from "../../session/escapes.ts";
import { foldedOf } from "./folded.ts";
import type { Phrase, SearchQuery } from "./query.ts";

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
  /** Without colours, and with letters whole that came in pieces. */
  text: string;
  /** How many different phrases, more is better; less than one when only words of them are there. */
  phrases: number;
  marks: [start: number, end: number][];
}

const WIDTH = 160;

export function newFinder({ groups }: SearchQuery, width = WIDTH): Finder {
  const phrases = groups.flat();
  // A text may have changed, or its words stand in two strings of a record.
  const single = phrases.flatMap((phrase) => phrase.words.map((word) => ({ ...phrase, words: [word] })));
  return {
    phrases: phrases.length,
    find(given) {
      const { text, folded, places } = foldedOf(given);
      const best =
        bestSpot(folded, phrases, width) ??
        (single.length > phrases.length
          ? ofWords(bestSpot(folded, single, width), single.length)
          : undefined);
      return best && { ...best, text, marks: best.marks.map(([start, end]) => places(start, end)) };
    },
  };
}

function ofWords(spot: Best | undefined, words: number): Best | undefined {
  return spot && { ...spot, phrases: spot.phrases / (words + 1) };
}

interface Found {
  phrase: number;
  start: number;
  end: number;
}

type Best = Omit<Spot, "text">;

/** More would not show the text any better. */
const MOST_MATCHES = 100;

/** Around where the rarest phrase stands: a common one may be anywhere, and is found there as well. */
function bestSpot(text: string, phrases: readonly Phrase[], width: number): Best | undefined {
  const all = phrases.map((phrase, index) => matchesIn(text, phrase, index, 0, text.length));
  const rarest = all.filter(({ length }) => length > 0).sort((a, b) => a.length - b.length)[0];
  let best: Best | undefined;
  for (const { start, end } of rarest ?? []) {
    const [from, to] = [Math.max(0, start - width), Math.min(text.length, end + width)];
    const near = phrases.flatMap((phrase, index) => matchesIn(text, phrase, index, from, to));
    const spot = closest(
      near.sort((a, b) => a.start - b.start || b.end - a.end),
      width,
    );
    if (spot && spot.phrases > (best?.phrases ?? 0)) best = spot;
    if (best?.phrases === phrases.length) break;
  }
  return best;
}

/** Where the phrase begins between two places. */
function matchesIn(text: string, phrase: Phrase, number: number, from: number, to: number): Found[] {
  const [first = ""] = phrase.words;
  const found: Found[] = [];
  for (let at = text.indexOf(first, from); at !== -1 && at < to; at = text.indexOf(first, at + 1)) {
    const end = endOf(text, phrase, at);
    if (end === undefined) continue;
    found.push({ phrase: number, start: at, end });
    if (found.length === MOST_MATCHES) break;
    at = end - 1;
  }
  return found;
}

function endOf(
  text: string,
  { words, isOpenBefore, isOpenAfter }: Phrase,
  start: number,
): number | undefined {
  if (!isOpenBefore && isLetter(text, start - 1)) return undefined;
  let at = start;
  for (const [index, word] of words.entries()) {
    if (index > 0) {
      if (isLetter(text, at)) return undefined;
      while (at < text.length && !isLetter(text, at)) at++;
    }
    if (!text.startsWith(word, at)) return undefined;
    at += word.length;
  }
  return isOpenAfter || !isLetter(text, at) ? at : undefined;
}

/** What the tokenizer takes for one, in lower case. */
function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x80 || (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** The stretch of about this width with the most phrases; the first of several. */
function closest(found: readonly Found[], width: number): Best | undefined {
  const counts = new Map<number, number>();
  const count = ({ phrase }: Found, change: number) => {
    const now = (counts.get(phrase) ?? 0) + change;
    if (now > 0) counts.set(phrase, now);
    else counts.delete(phrase);
  };
  let best = { from: 0, to: 0, phrases: 0 };
  let to = 0;
  for (const [from, first] of found.entries()) {
    for (
      let next = found[to];
      next && (to === from || next.end - first.start <= width * SHARE);
      next = found[to]
    ) {
      count(next, 1);
      to++;
    }
    if (counts.size > best.phrases) best = { from, to, phrases: counts.size };
    count(first, -1);
  }
  if (best.phrases === 0) return undefined;
  return {
    phrases: best.phrases,
    marks: found.slice(best.from, best.to).map(({ start, end }) => [start, end]),
  };
}

/** Of the width, for what was found; the rest shows what stands around it. */
const SHARE = 0.8;

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
