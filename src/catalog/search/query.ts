// The language of searches: words, "phrases", beginnings*, *parts*, -without, OR, and filters such as agent:NAME.
// What cannot be understood is an error that shows the place.
import { BatonError } from "../../session/error.ts";
import { wordsOf } from "../index/words.ts";
import { SCOPES } from "../schema.ts";
import { sinceOf } from "../since.ts";

/** Words that stand one behind another. What is written with punctuation or without blanks is several words. */
export interface Phrase {
  words: readonly string[];
  /** The first word may be the end of a longer one. */
  isOpenBefore: boolean;
  /** The last word may be the beginning of a longer one. */
  isOpenAfter: boolean;
}

export const FILTERS = ["agent", "project", "file", "tool", "model", "scope", "since"] as const;
export type FilterName = (typeof FILTERS)[number];

/** One of its values has to hold, or none of them where it is excluded. */
export interface Filter {
  name: FilterName;
  values: readonly string[];
  isExcluded: boolean;
}

export interface SearchQuery {
  /** Every group has to be there; of a group, one phrase is enough. */
  groups: readonly (readonly Phrase[])[];
  /** None of them may be there. */
  excluded: readonly Phrase[];
  filters: readonly Filter[];
}

export interface QueryOptions {
  /** The agents there are; any is taken when they are not given. */
  agents?: readonly string[];
  now?: number;
}

/** More would take longer than anybody waits, and is a text that was pasted by mistake. */
const MOST_WORDS = 64;
const LONGEST = 10_000;

export function parseQuery(text: string, options: QueryOptions = {}): SearchQuery {
  if (text.length > LONGEST)
    throw new BatonError(
      "usage",
      `The query has ${text.length} characters, more than ${LONGEST}.`,
      "A few words that stand together find a text as well as all of it.",
    );
  const query: Understood = { text, groups: [], excluded: [], filters: [], words: 0, isChoice: false };
  for (const piece of piecesOf(text)) add(query, piece, options);
  return finished(query);
}

/** A part of the query between blanks, and where it stands. */
interface Piece {
  at: number;
  isExcluded: boolean;
  filter?: { name: string; at: number };
  value: string;
  /** Where the value begins, without its quote. */
  valueAt: number;
  isQuoted: boolean;
  isOpenBefore: boolean;
  isOpenAfter: boolean;
}

const QUOTES = `"“”„`;
const NAMED = /([a-z_]+):/iy;
/** What stands behind the colon of a filter; otherwise it is an address, a line's number, or the end of a word. */
const BEGINS_VALUE = /[^\s:/\\\d]/;

function* piecesOf(text: string): Generator<Piece> {
  const blanks = /\s*/y;
  for (let at = 0; at < text.length; ) {
    blanks.lastIndex = at;
    at += blanks.exec(text)?.[0].length ?? 0;
    if (at >= text.length) return;
    const { piece, end } = pieceAt(text, at);
    yield piece;
    at = end;
  }
}

function pieceAt(text: string, start: number): { piece: Piece; end: number } {
  // Two are how an option begins, and one alone is a dash.
  const isExcluded = text[start] === "-" && /[^\s-]/.test(text[start + 1] ?? " ");
  let at = isExcluded ? start + 1 : start;
  NAMED.lastIndex = at;
  const name = NAMED.exec(text)?.[1];
  const isFilter =
    FILTERS.some((filter) => filter === name?.toLowerCase()) ||
    BEGINS_VALUE.test(text[at + (name?.length ?? 0) + 1] ?? " ");
  const filter = name !== undefined && isFilter ? { name, at } : undefined;
  if (filter) at += filter.name.length + 1;
  const isOpenBefore = !filter && text[at] === "*" && isQuote(text[at + 1]);
  if (isOpenBefore) at++;
  const common = { at: start, isExcluded, ...(filter && { filter }) };
  if (!isQuote(text[at])) {
    const value = /\S*/y;
    value.lastIndex = at;
    const [word = ""] = value.exec(text) ?? [];
    const open = { isOpenBefore: /^\*./.test(word), isOpenAfter: /.\*$/.test(word) };
    return {
      piece: { ...common, value: word, valueAt: at, isQuoted: false, ...open },
      end: at + word.length,
    };
  }
  const close = closing(text, at + 1);
  const value = text.slice(at + 1, close);
  const isOpenAfter = !filter && text[close + 1] === "*";
  return {
    piece: { ...common, value, valueAt: at + 1, isQuoted: true, isOpenBefore, isOpenAfter },
    end: close + (isOpenAfter ? 2 : 1),
  };
}

function isQuote(character: string | undefined): boolean {
  return character !== undefined && QUOTES.includes(character);
}

function closing(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (isQuote(text[at])) return at;
  throw mistake(text, from - 1, "This quote is not closed.", 'Close it with ", or leave it out.');
}

/** What was understood so far. */
interface Understood {
  text: string;
  groups: Phrase[][];
  excluded: Phrase[];
  filters: Filter[];
  words: number;
  /** Where an OR stands that waits for what comes next. */
  or?: number | undefined;
  /** Whether an OR may come next: behind something that is looked for. */
  isChoice: boolean;
  firstExcluded?: number;
}

function add(query: Understood, piece: Piece, options: QueryOptions): void {
  const { value, filter, isQuoted, isExcluded, isOpenBefore, isOpenAfter } = piece;
  const isPlain = !isQuoted && !isExcluded && !filter;
  const words = wordsOf(value);
  if (filter) addFilter(query, piece, filter, options);
  else if (isPlain && value === "OR") addOr(query, piece.at);
  else if (isQuoted && words.length === 0)
    throw mistake(query.text, piece.valueAt - 1, "There is no word between these quotes.", NO_WORDS_HINT);
  // What has no letters only stands between words, and AND is what happens anyway.
  else if (words.length > 0 && !(isPlain && value === "AND"))
    addPhrase(query, piece, { words, isOpenBefore, isOpenAfter });
}

function addOr(query: Understood, at: number): void {
  if (!query.isChoice) throw mistake(query.text, at, "OR stands between two words or phrases.", OR_HINT);
  query.or = at;
  query.isChoice = false;
}

function addFilter(
  query: Understood,
  piece: Piece,
  { name, at }: { name: string; at: number },
  options: QueryOptions,
): void {
  const { text, or, filters } = query;
  if (or !== undefined) throw mistake(text, or, "OR joins words and phrases, not filters.", OR_HINT);
  const known = FILTERS.find((filter) => filter === name.toLowerCase());
  if (!known) throw mistake(text, at, `There is no filter "${name}:".`, unknownHint(text, piece));
  const values = valuesOf(text, piece, known, options);
  filters.push({ name: known, values, isExcluded: piece.isExcluded });
  query.isChoice = false;
}

function addPhrase(query: Understood, piece: Piece, phrase: Phrase): void {
  const { text, groups, excluded, or } = query;
  query.words += phrase.words.length;
  if (query.words > MOST_WORDS)
    throw mistake(text, piece.at, `A query has at most ${MOST_WORDS} words.`, "Leave some out from here on.");
  if (phrase.isOpenBefore && /^[a-z0-9]?$/.test(phrase.words[0] ?? ""))
    throw mistake(text, piece.at, "Nearly every word ends like this.", "Give at least two letters behind *.");
  if (piece.isExcluded && or !== undefined)
    throw mistake(text, piece.at, "What is excluded cannot be a choice of OR.", OR_HINT);
  if (piece.isExcluded) {
    excluded.push(phrase);
    query.firstExcluded ??= piece.at;
  } else if (or !== undefined) groups.at(-1)?.push(phrase);
  else groups.push([phrase]);
  query.or = undefined;
  query.isChoice = !piece.isExcluded;
}

function finished({ text, groups, excluded, filters, or, firstExcluded }: Understood): SearchQuery {
  if (or !== undefined) throw mistake(text, or, "There is nothing behind this OR.", OR_HINT);
  if (groups.length > 0) return { groups, excluded, filters };
  if (firstExcluded !== undefined)
    throw mistake(text, firstExcluded, "The query only says what is not looked for.", "Add a word to find.");
  throw emptyQuery(text, filters);
}

const OR_HINT = "Write: one OR other. Several values of one filter are alternatives as they are.";
const NO_WORDS_HINT = "Words are made of letters and digits; all else only stands between them.";

function emptyQuery(text: string, filters: readonly Filter[]): BatonError {
  if (filters.length > 0)
    return mistake(
      text,
      text.length,
      "There are filters, but no word to look for.",
      "Add a word; `baton list` filters sessions without any.",
    );
  if (text.trim() === "")
    return new BatonError(
      "usage",
      "There is nothing to look for.",
      'Give words, for example: baton search "database migration" since:3d',
    );
  return mistake(text, text.search(/\S/), "There is nothing but punctuation here.", NO_WORDS_HINT);
}

function unknownHint(text: string, { at, isExcluded, value, valueAt, filter }: Piece): string {
  const from = isExcluded ? at + 1 : at;
  const literal = text.slice(from, valueAt + value.length).replace(/["“”„]/g, "");
  const wanted = filter && literal !== "" ? ` To look for the words themselves: "${literal}"` : "";
  return `Filters are ${FILTERS.map((name) => `${name}:`).join(", ")}.${wanted}`;
}

/** Several values stand behind one another with commas, where no value has commas of its own. */
function valuesOf(text: string, piece: Piece, name: FilterName, { agents, now }: QueryOptions): string[] {
  const { value, valueAt, isQuoted } = piece;
  const isList = !isQuoted && ["agent", "scope", "tool"].includes(name);
  const values = (isList ? value.split(",") : [value]).map((one) => one.trim());
  const bad = (message: string, hint: string) => mistake(text, valueAt, message, hint);
  if (values.some((one) => one === ""))
    throw bad(`The filter ${name}: needs a value.`, `For example: ${EXAMPLES[name]}`);
  const choices = name === "scope" ? SCOPES : name === "agent" ? agents : undefined;
  for (const one of values) {
    if (choices && !choices.some((choice) => choice === one.toLowerCase()))
      throw bad(`There is no ${name} called "${one}".`, `Known: ${choices.join(", ")}.`);
    if (name === "since" && !sinceOf(one, now))
      throw bad(`"${one}" is no time.`, "Give a date, or 30m, 12h, 3d, 2w.");
  }
  return choices ? values.map((one) => one.toLowerCase()) : values;
}

const EXAMPLES: Record<FilterName, string> = {
  agent: "agent:NAME, a name as `baton list` shows it",
  project: 'project:web or project:"my app"',
  file: "file:src/main",
  tool: "tool:bash",
  model: "model:opus",
  scope: "scope:prompt,reply",
  since: "since:3d",
};

const AROUND = 60;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** What is wrong, the query, and a caret below the place. */
function mistake(text: string, at: number, message: string, hint: string): BatonError {
  const from = Math.max(0, at - AROUND);
  const line = (part: string) => part.replace(/[\s\p{Cc}]/gu, " ");
  const before = `${from > 0 ? "…" : ""}${line(text.slice(from, at))}`;
  const after = `${line(text.slice(at, at + AROUND))}${text.length > at + AROUND ? "…" : ""}`;
  let indent = "";
  for (const character of before) indent += WIDE.test(character) ? "  " : " ";
  return new BatonError("usage", `${message}\n  ${before}${after}\n  ${indent}^`, hint);
}
