// What a terminal sends, as keys: text, named keys and letters with Alt. Sequences that mean nothing here are
// swallowed, so that an answer of the terminal or an unknown key never ends up in the filter.
import { withoutSequences } from "../session/escapes.ts";

export type Name =
  | "up"
  | "down"
  | "left"
  | "right"
  | "page_up"
  | "page_down"
  | "home"
  | "end"
  | "enter"
  | "escape"
  | "tab"
  | "backspace"
  | "delete_word"
  | "delete_line"
  | "interrupt"
  /** Ctrl-D. */
  | "eof"
  | "suspend"
  | "redraw";

export type Key =
  | { type: "text"; text: string }
  /** Several characters at once, which are never meant as commands. */
  | { type: "paste"; text: string }
  | { type: "alt"; letter: string }
  | { type: "named"; name: Name };

export interface Decoded {
  keys: Key[];
  /** The beginning of a sequence whose end is not here yet. */
  rest: string;
}

const PASTE = "\u001b[200~";
const PASTE_END = "\u001b[201~";

export function decode(input: string): Decoded {
  const keys: Key[] = [];
  let at = 0;
  while (at < input.length) {
    const found = input[at] === "\u001b" ? sequenceAt(input, at) : characterAt(input, at);
    if (!found) return { keys, rest: input.slice(at) };
    if (found.key) keys.push(found.key);
    at = found.end;
  }
  return { keys, rest: "" };
}

/** What the beginning of a sequence means when nothing follows: Escape alone, or nothing. */
export function decodeRest(rest: string): Key[] {
  return rest === "\u001b" ? [named("escape")] : [];
}

interface FoundKey {
  key?: Key | undefined;
  end: number;
}

function characterAt(input: string, at: number): FoundKey {
  const character = String.fromCodePoint(input.codePointAt(at) as number);
  const end = at + character.length;
  const name = CONTROLS[character];
  if (name) return { key: named(name), end };
  return isControl(character) ? { end } : { key: { type: "text", text: character }, end };
}

/** Undefined while its end is missing. */
function sequenceAt(input: string, at: number): FoundKey | undefined {
  const text = input.slice(at);
  if (text.startsWith(PASTE)) {
    const end = text.indexOf(PASTE_END);
    if (end === -1) return undefined;
    return {
      key: { type: "paste", text: pasted(text.slice(PASTE.length, end)) },
      end: at + end + PASTE_END.length,
    };
  }
  const whole = SEQUENCE.exec(text)?.[0];
  if (whole !== undefined) return { key: meaning(whole), end: at + whole.length };
  return BEGINNING.test(text) ? undefined : { key: named("escape"), end: at + 1 };
}

/** The Linux console's function keys; CSI; SS3; strings such as answers about colours; Alt with a character. */
const SEQUENCE =
  /^\u001b(?:\[\[[A-E]|\[[0-?]*[ -/]*[@-Z\\-~]|O[ -~]|[\]P_^][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -NQ-Z\\`-~]|[^\u0000-\u007f])/u;
const BEGINNING = /^\u001b(?:$|\[\[?[0-?]*[ -/]*$|O$|[\]P_^][^\u0007\u001b]*\u001b?$)/;

function meaning(sequence: string): Key | undefined {
  const letter = /^\u001b([a-z])$/.exec(sequence)?.[1];
  if (letter !== undefined) return { type: "alt", letter };
  // A modifier with an arrow changes nothing: ESC [ 1 ; 5 A is still up.
  const name =
    SEQUENCES[
      sequence
        .slice(1)
        .replace(/^O/, "[")
        .replace(/^\[(?:1;\d+)?([A-Z])$/, "[$1")
    ];
  return name && named(name);
}

const SEQUENCES: Record<string, Name> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  "[1~": "home",
  "[7~": "home",
  "[4~": "end",
  "[8~": "end",
  "[5~": "page_up",
  "[6~": "page_down",
  "[M": "enter",
};

const CONTROLS: Record<string, Name> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0003": "interrupt",
  "\u0004": "eof",
  "\u000e": "down",
  "\u0010": "up",
  "\u0015": "delete_line",
  "\u0017": "delete_word",
  "\u000c": "redraw",
  "\u001a": "suspend",
};

function named(name: Name): Key {
  return { type: "named", name };
}

function isControl(character: string): boolean {
  return /[\u0000-\u001f\u007f-\u009f]/.test(character);
}

function pasted(text: string): string {
  return withoutSequences(text)
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim();
}
