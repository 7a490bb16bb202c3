// The dictionary of the index: which of its words hold a part. FTS5 offers it as a table too (fts5vocab), but counts
// every occurrence of every word on the way; reading its pages by ourselves takes a sixth of the time.
import type { DatabaseSync } from "node:sqlite";

export interface Part {
  text: string;
  /** Whether anything may follow; otherwise the word ends with it. */
  isOpenAfter: boolean;
}

/** Words of the shard's index that hold the part, the shortest first. Words of texts that are gone may be among them. */
export function wordsWith(shard: DatabaseSync, part: Part): string[] {
  const found = isReadable(shard) ? inPages(shard, part) : inVocabulary(shard, part);
  return [...found].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/** The version of the pages' format that is understood here. */
const FORMAT = 4;

function isReadable(shard: DatabaseSync): boolean {
  return shard.prepare("SELECT v FROM words_config WHERE k = 'version'").get()?.v === FORMAT;
}

/** `words_idx` names the pages on which words begin; others only go on with the places of one. */
const PAGES = `SELECT page.block FROM words_idx CROSS JOIN words_data AS page
  ON page.id = (words_idx.segid << 37) + (words_idx.pgno >> 1)`;

/** FTS5 keeps no more of a word. */
const LONGEST_WORD = 1 << 16;

function inPages(shard: DatabaseSync, { text, isOpenAfter }: Part): Set<string> {
  const wanted = Buffer.from(text);
  const word = Buffer.alloc(LONGEST_WORD);
  const found = new Set<string>();
  const pages = shard.prepare(PAGES);
  pages.setReturnArrays(true);
  for (const [page] of pages.iterate() as unknown as Iterable<[Uint8Array]>)
    eachWord(page, word, (length) => {
      if (holds(word, length, wanted, isOpenAfter)) found.add(word.toString("utf8", 1, length));
    });
  return found;
}

/**
 * A page ends with where its words begin, each counted from the one before. A word begins with how much it shares with
 * the one before, except for the first, and how much is its own. Its first byte says which index it belongs to.
 */
function eachWord(page: Uint8Array, word: Uint8Array, use: (length: number) => void): void {
  const size = page.length;
  let at = ((page[2] ?? 0) << 8) | (page[3] ?? 0);
  let begin = 0;
  let isFirst = true;
  let next = 0;
  const number = (): number => {
    let byte = page[next++] ?? 0;
    let value = byte & 0x7f;
    while (byte > 0x7f) {
      byte = page[next++] ?? 0;
      value = value * 128 + (byte & 0x7f);
    }
    return value;
  };
  while (at < size) {
    next = at;
    begin += number();
    at = next;
    next = begin;
    const shared = isFirst ? 0 : number();
    const own = number();
    for (let index = 0; index < own; index++) word[shared + index] = page[next + index] ?? 0;
    isFirst = false;
    use(shared + own);
  }
}

function holds(word: Uint8Array, length: number, wanted: Uint8Array, isOpenAfter: boolean): boolean {
  const size = wanted.length;
  const last = length - size;
  // The first byte is not the word's.
  for (let at = isOpenAfter ? 1 : Math.max(1, last); at <= last; at++) {
    let index = 0;
    while (index < size && word[at + index] === wanted[index]) index++;
    if (index === size) return true;
  }
  return false;
}

function inVocabulary(shard: DatabaseSync, { text, isOpenAfter }: Part): Set<string> {
  shard.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)");
  // Nothing in a word has a meaning for GLOB.
  const pattern = `*${text}${isOpenAfter ? "*" : ""}`;
  const rows = shard.prepare("SELECT term FROM temp.vocabulary WHERE term GLOB ?").all(pattern);
  return new Set(rows.map(({ term }) => String(term)));
}
