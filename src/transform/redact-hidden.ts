// What stands in a text but is not seen when it is shown: colours, control characters, blanks without a width. A secret
// may be torn by them, such as one that `grep --color` has found, and whoever takes them out puts it together again.
import { SEQUENCES } from "../session/escapes.ts";

export interface Shown {
  text: string;
  /** Where each of its characters stands in the whole text. */
  places: Uint32Array;
}

const INVISIBLE =
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\u{e0000}-\\u{e01ef}]";
const HIDDEN = new RegExp(`${SEQUENCES}|${INVISIBLE}`, "gu");
/** What follows it is shown elsewhere: the cursor has moved. Colours, and what clears the rest of a line, move nothing. */
const MOVES = /^(?:\r|\x1b\[.*[^mK])$/s;

/** Undefined when all of it is seen. */
export function shownIn(text: string): Shown | undefined {
  if (text.search(HIDDEN) === -1) return undefined;
  const places = new Uint32Array(text.length);
  const pieces: string[] = [];
  let length = 0;
  const show = (from: number, to: number) => {
    pieces.push(text.slice(from, to));
    for (let at = from; at < to; at++) places[length++] = at;
  };
  let done = 0;
  for (const { 0: hidden, index } of text.matchAll(HIDDEN)) {
    show(done, index);
    done = index + hidden.length;
    if (!MOVES.test(hidden)) continue;
    pieces.push("\n");
    places[length++] = index;
  }
  show(done, text.length);
  return { text: pieces.join(""), places };
}
