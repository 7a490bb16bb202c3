// Searches all that was ever said: the newest matches of every shard, ranked, each with the line that it was found in.
import type { DatabaseSync } from "node:sqlite";
import { keepingOpen } from "../../storage/sqlite.ts";
import { statement } from "../../storage/statement.ts";
import type { Catalog } from "../catalog.ts";
import type { IsHere } from "../here.ts";
import { modelsNamed } from "../query.ts";
import { type Conditions, conditionsOf, type Narrowing } from "./filter.ts";
import { bit, type Hit, type HitRow, hitsOf } from "./hit.ts";
import { matchIn, nearness } from "./match.ts";
import type { Phrase, SearchQuery } from "./query.ts";
import { type Candidate, rank } from "./rank.ts";
import type { LoadReaders } from "./read.ts";
import { factsOf } from "./sessions.ts";
import { newFinder } from "./snippet.ts";

export interface SearchOptions extends Narrowing {
  /** Absent = every session that is gone is one of this home. */
  isHere?: IsHere;
  limit?: number;
  offset?: number;
  /** Characters of a snippet, about. */
  width?: number;
  /** What of a text may be shown; without it all of it. */
  shown?: (text: string) => string;
}

export interface SearchResult {
  hits: Hit[];
  total: number;
  /** There are at least `total`: only the newest were looked at. */
  isMinimum: boolean;
  /** Words that were not found by themselves, and were looked for as parts of others. */
  expanded: string[];
}

const SHOWN = 20;
/** Somebody who types searches again at once. */
const LINGER_MS = 1000;
/** So many of the newest matches are ranked, of all shards together; with a common word there may be a million. */
const RANKED = 2000;

export async function search(
  catalog: Catalog,
  query: SearchQuery,
  readers: LoadReaders,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const { limit = SHOWN, offset = 0, width, shown } = options;
  let asked = query;
  let found = findAll(catalog, query, options);
  let expanded: string[] = [];
  if (found.candidates.length === 0) {
    ({ query: asked, expanded } = widened(catalog, query));
    if (expanded.length > 0) found = findAll(catalog, asked, options);
  }
  const page = rank(found.candidates, offset + limit).slice(offset);
  const finder = newFinder(asked, width);
  const hits = await keepingOpen(() => hitsOf(page, { catalog, finder, readers, width, shown }), LINGER_MS);
  const total = found.candidates.length;
  return { hits, total, isMinimum: found.isMinimum, expanded: total > 0 ? expanded : [] };
}

type Match = Candidate & HitRow;

interface Found {
  candidates: Match[];
  isMinimum: boolean;
}

function findAll(catalog: Catalog, query: SearchQuery, options: SearchOptions): Found {
  const candidates: Match[] = [];
  let isMinimum = false;
  const { offset = 0, limit = SHOWN } = options;
  const most = Math.ceil(Math.max(RANKED / catalog.shards.length, offset + limit));
  const conditions = conditionsOf(query.filters, options, (words) => modelsNamed(catalog, words));
  for (const [number, shard] of catalog.shards.entries()) {
    const found = findIn(shard, number, query, { ...conditions, most, isHere: options.isHere });
    candidates.push(...found.candidates);
    isMinimum ||= found.isMinimum;
  }
  return { candidates, isMinimum };
}

/** What is looked at, and how many of the newest matches of a shard. */
interface Within extends Conditions {
  most: number;
  isHere: IsHere | undefined;
}

type Columns = [row: number, key: number, position: number, scope: number];

function findIn(
  shard: DatabaseSync,
  number: number,
  query: SearchQuery,
  { where, values, most, isHere }: Within,
): Found {
  readInPlace(shard);
  const { expression, isCut } = matchIn(shard, query);
  if (expression === undefined) return { candidates: [], isMinimum: false };
  // Rows come from the newest on, and no more than these are visited.
  const matching = statement(
    shard,
    `SELECT e.id, e.session, e.position, e.scope FROM words CROSS JOIN entry e ON e.id = words.rowid
     WHERE words MATCH ? ${where.map((one) => `AND ${one}`).join(" ")} ORDER BY words.rowid DESC LIMIT ?`,
  );
  matching.setReturnArrays(true);
  const rows = matching.all(expression, ...values, most) as unknown as Columns[];
  if (rows.length === 0) return { candidates: [], isMinimum: false };
  const near = closeTogether(shard, query, rows.at(-1)?.[0] ?? 0);
  const sessions = sessionsOf(shard, rows, query, isHere);
  const candidates: Match[] = [];
  for (const [row, key, position, scope] of rows) {
    const session = sessions.get(key);
    if (!session) continue;
    const { updated, inTitle, hidden } = session;
    candidates.push({
      shard,
      row,
      key,
      position,
      scope,
      session: key * MOST_SHARDS + number,
      isNear: near.has(row),
      updated,
      inTitle,
      isHidden: bit(hidden, position),
      score: 0,
    });
  }
  return { candidates, isMinimum: isCut || rows.length === most };
}

const inPlace = new WeakSet<DatabaseSync>();

/**
 * The index is read where the system has it in memory, instead of through a copy of each page: a third less time.
 * Only for searches, because what is read then counts as memory of the process.
 */
function readInPlace(shard: DatabaseSync): void {
  if (inPlace.has(shard)) return;
  shard.exec(`PRAGMA mmap_size = ${1 << 30}; PRAGMA cache_size = -8000`);
  inPlace.add(shard);
}

/** To tell their sessions apart by a number. */
const MOST_SHARDS = 64;

/** What is the same for all of a session's texts. */
interface InSession {
  updated: number;
  inTitle: number;
  hidden: Uint8Array | null;
}

function sessionsOf(
  shard: DatabaseSync,
  rows: readonly Columns[],
  query: SearchQuery,
  isHere: IsHere = () => true,
): Map<number, InSession> {
  const words = [...new Set(query.groups.flat().flatMap((phrase) => phrase.words))];
  const keys = new Set(rows.map(([, key]) => key));
  const facts = factsOf(shard, keys);
  const sessions = new Map<number, InSession>();
  for (const key of keys) {
    const one = facts.get(key);
    if (!one || !isHere(one)) continue;
    const inTitle = words.filter((word) => one.title.includes(word)).length / words.length;
    sessions.set(key, { updated: one.updated, inTitle, hidden: one.hidden });
  }
  return sessions;
}

/** Of the rows from the oldest on that is a candidate. */
function closeTogether(shard: DatabaseSync, query: SearchQuery, oldest: number): Set<number> {
  const expression = nearness(query);
  if (expression === undefined) return new Set();
  // Numbers are bound as doubles, which FTS5 takes for no limit at all: it would look through everything.
  const near = statement(
    shard,
    "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= CAST(? AS INTEGER)",
  );
  near.setReturnArrays(true);
  return new Set((near.all(expression, oldest) as unknown as [number][]).map(([row]) => row));
}

/** Words that no shard has may be parts of words: a name that was typed in half, or from the middle. */
function widened(catalog: Catalog, query: SearchQuery): { query: SearchQuery; expanded: string[] } {
  const expanded: string[] = [];
  const isThere = (word: string) =>
    catalog.shards.some((shard) =>
      shard.prepare("SELECT 1 FROM words WHERE words MATCH ? LIMIT 1").get(`"${word}"`),
    );
  const widen = (phrase: Phrase): Phrase => {
    const { words } = phrase;
    const [first = "", last = ""] = [words[0], words.at(-1)];
    const isOpenBefore = phrase.isOpenBefore || (first.length >= SHORTEST_PART && !isThere(first));
    const isOpenAfter = phrase.isOpenAfter || (last.length >= SHORTEST_PART && !isThere(last));
    if (isOpenBefore === phrase.isOpenBefore && isOpenAfter === phrase.isOpenAfter) return phrase;
    expanded.push(words.join(" "));
    return { words, isOpenBefore, isOpenAfter };
  };
  return { query: { ...query, groups: query.groups.map((group) => group.map(widen)) }, expanded };
}

const SHORTEST_PART = 2;
