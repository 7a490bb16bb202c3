// What stands in a text but is not seen when it is shown: colours, control characters, blanks without a width. A secret
// may be torn by them, such as one that `grep --color` has found, and whoever takes them out puts it together again.

export interface Shown {
  text: string;
  /** Where each of its characters stands in the whole text. */
  places: Uint32Array;
}

const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them is meant by itself.
  /\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]+/g;

/** Undefined when all of it is seen. */
export function shownIn(text: string): Shown | undefined {
  const hidden = [...text.matchAll(HIDDEN)];
  if (hidden.length === 0) return undefined;
  const places = new Uint32Array(text.length);
  const pieces: string[] = [];
  let length = 0;
  const show = (from: number, to: number) => {
    pieces.push(text.slice(from, to));
    for (let at = from; at < to; at++) places[length++] = at;
  };
  let done = 0;
  for (const match of hidden) {
    show(done, match.index);
    done = match.index + match[0].length;
  }
  show(done, text.length);
  return { text: pieces.join(""), places };
}
