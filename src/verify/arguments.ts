// The arguments of a tool call on the wire, taken apart without knowing the tool: its strings, and the lines
// it takes out and puts in, be they a patch or old and new text.
import { lines, type Piece } from "./pieces.ts";

export interface Arguments {
  strings: string[];
  /** Lists of words, such as a command that was given without a shell. */
  lists: string[][];
  removed: string[];
  added: string[];
}

/** How far the lines of a call were used up by earlier pieces. */
export interface Progress {
  removed: number;
  added: number;
}

export function argumentsOf(input: unknown): Arguments {
  const found: Arguments = { strings: [], lists: [], removed: [], added: [] };
  collect("", input, found);
  return found;
}

/** Where the lines of this piece end, or undefined when the call does not hold it. */
export function find(piece: Piece, call: Arguments, from: Progress): Progress | undefined {
  if (!piece.strings.every((text) => holdsText(call, text))) return undefined;
  if (!piece.words.every((spellings) => spellings.some((word) => holdsWord(call, word)))) return undefined;
  const removed = inOrder(piece.removed, call.removed, from.removed);
  const added = inOrder(piece.added, call.added, from.added);
  return removed === undefined || added === undefined ? undefined : { removed, added };
}

function collect(key: string, value: unknown, found: Arguments): void {
  if (typeof value === "string") {
    found.strings.push(value);
    collectLines(key, value, found);
    const inner = nested(value);
    if (inner !== undefined) collect(key, inner, found);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) found.lists.push(value);
  for (const [name, item] of Object.entries(value)) collect(Array.isArray(value) ? key : name, item, found);
}

function collectLines(key: string, text: string, found: Arguments): void {
  const isText = /old|new|content|text/i.test(key);
  if (!isText && /^(\*\*\* Begin Patch|@@)/m.test(text)) {
    for (const line of lines(text)) {
      if (line.startsWith("-")) found.removed.push(line.slice(1));
      if (line.startsWith("+")) found.added.push(line.slice(1));
    }
    return;
  }
  const isOld = /old/i.test(key);
  const isNew = /new|content/i.test(key);
  for (const line of lines(text)) {
    if (!isNew) found.removed.push(line);
    if (!isOld) found.added.push(line);
  }
}

/** Arguments that are JSON inside a string. */
function nested(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Text that merely begins like JSON.
    return undefined;
  }
}

function holdsText(call: Arguments, text: string): boolean {
  if (call.strings.some((have) => have.includes(text))) return true;
  if (call.lists.length === 0) return false;
  const words = shellWords(text);
  return call.lists.some(
    (list) => list.length === words.length && list.every((word, at) => word === words[at]),
  );
}

/** The words of a command as a shell takes them, nothing expanded. */
function shellWords(command: string): string[] {
  const words = command.match(/(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
      (_, single, double, escaped) => single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped,
    ),
  );
}

function holdsWord(call: Arguments, word: string): boolean {
  const plain = unquoted(word);
  return call.strings.some((have) => have.includes(word) || unquoted(have).includes(plain));
}

/** Shell quoting differs between two spellings of one word, so a comparison of words leaves it out. */
function unquoted(text: string): string {
  return text.replace(/['"\\]/g, "");
}

/** The position after the last of these lines, each found in or inside a later line than the one before. */
function inOrder(wanted: readonly string[], have: readonly string[], from: number): number | undefined {
  let at = from;
  for (const line of wanted) {
    while (at < have.length && !have[at]?.includes(line)) at++;
    if (at === have.length) return undefined;
    at++;
  }
  return at;
}
