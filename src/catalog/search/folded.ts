// A text as the index spells it, and where in it everything comes from. Outputs are long, and their line in a search
// is wanted at once: no more passes over it than have to be.
import { asRead, foldText, isPiece, withoutColours } from "../index/words.ts";

export interface FoldedText {
  /** As it is read: see words.ts. */
  text: string;
  /** The same folded and in lower case. */
  folded: string;
  /** Where in the text a stretch of what is folded comes from. */
  places(start: number, end: number): [start: number, end: number];
}

export function foldedOf(given: string): FoldedText {
  const text = withoutColours(given);
  const found = folded(text);
  // Few texts have letters in pieces, so most are not looked through for them.
  return found.isInPieces ? folded(asRead(given)) : found;
}

function folded(text: string): FoldedText & { isInPieces: boolean } {
  const stretches = new Stretches(text);
  let isInPieces = false;
  let added = 0;
  let all = 0;
  const plain = text.replace(BEYOND_ASCII, (run: string, offset: number) => {
    let said = "";
    for (let at = 0; at < run.length; at++) {
      const one = known(run.codePointAt(at) as number);
      stretches.note(offset + added + said.length, offset + at);
      said += one.folded;
      all |= one.all;
      isInPieces ||= one.isPiece;
      if (one.isPair) at++;
    }
    added += said.length - run.length;
    stretches.note(offset + run.length + added, offset + run.length);
    return said;
  });
  stretches.note(plain.length, text.length);
  // Bytes are searched, and made small letters, several times as fast.
  const isBytes = plain !== text && all < 0x100;
  const lower = (isBytes ? Buffer.from(plain, "latin1").toString("latin1") : plain).toLowerCase();
  return { text, folded: lower, places: (start, end) => stretches.places(start, end), isInPieces };
}

const BEYOND_ASCII = /[^\x00-\x7f]+/g;

interface Character {
  folded: string;
  /** All bits of its codes. */
  all: number;
  /** Whether it takes two places in the text. */
  isPair: boolean;
  /** Whether it may become another letter with the next. */
  isPiece: boolean;
}

/** There are never more than Unicode has. */
const characters = new Map<number, Character>();

function known(code: number): Character {
  const before = characters.get(code);
  if (before) return before;
  const character = String.fromCodePoint(code);
  const folded = foldText(character);
  let all = 0;
  for (let at = 0; at < folded.length; at++) all |= folded.charCodeAt(at);
  const one = { folded, all, isPair: code > 0xffff, isPiece: isPiece(character) };
  characters.set(code, one);
  return one;
}

/** Where in what is folded the characters beyond ASCII begin, and what stands between them. */
class Stretches {
  readonly #text: string;
  readonly #folded: number[] = [0];
  readonly #original: number[] = [0];

  constructor(text: string) {
    this.#text = text;
  }

  note(folded: number, original: number): void {
    this.#folded.push(folded);
    this.#original.push(original);
  }

  places(start: number, end: number): [number, number] {
    const last = this.#originalOf(end - 1);
    return [this.#originalOf(start), last + ((this.#text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1)];
  }

  #originalOf(place: number): number {
    const at = this.#stretchAt(place);
    const begin = this.#original[at] ?? 0;
    // All that a character became comes from its beginning.
    return this.#text.charCodeAt(begin) < 0x80 ? begin + place - (this.#folded[at] ?? 0) : begin;
  }

  #stretchAt(place: number): number {
    let [low, high] = [0, this.#folded.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#folded[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
