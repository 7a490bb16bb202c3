// The words of a text, as the full-text index takes them. FTS5's `ascii` tokenizer cuts at every ASCII character that
// is neither letter nor digit and takes all others as letters; what that means for other scripts is decided here.
import { withoutSequences } from "../../session/escapes.ts";

/**
 * The text as it is handed to the index, and as queries are: accents and case of letters beyond ASCII are gone, their
 * punctuation is blank, and characters of scripts that write without blanks stand apart, each a word of its own.
 * Plain ASCII, which is nearly everything, passes as it is.
 */
export function foldText(text: string): string {
  const plain = withoutColours(text);
  return isAscii(plain) ? plain : foldBeyondAscii(plain);
}

/** The same of a text without colours that is known not to be plain ASCII. */
export function foldBeyondAscii(text: string): string {
  return text.replace(BEYOND_ASCII_RUN, foldRun);
}

/** Measured, which Node does many bytes at a time: a pattern looks at one after the other. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** The words of a text in their order, each as the index spells it. */
export function wordsOf(text: string): string[] {
  const folded = foldText(text).replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
  return folded.match(WORD) ?? [];
}

/** The text as it is read: without what colours it, and with letters whole that came in pieces. */
export function asRead(text: string): string {
  return composed(withoutColours(text));
}

/** A program's coloured output has `31m` before a word, which is no part of it. */
export function withoutColours(text: string): string {
  return hasColours(text) ? withoutSequences(text) : text;
}

export function hasColours(text: string): boolean {
  return text.includes("\u001b");
}

function composed(text: string): string {
  return IN_PIECES.test(text) ? text.normalize("NFC") : text;
}

/** Whether the character may be a part of another letter. */
export function isPiece(character: string): boolean {
  return IN_PIECES.test(character);
}

/** What the tokenizer takes for a word. */
const WORD = /[a-z0-9\u0080-\u{10ffff}]+/gu;

const BEYOND_ASCII_RUN = /[^\x00-\x7f]+/g;

/** Letters that may come in pieces which make another letter: Indic vowels, Hangul, voiced kana. */
const IN_PIECES = /[\u0900-\u11ff\u3099\u309a]/;

/** Texts repeat the same dashes, ticks and accents, so most runs need no more than to be looked up. */
const knownRuns = new Map<string, string>();
const MOST_KNOWN = 20_000;
const LONGEST_KNOWN = 8;

function foldRun(run: string): string {
  if (run.length > LONGEST_KNOWN) return foldCharacters(run);
  const known = knownRuns.get(run);
  if (known !== undefined) return known;
  const folded = foldCharacters(run);
  if (knownRuns.size < MOST_KNOWN) knownRuns.set(run, folded);
  return folded;
}

function foldCharacters(run: string): string {
  const text = composed(run);
  let folded = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    folded += knownCharacters.get(code) ?? learn(code);
    if (code > 0xffff) at++;
  }
  return folded;
}

/** There are never more than Unicode has. */
const knownCharacters = new Map<number, string>();

/** Composed again at the end, because Hangul and Japanese take letters apart that their readers do not. */
function learn(code: number): string {
  const folded = String.fromCodePoint(code)
    .normalize("NFKD")
    .toLowerCase()
    .normalize("NFKD")
    .replace(INSIDE_WORDS, "")
    .normalize("NFC")
    .replace("ß", "ss")
    .replace("ς", "σ")
    .replace(BETWEEN_WORDS, " ")
    .replace(ALONE, " $& ");
  knownCharacters.set(code, folded);
  return folded;
}

/** Accents, optional vowels of Hebrew and Arabic, and invisible characters: the same word without them. */
const INSIDE_WORDS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the marks are meant one by one.
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u{e0100}-\u{e01ef}]|(?!\u200b)\p{Cf}/gu;

/** Punctuation, blanks, half surrogate pairs, and symbols that are no pictures. */
const BETWEEN_WORDS =
  /(?![\p{Extended_Pictographic}\p{Regional_Indicator}])[^\p{L}\p{M}\p{N}\p{Co}\p{ASCII}]/gu;

/** Written without blanks, or a picture. */
const ALONE =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{Extended_Pictographic}\p{Regional_Indicator}]/gu;
