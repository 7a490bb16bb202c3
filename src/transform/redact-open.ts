// How much of a text that still grows can be looked through for secrets: whole lines, and of what goes on over several
// lines nothing before its end. Where it cannot wait for that: all but a word or a key that may go on.
import { shownIn } from "./redact-hidden.ts";
import { LONGEST_KEY, openKey } from "./redact-keys.ts";
import { LIBRARY_ANCHORS } from "./redact-library.ts";
import { isRandom } from "./redact-names.ts";
import { FORM_ANCHORS, hasDigit, LEAD } from "./redact-patterns.ts";

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
const LONGEST_WORD = 60;

/** So many characters hold no piece of a key that would be told from more of it only. */
export function safeTo(text: string): number {
  const last = lastWord(text);
  const word = text.slice(last);
  const isBegun = () => FORM_ANCHORS.some((anchor) => word.includes(anchor));
  const isNamed = () => NAMES.test(text.slice(Math.max(0, last - NEAR)));
  const isHarmless =
    !isTelling(word) || (word.length < LONGEST_WORD && WORD.test(word) && !isBegun() && !isNamed());
  return Math.min(openKey(text) ?? text.length, isHarmless ? text.length : last);
}

/** Where the last word begins: it ends where the redactor takes it for ended, which control characters do not do. */
function lastWord(text: string): number {
  let last = text.length;
  while (last > 0 && text.length - last <= LONGEST_KEY && !" \t\n\r".includes(text.charAt(last - 1))) last--;
  return last;
}

function isTelling(word: string): boolean {
  return word.length >= SHORTEST && word.length <= LONGEST_KEY;
}

const ANCHORS = [...FORM_ANCHORS, ...LIBRARY_ANCHORS].filter((anchor) => anchor !== "://");
const anyOf = (anchors: readonly string[]) =>
  anchors.map((anchor) => anchor.replace(/[./]/g, "\\$&")).join("|");
/** The beginning of a key; letters that one begins with mean nothing in the middle of a word. */
const BEGUN = new RegExp(
  `(?<=${LEAD})(?:${anyOf(ANCHORS)})|${anyOf(ANCHORS.filter((anchor) => !/^\w/.test(anchor)))}|Q~`,
);
/** An address of which the part before `@` may not be over; a port is no password. */
const USER_OF_ADDRESS = /:\/\/(?:[^\s/:@?#"'`<>\\]{0,200}:(?!\d{0,5}\W{0,3}$)[^\s/?"'`<>\\]*|[\w-]{8,})$/;

/** Some keys are told by their middle; before that they are letters and digits as no name has them. */
function hasRandom(word: string): boolean {
  const runs = word.match(/[A-Za-z0-9]{8,}/g) ?? [];
  return runs.some(
    (run) =>
      run.length >= 30 ||
      (run.length >= 16 && hasDigit(run)) ||
      (/[a-z]/.test(run) && /[A-Z]/.test(run) && isRandom(run, SHORTEST)),
  );
}

const SECRET_NAME =
  "(?:pass|pwd|secret|token|key|auth|bearer|basic|digest|negotiate|cred|user|(?:^|\\s)-[a-z]\\b)";
const NAME_BEFORE = new RegExp(`${SECRET_NAME}\\S*\\s*(?:[^\\w\\s]{1,3}\\s*)?$|=>?\\s*$`, "i");
const NAME_WITHIN = new RegExp(`${SECRET_NAME}\\S{0,100}[=:]`, "i");

/** The same where the text is over, by all that is known: a last word waits only where more of it could make it a key. */
export function likelyTo(text: string): number {
  const last = lastWord(text);
  const word = text.slice(last);
  const near = text.slice(Math.max(0, last - NEAR), last);
  const before = shownIn(near)?.text ?? near;
  const isBegun = () => BEGUN.test(word) || USER_OF_ADDRESS.test(word) || hasRandom(word);
  const isNamed = () => NAME_WITHIN.test(word) || NAME_BEFORE.test(before) || OPEN_PAIR.test(before);
  const isTorn = () => shownIn(word) !== undefined;
  const isPossible = isTelling(word) && (isBegun() || isNamed() || isTorn());
  return Math.min(openKey(text) ?? text.length, isPossible ? last : text.length);
}
