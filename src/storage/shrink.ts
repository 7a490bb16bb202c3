// Cuts long strings out of a JSON line before it is parsed. Most bytes of a session are a few long outputs;
// a pass that only needs structure can skip them several times faster than it could parse them.

const LONG_LINE = 16 * 1024;
const LONG_STRING = 4 * 1024;
const KEPT = 512;

const QUOTE = '"';
const BACKSLASH = "\\";
const SPACE = 0x20;

/**
 * The line with every long string (keys excepted) cut to its beginning, or undefined when there was nothing
 * to cut. What is cut out is checked, so the result parses exactly when the line does.
 */
export function shrink(bytes: Buffer): string | undefined {
  if (bytes.length < LONG_LINE) return undefined;
  // One character per byte: searching is fast and positions are byte positions.
  const text = bytes.toString("latin1");
  let result = "";
  let copied = 0;
  let backslash = find(text, BACKSLASH, 0);
  let start = find(text, QUOTE, 0);
  while (start < text.length) {
    let end = find(text, QUOTE, start + 1);
    while (backslash < end) {
      const after = backslash + escapeLength(text, backslash);
      if (after === backslash) return undefined;
      if (end < after) end = find(text, QUOTE, after);
      backslash = find(text, BACKSLASH, after);
    }
    if (end === text.length) return undefined;
    if (end - start > LONG_STRING && !isKey(text, end)) {
      const cut = safeCut(text, start + 1);
      if (hasControl(bytes, cut, end)) return undefined;
      result += bytes.toString("utf8", copied, cut);
      copied = end;
    }
    start = find(text, QUOTE, end + 1);
  }
  return copied === 0 ? undefined : result + bytes.toString("utf8", copied);
}

/** Its next position, or the end of the text. */
function find(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at === -1 ? text.length : at;
}

/** By the character after the backslash; zero for what JSON does not accept. */
const ESCAPE_LENGTH = new Uint8Array(256);
for (const kind of '"\\/bfnrt') ESCAPE_LENGTH[kind.charCodeAt(0)] = 2;
ESCAPE_LENGTH["u".charCodeAt(0)] = 6;

function escapeLength(text: string, at: number): number {
  const length = ESCAPE_LENGTH[text.charCodeAt(at + 1)] ?? 0;
  return length !== 6 || /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) ? length : 0;
}

/** Two long keys with the same beginning must not become one. */
function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text[at] === ":";
}

/** The first position past KEPT characters that splits neither an backslash nor a UTF-8 sequence. */
function safeCut(text: string, from: number): number {
  let at = from;
  while (at < from + KEPT) at += text[at] === BACKSLASH ? escapeLength(text, at) : 1;
  while ((text.charCodeAt(at) & 0xc0) === 0x80) at++;
  return at;
}

/** JSON allows no raw control character in a string. Four bytes at a time, because this sees most bytes. */
function hasControl(bytes: Buffer, from: number, to: number): boolean {
  const aligned = Math.min(to, from + (-(bytes.byteOffset + from) & 3));
  const count = (to - aligned) >>> 2;
  let found = 0;
  if (count > 0) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset + aligned, count);
    // Taking 0x20 from a smaller byte sets its top bit; bytes that had it set before are masked out.
    for (let at = 0; at < count; at++) found |= (words[at]! - 0x20202020) & ~words[at]! & 0x80808080;
  }
  for (let at = from; at < aligned; at++) found |= bytes[at]! < SPACE ? 1 : 0;
  for (let at = aligned + count * 4; at < to; at++) found |= bytes[at]! < SPACE ? 1 : 0;
  return found !== 0;
}
