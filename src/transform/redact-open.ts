// How much of a text that still grows can be looked through for secrets: whole lines, and of what goes on over several
// lines nothing before its end. Where it cannot wait for that: all but a word or a key that may go on.
import { LONGEST_KEY, openKey } from "./redact-keys.ts";
import { FORM_ANCHORS } from "./redact-patterns.ts";

/** An access key, behind which its secret key may stand on the next line. */
const OPEN_PAIR = /(?:AKIA|ASIA)[A-Z0-9]{16}["'\s,:;|]{0,12}$/;

/** So many characters are whole, whatever comes behind them. */
export function wholeTo(text: string): number {
  const lines = text.slice(0, text.lastIndexOf("\n") + 1);
  const open = Math.min(openKey(lines) ?? lines.length, OPEN_PAIR.exec(lines)?.index ?? lines.length);
  return lines.lastIndexOf("\n", open - 1) + 1;
}

/** A shorter piece of a key tells nothing of it. */
const SHORTEST = 8;
/** A word of a language, with what stands around it. */
const WORD = /^[^\w\s]{0,3}[A-Za-z]?[a-z]{0,20}(?:['’-][a-z]{1,20}){0,2}[^\w\s]{0,3}$/;
/** Behind such a name, or with the beginning of a key, a word of a language may be none. */
const NAMES = /pass|pwd|secret|token|key|auth|bearer|cred|user| -[a-z]\b/i;
const NEAR = 200;
/** Line ends and tabs are below it. */
const BLANK = 32;
const LONGEST_WORD = 60;

/** So many characters hold no piece of a key that would be told from more of it only. */
export function safeTo(text: string): number {
  const key = openKey(text) ?? text.length;
  let last = text.length;
  while (last > 0 && text.length - last <= LONGEST_KEY && text.charCodeAt(last - 1) > BLANK) last--;
  const word = text.slice(last);
  const isBegun = () => FORM_ANCHORS.some((anchor) => word.includes(anchor));
  const isNamed = () => NAMES.test(text.slice(Math.max(0, last - NEAR)));
  const isHarmless =
    word.length < SHORTEST ||
    word.length > LONGEST_KEY ||
    (word.length < LONGEST_WORD && WORD.test(word) && !isBegun() && !isNamed());
  return Math.min(key, isHarmless ? text.length : last);
}
