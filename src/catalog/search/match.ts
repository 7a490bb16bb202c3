// A query in the index's own language. Every word is quoted, so nothing that was typed means anything else there.
import type { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import type { Phrase, SearchQuery } from "./query.ts";
import { wordsWith } from "./terms.ts";

export interface Match {
  /** Undefined when the shard has none of the words: nothing can be found there. */
  expression: string | undefined;
  /** Whether a part is in more words than could be looked for. */
  isCut: boolean;
}

/** More words than this make a search slow; the shortest, which are nearest to what was meant, are looked for. */
const MOST_TERMS = 300;
/** Of words to leave out all count: one that is forgotten would let through what nobody wants. */
const MOST_EXCLUDED = 2000;

export function matchIn(shard: DatabaseSync, { groups, excluded }: SearchQuery): Match {
  let isCut = false;
  const told = (phrase: Phrase): string[] => {
    const { expressions, isCut: cut } = expressionsOf(shard, phrase, MOST_TERMS);
    isCut ||= cut;
    return expressions;
  };
  const all: string[] = [];
  for (const group of groups) {
    const any = group.flatMap(told);
    if (any.length === 0) return { expression: undefined, isCut };
    all.push(`(${any.join(" OR ")})`);
  }
  const none = excluded.flatMap((phrase) => allOf(shard, phrase));
  const wanted = all.join(" AND ");
  return { expression: none.length > 0 ? `(${wanted}) NOT (${none.join(" OR ")})` : wanted, isCut };
}

function allOf(shard: DatabaseSync, phrase: Phrase): string[] {
  const { expressions, isCut } = expressionsOf(shard, phrase, MOST_EXCLUDED);
  if (!isCut) return expressions;
  const part = `*${phrase.words.join(" ")}${phrase.isOpenAfter ? "*" : ""}`;
  throw new BatonError(
    "usage",
    `-${part} cannot be left out: more than ${MOST_EXCLUDED.toLocaleString("en")} words are like this.`,
    "Give more letters of it, or whole words to leave out.",
  );
}

const CLOSE = 8;

/** The same words close to one another, where that says something. */
export function nearness({ groups }: SearchQuery): string | undefined {
  const phrases = groups.map(([phrase]) => phrase);
  const isPlain = groups.every((group) => group.length === 1) && !phrases.some((one) => one?.isOpenBefore);
  if (groups.length < 2 || !isPlain) return undefined;
  return `NEAR(${phrases.map((phrase) => (phrase ? quoted(phrase, phrase.words) : "")).join(" ")}, ${CLOSE})`;
}

/** The alternatives that a phrase comes down to: one, unless it begins in the middle of a word. */
function expressionsOf(
  shard: DatabaseSync,
  phrase: Phrase,
  most: number,
): { expressions: string[]; isCut: boolean } {
  const { words, isOpenBefore, isOpenAfter } = phrase;
  if (!isOpenBefore) return { expressions: [quoted(phrase, words)], isCut: false };
  const [first = "", ...rest] = words;
  const found = wordsWith(shard, { text: first, isOpenAfter: isOpenAfter && rest.length === 0 });
  const isOpen = { ...phrase, isOpenAfter: isOpenAfter && rest.length > 0 };
  return {
    expressions: found.slice(0, most).map((word) => quoted(isOpen, [word, ...rest])),
    isCut: found.length > most,
  };
}

function quoted({ isOpenAfter }: Phrase, words: readonly string[]): string {
  return `"${words.join(" ")}"${isOpenAfter ? " *" : ""}`;
}
