// Cuts long strings out of a JSON line before it is parsed. Most bytes of a session are a few long outputs;
// a pass that only needs structure can skip them several times faster than it could parse them.

const LONG_LINE = 8 * 1024;
const LONG_STRING = 4 * 1024;
const KEPT = 512;

const QUOTE = '"';
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/**
 * The line with every long string (keys excepted) cut to its beginning, or undefined when there was nothing
 * to cut. A valid line stays valid; damage inside what is cut out goes unnoticed.
 */
export function shrink(bytes: Buffer): string | undefined {
  if (bytes.length < LONG_LINE) return undefined;
  // One character per byte: searching is fast and positions are byte positions.
  const text = bytes.toString("latin1");
  let result = "";
  let copied = 0;
  let start = text.indexOf(QUOTE);
  while (start !== -1) {
    const end = closingQuote(text, start + 1);
    if (end === -1) return undefined;
    if (end - start > LONG_STRING && !isKey(text, end)) {
      result += bytes.toString("utf8", copied, safeCut(text, start + 1));
      copied = end;
    }
    start = text.indexOf(QUOTE, end + 1);
  }
  return copied === 0 ? undefined : result + bytes.toString("utf8", copied);
}

/** A quote after an odd number of backslashes is text. */
function closingQuote(text: string, from: number): number {
  let end = text.indexOf(QUOTE, from);
  while (end !== -1) {
    let before = end - 1;
    while (before >= from && text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
    end = text.indexOf(QUOTE, end + 1);
  }
  return -1;
}

/** Two long keys with the same beginning must not become one. */
function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text[at] === ":";
}

/** The first position past KEPT characters that splits neither an escape nor a UTF-8 sequence. */
function safeCut(text: string, from: number): number {
  let at = from;
  while (at < from + KEPT) {
    if (text.charCodeAt(at) !== BACKSLASH) at += 1;
    else at += text[at + 1] === "u" ? 6 : 2;
  }
  while ((text.charCodeAt(at) & 0xc0) === 0x80) at++;
  return at;
}
