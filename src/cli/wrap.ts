// Text in lines that are no wider than a screen, broken between words where that is possible.
import { columnsOf } from "./text.ts";

const TAB = "    ";
const PIECE = /\n| +|[^ \n]+/g;
/** Our own colours, or one character. */
const ATOM = /\u001b\[([\d;]*)m|./gsu;

/**
 * The lines of a text that is harmless except for our own colours. Colours go on after a break, and so does the space
 * that a line begins with, so that it does not look like a new one; the spaces where it is broken are gone.
 */
export function wrapped(text: string, width: number): string[] {
  const page = newPage(width);
  for (const [piece] of text.replaceAll("\t", TAB).matchAll(PIECE)) {
    if (piece === "\n") page.end();
    else if (piece.startsWith(" ")) page.space(piece.length);
    else page.word([...piece.matchAll(ATOM)]);
  }
  page.end();
  return page.lines;
}

type Atom = RegExpExecArray;

function newPage(width: number) {
  const lines: string[] = [];
  let active: readonly string[] = [];
  let line = "";
  let used = 0;
  /** Not written yet: at a break there are none. */
  let spaces = 0;
  let hasWord = false;
  /** Spaces that the text's own line begins with, and whether it has begun. */
  let indent = 0;
  let isBegun = false;
  const end = () => {
    lines.push(active.length > 0 ? `${line}\u001b[0m` : line);
    line = active.map((code) => `\u001b[${code}m`).join("");
    used = 0;
    spaces = 0;
    hasWord = false;
    isBegun = false;
  };
  const goOn = () => {
    end();
    isBegun = true;
    line += " ".repeat(indent);
    used = indent;
  };
  const put = ([text, code]: Atom) => {
    const room = code === undefined ? columnsOf(text) : 0;
    if (used + room > width && used > indent) goOn();
    if (code !== undefined) active = turned(active, code);
    line += text;
    used += room;
  };
  return {
    lines,
    end,
    space(count: number) {
      spaces += count;
    },
    word(atoms: readonly Atom[]) {
      const isSeen = atoms.some(([, code]) => code === undefined);
      // A wide character has to fit behind it.
      if (isSeen && !isBegun) indent = Math.max(0, Math.min(used + spaces, Math.floor(width / 2), width - 2));
      isBegun ||= isSeen;
      if (hasWord && isToMove(atoms, width - used - spaces, width - indent)) goOn();
      if (used + spaces < width) {
        line += " ".repeat(spaces);
        used += spaces;
      } else if (hasWord) goOn();
      spaces = 0;
      for (const atom of atoms) put(atom);
      hasWord ||= isSeen;
    },
  };
}

/** Whether a word belongs on the next line: there is no room here and there is there. Wide scripts break anywhere. */
function isToMove(atoms: readonly Atom[], room: number, width: number): boolean {
  const widths = atoms.map(([text, code]) => (code === undefined ? columnsOf(text) : 0));
  if (widths.includes(2)) return false;
  const own = widths.reduce((sum, one) => sum + one, 0);
  return own > room && own <= width;
}

/** What each code ends; none for one that begins something. */
const ENDS: Record<string, RegExp> = {
  0: /./,
  22: /^[12]$/,
  23: /^3$/,
  24: /^4$/,
  27: /^7$/,
  39: /^(?:3[0-7]|9[0-7])$/,
  49: /^4[0-7]$/,
};

function turned(active: readonly string[], code: string): readonly string[] {
  const ended = ENDS[code];
  return ended ? active.filter((one) => !ended.test(one)) : [...active, code];
}
