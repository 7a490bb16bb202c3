// Cuts long strings out of a JSON line before it is parsed. Most bytes of a session are a few long outputs;
// a pass that only needs structure can skip them at memchr speed.

const LONG_LINE = 16 * 1024;
const LONG_STRING = 4 * 1024;
const KEPT = 512;
const QUOTE = '"';
const BACKSLASH = 0x5c;

/** The line with every long string cut to its beginning, or undefined when there was nothing to cut. */
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
    if (end - start > LONG_STRING) {
      result += text.slice(copied, safeCut(text, start + 1));
      copied = end;
    }
    start = text.indexOf(QUOTE, end + 1);
  }
  if (copied === 0) return undefined;
  result += text.slice(copied);
  return Buffer.from(result, "latin1").toString("utf8");
}

function closingQuote(text: string, from: number): number {
  let end = text.indexOf(QUOTE, from);
  while (end !== -1) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf(QUOTE, end + 1);
  }
  return -1;
}

/** The first position past KEPT characters that splits neither an escape nor a UTF-8 sequence. */
function safeCut(text: string, from: number): number {
  let at = from;
  while (at < from + KEPT) {
    if (text.charCodeAt(at) !== BACKSLASH) at += 1;
    else at += text[at + 1] === "u" ? 6 : 2;
  }
  while ((text.charCodeAt(at) & 0xc0) === 0x80) at += 1;
  return at;
}
