// Which sessions the typed words leave: every word occurs somewhere in the title, project, agent, model or id,
// whatever its case or accents. What is compared is made once per session, so a key press is a scan of strings.
import type { SessionSummary } from "../../catalog/scan.ts";

export interface Row {
  session: SessionSummary;
  /** Tells it from every other session, also from a copy of itself. */
  key: string;
  /** Everything a word can match, folded. */
  text: string;
}

export function rowOf(session: SessionSummary): Row {
  const { id, originalId, title, project, agent, provider, model, modelDisplay, path } = session;
  const fields = [title, project, agent, provider, model, modelDisplay, id, originalId];
  return { session, key: `${agent}\n${originalId}\n${path}`, text: folded(fields.join("\n")) };
}

export function wordsOf(filter: string): string[] {
  return folded(filter)
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** In the order they came in: newest first. */
export function matching(rows: readonly Row[], words: readonly string[]): readonly Row[] {
  if (words.length === 0) return rows;
  return rows.filter(({ text }) => words.every((word) => text.includes(word)));
}

/** Where the words occur in a text that is shown: ranges of it that do not overlap, in order. */
export function marksIn(text: string, words: readonly string[]): [number, number][] {
  if (words.length === 0 || text === "") return [];
  const { plain, origins } = foldedWithOrigins(text);
  const isMarked = new Uint8Array(text.length + 1);
  for (const word of words) {
    for (let at = plain.indexOf(word); at !== -1; at = plain.indexOf(word, at + 1))
      isMarked.fill(1, origins[at], origins[at + word.length]);
  }
  const ranges: [number, number][] = [];
  for (let at = 0; at < text.length; at++) {
    if (isMarked[at] !== 1) continue;
    const last = ranges.at(-1);
    if (last && last[1] === at) last[1] = at + 1;
    else ranges.push([at, at + 1]);
  }
  return ranges;
}

const PLAIN = /^[\u0000-\u007f]*$/;

function folded(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
}

/** Folding can change lengths, so each folded character knows the one it came from; the last origin is the end. */
function foldedWithOrigins(text: string): { plain: string; origins: number[] } {
  let plain = "";
  const origins: number[] = [];
  let at = 0;
  for (const character of text) {
    const own = folded(character);
    for (let unit = 0; unit < own.length; unit++) origins.push(at);
    plain += own;
    at += character.length;
  }
  origins.push(text.length);
  return { plain, origins };
}
