// Text for a terminal: made harmless, measured in columns, cut, and times and sizes in words.
import { homedir } from "node:os";
import { visible, withoutSequences } from "../session/escapes.ts";
import { shareable } from "./redaction.ts";

/**
 * Transcripts are untrusted: without this a recorded output could move the cursor or retitle the terminal. With
 * --redact it has no secrets either.
 */
export function harmless(text: string): string {
  return shareable(withoutSequences(text))
    .replace(/\r\n/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/** Harmless, and whole: for what an agent wants to do or has done, in which nothing may be hidden. */
export function disclosed(text: string): string {
  return visible(shareable(text));
}

const WIDE =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Bopomofo}|\p{Script=Yi}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Of the scripts above, the forms that are made to take one column. */
const HALF = /[\uff61-\uffdc]/;
/** Marks, and the vowels and ends of Hangul that join what stands before them. */
const NARROWEST = /\p{Mark}|[\u1160-\u11ff\u200b-\u200f\u2060-\u2064\ufeff]/u;

/** Characters of one column, as far as that can be seen without the sets above, which take milliseconds to be made. */
const NARROW = /^[\u0000-\u02ff\u2010-\u2027]*$/;

/** How many columns a character takes. */
export function columnsOf(character: string): number {
  if (NARROW.test(character)) return 1;
  if (NARROWEST.test(character)) return 0;
  return WIDE.test(character) && !HALF.test(character) ? 2 : 1;
}

/** How many columns the text takes. */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** Words with a blank between each two, and … at the end: nothing has to be done to them. */
const PLAIN = /^[!-~]+(?: [!-~]+)*…?$/;

/** One line that is no wider than this, with … where something is missing. */
export function cut(text: string, width: number): string {
  const isPlain = PLAIN.test(text) && shareable(text) === text;
  const line = isPlain ? text : harmless(text).replace(/\s+/g, " ").trim();
  if (widthOf(line) <= width) return line;
  if (width < 1) return "";
  if (NARROW.test(line)) return `${line.slice(0, width - 1).trimEnd()}…`;
  let result = "";
  let used = 0;
  for (const character of line) {
    used += columnsOf(character);
    if (used > width - 1) break;
    result += character;
  }
  return `${result.trimEnd()}…`;
}

export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** A path under the home begins with ~. */
export function shortPath(path: string, home = homedir()): string {
  if (path === home) return "~";
  return home !== "/" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const STEPS: readonly [number, string][] = [
  [60, "s"],
  [60, "min"],
  [24, "h"],
  [7, "d"],
  [52, "w"],
];

/** "2 h ago". */
export function ago(time: string, now = Date.now()): string {
  const then = Date.parse(time);
  if (Number.isNaN(then)) return "";
  let amount = Math.max(0, (now - then) / 1000);
  if (amount < 10) return "just now";
  for (const [size, unit] of STEPS) {
    if (amount < size) return `${Math.floor(amount)} ${unit} ago`;
    amount /= size;
  }
  return `${Math.floor(amount)} y ago`;
}

/** "1.2 s", "3 min 20 s", "2 h 5 min". */
export function duration(ms: number): string {
  if (ms < 60_000)
    return ms < 10_000 && ms % 1000 !== 0 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
  const [large, small, unit, part] =
    ms < 3_600_000
      ? [60_000, 1000, "min", "s"]
      : ms < 86_400_000
        ? [3_600_000, 60_000, "h", "min"]
        : [86_400_000, 3_600_000, "d", "h"];
  const rest = Math.floor((ms % (large as number)) / (small as number));
  return `${Math.floor(ms / (large as number))} ${unit}${rest > 0 ? ` ${rest} ${part}` : ""}`;
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  if (size < 1e6) return `${Math.round(size / 1e3)} kB`;
  return size < 1e9 ? `${(size / 1e6).toFixed(1)} MB` : `${(size / 1e9).toFixed(1)} GB`;
}

export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/**
 * For a shell: quoted only where it must be. Characters that would act on the terminal are spelled out, which
 * bash, zsh and ksh understand.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!UNSEEN.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  // Byte by byte, because what `\u` means depends on the shell's locale.
  const spelled = word
    .replace(/[\\']/g, "\\$&")
    .replace(new RegExp(UNSEEN, "g"), (character) =>
      Buffer.from(character).toString("hex").replace(/../g, "\\x$&"),
    );
  return `$'${spelled}'`;
}

export function dollars(cost: number): string {
  return cost > 0 && cost < 0.01 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`;
}
