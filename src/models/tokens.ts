// How many tokens a text has, estimated in one pass: like OpenAI's tokenizer (o200k) it cuts a text where the kind of
// character changes, and then it takes what such a piece costs on average instead of looking it up in 200,000 entries.

/**
 * Within 10 % of the tokenizer's count for code, data, English prose, Chinese and Japanese; docs/models.md names the
 * scripts and languages for which it is further off, and `bench/tokens.ts` measures it.
 */
export function countTokens(text: string): number {
  const { length } = text;
  let tokens = 0;
  let before = NOTHING;
  let kind = length === 0 ? NOTHING : (KINDS[text.charCodeAt(0)] as number);
  for (let start = 0, at = 1; start < length; start = at++) {
    let next = NOTHING;
    for (; at < length; at++) {
      next = KINDS[text.charCodeAt(at)] as number;
      if (next !== kind) break;
    }
    if (at === length) next = NOTHING;
    tokens += kind === MARK ? marks(text, start, at, before, next) : costOf(kind, at - start, before, next);
    before = kind === UPPER && at - start > 1 ? CAPITALS : kind;
    kind = next;
  }
  return length === 0 ? 0 : Math.max(1, Math.round(tokens));
}

const NOTHING = 0;
const LOWER = 1;
const UPPER = 2;
const ACCENT = 3;
const SCRIPT = 4;
const HAN = 5;
const KANA = 6;
const HANGUL = 7;
const DIGIT = 8;
const SPACE = 9;
const LINE = 10;
const MARK = 11;
const SYMBOL = 12;
/** More than one upper-case letter, as what stands before. */
const CAPITALS = 13;

const RANGES: readonly (readonly [from: number, to: number, kind: number])[] = [
  [0x00, 0x7f, MARK],
  [0x61, 0x7a, LOWER],
  [0x41, 0x5a, UPPER],
  [0x30, 0x39, DIGIT],
  [0x09, 0x09, SPACE],
  [0x20, 0x20, SPACE],
  [0x0a, 0x0d, LINE],
  [0xa0, 0xa0, SPACE],
  [0xc0, 0x36f, ACCENT],
  [0x370, 0x1dff, SCRIPT],
  [0x1100, 0x11ff, HANGUL],
  [0x1e00, 0x1eff, ACCENT],
  [0x1f00, 0x1fff, SCRIPT],
  [0x3000, 0x3000, SPACE],
  [0x3040, 0x30ff, KANA],
  [0x3130, 0x318f, HANGUL],
  [0x3400, 0x9fff, HAN],
  [0xac00, 0xd7ff, HANGUL],
  [0xf900, 0xfaff, HAN],
];

const KINDS = new Uint8Array(0x10000).fill(SYMBOL);
for (const [from, to, kind] of RANGES) KINDS.fill(kind, from, to + 1);

const isLatin = (kind: number): boolean => kind === LOWER || kind === UPPER || kind === ACCENT;

/** One mark before a word is part of the word's token; a few that differ are one token, and so is a long line. */
function marks(text: string, start: number, end: number, before: number, next: number): number {
  const length = end - start;
  if (length === 1) return before !== SPACE && isLatin(next) ? 0.1 : 1.06;
  let changes = 0;
  for (let at = start + 1; at < end; at++) if (text.charCodeAt(at) !== text.charCodeAt(at - 1)) changes++;
  return 1 + Math.max(0, changes - 2) * 0.4 + (length - changes) * 0.06;
}

function costOf(kind: number, length: number, before: number, next: number): number {
  switch (kind) {
    case LOWER:
      return lowerCase(length, before);
    case UPPER:
      return 1 + Math.max(0, length - 3) * 0.3;
    // Such a letter costs a token, and tells that the words around it are of a language with longer ones.
    case ACCENT:
      return 0.8 + length * 0.5;
    case SCRIPT:
      return 0.2 + length * 0.28;
    case HAN:
      return length * 0.73;
    case KANA:
      return length * 0.68;
    case HANGUL:
      return 0.5 + length * 0.54;
    case DIGIT:
      return Math.ceil(length / 3);
    case SPACE:
      return spaces(length, next);
    // It is part of the marks before it.
    case LINE:
      return before === MARK ? 0 : 1;
    default:
      return 0.4 + length * 0.7;
  }
}

/** The last space is part of the word or the mark behind it, but never of a number. */
function spaces(length: number, next: number): number {
  if (next === LINE) return 0;
  return (length > 1 ? 1 : 0) + (next === DIGIT ? 1 : 0);
}

/** Words behind a space are tokens more often than those inside of a name; a capital belongs to the word behind it. */
function lowerCase(length: number, before: number): number {
  if (before === ACCENT) return length * 0.1;
  if (before === UPPER) return Math.max(0, length - 5) * 0.13;
  if (before === CAPITALS) return 0.9 + Math.max(0, length - 4) * 0.1;
  if (before === SPACE) return 1 + Math.max(0, length - 6) * 0.06;
  return (before === DIGIT ? 1.2 : 1.03) + Math.max(0, length - 5) * 0.12;
}
