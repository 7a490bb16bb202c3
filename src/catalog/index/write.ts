// Puts what was read of sessions into a shard, many sessions in one transaction. Whoever finds that another process
// has gone on with a session since it was looked at leaves it alone: that process was faster.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Reader, SessionRef } from "../../adapters/adapter.ts";
import { wholeCount } from "../../adapters/header.ts";
import type { Header } from "../../session/session.ts";
import { badgeOf } from "../../session/vendor.ts";
import { changedAt, stampOf } from "../scan.ts";
import { COSTS } from "../schema.ts";
import type { Doc } from "./docs.ts";
import { inGroups } from "./groups.ts";
import type { Piece } from "./read.ts";
import type { MessageUsage } from "./usages.ts";

/** A piece of a session, and what it goes on from. */
export interface Addition {
  adapter: Reader;
  ref: SessionRef;
  id: string;
  /** What was in the session's row when it was looked at; undefined = there was none. */
  seen: Seen | undefined;
  /** Whether the session was not known before. */
  isNew: boolean;
  words: boolean;
  piece: Piece;
  /** See Job. */
  isEarly?: true;
}

export interface Seen {
  stamp: string;
  cursor: string | null;
  searchable: number;
}

export interface Writer {
  /** Returns the additions that were put in; the others were somebody else's already. */
  write(additions: readonly Addition[]): Addition[];
  /** Takes a session out. */
  remove(key: number): void;
}

/** Rowids grow from here with what comes, and shrink with what is found that is older. */
const MIDDLE = 2 ** 42;
/** Below it they grow with what comes before sessions that are newer: each time that is a little newer than before. */
const EARLY = 2 ** 41;
const FIRST_EARLY = 2 ** 40;

export function newWriter(shard: DatabaseSync): Writer {
  const statements = prepare(shard);
  return {
    write: (additions) =>
      transaction(shard, () => {
        statements.dropNote.run(COSTS);
        // Before there are rows of these, and before any go.
        const before = boundsOf(statements);
        const added = additions.flatMap((addition) => add(statements, addition) ?? []);
        addWords(statements, added, before);
        return added.map(({ addition }) => addition);
      }),
    remove: (key) =>
      transaction(shard, () => {
        statements.dropNote.run(COSTS);
        for (const chunk of takeAll(statements, key)) removeRows(statements, chunk);
        statements.dropCursor.run(key);
        statements.drop.run(key);
      }),
  };
}

function transaction<T>(shard: DatabaseSync, work: () => T): T {
  shard.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    shard.exec("COMMIT");
    return result;
  } catch (error) {
    if (shard.isTransaction) shard.exec("ROLLBACK");
    throw error;
  }
}

/** An addition whose session has its row, and what it takes the place of. */
interface Added {
  addition: Addition;
  key: number;
  replaced: Chunk[];
}

/** All but the words. */
function add(statements: Statements, addition: Addition): Added | undefined {
  const { ref, seen, piece } = addition;
  const row = statements.find.get(ref.path, ref.originalId, ref.thread ?? "", ref.agent) as
    | (Seen & { key: number })
    | undefined;
  const isAsSeen =
    row?.stamp === seen?.stamp && row?.cursor === seen?.cursor && row?.searchable === seen?.searchable;
  if (!isAsSeen) return undefined;
  const key = row?.key ?? insert(statements, addition);
  const replaced = row ? (piece.isContinued ? takePassing(statements, key) : takeAll(statements, key)) : [];
  addUsages(statements, key, piece.usages);
  if (piece.cursor) statements.cursor.run(key, JSON.stringify(piece.cursor));
  else if (row) statements.dropCursor.run(key);
  if (row) update(statements, key, addition);
  return { addition, key, replaced };
}

/**
 * The words of all sessions together and last: FTS5 writes out what it has gathered before each statement that may be
 * taken back by itself, as one is that puts in several rows, or a row with a trigger.
 */
function addWords(statements: Statements, added: readonly Added[], before: Bounds): void {
  for (const { replaced } of added) for (const chunk of replaced) removeRows(statements, chunk);
  const oldestFirst = added.toSorted((a, b) => changedAt(a.addition.ref) - changedAt(b.addition.ref));
  const ids = newIds(
    before,
    oldestFirst.map(({ addition }) => addition),
  );
  const noted = oldestFirst.map(({ addition, key }) => addEntries(statements, ids, key, addition));
  for (const { first, docs } of noted.sort((a, b) => a.first - b.first))
    for (const [at, { text }] of docs.entries()) statements.words.run(first + at, text);
}

function takeAll(statements: Statements, key: number): Chunk[] {
  const chunks = statements.chunks.all(key) as unknown as Chunk[];
  statements.dropChunks.run(key);
  statements.dropUsage.run(key);
  return chunks;
}

function takePassing(statements: Statements, key: number): Chunk[] {
  const chunks = statements.passing.all(key) as unknown as Chunk[];
  statements.dropPassing.run(key);
  return chunks;
}

interface Chunk {
  first: number;
  last: number;
}

function removeRows(statements: Statements, { first, last }: Chunk): void {
  for (let id = first; id <= last; id++) statements.dropWords.run(id);
  statements.dropEntries.run(first, last);
}

function addUsages({ usages: statement }: Statements, key: number, usages: readonly MessageUsage[]): void {
  statement.run(usages, ({ message, model, provider, time, place, usage }) => {
    const { input, output, cacheRead, cacheWrite, cacheWriteHour, reasoning, cost = null, estimated } = usage;
    return [
      ...[key, message, model, provider, time],
      // Damaged counts must not keep a session out of the catalog.
      ...[input, output, cacheRead, cacheWrite, cacheWriteHour, reasoning].map(wholeCount),
      ...[cost, estimated ? 1 : 0, place],
    ];
  });
}

interface Noted {
  /** The number of the first row; the others follow. */
  first: number;
  docs: readonly Doc[];
}

function addEntries(statements: Statements, ids: Ids, key: number, addition: Addition): Noted {
  const { piece } = addition;
  const docs = piece.docs.toSorted((a, b) => Number(a.passing) - Number(b.passing));
  if (docs.length === 0) return { first: 0, docs };
  const first = ids.take(addition);
  const final = docs.filter(({ passing }) => !passing).length;
  if (final > 0) statements.chunk.run(key, first, first + final - 1, 0);
  if (final < docs.length) statements.chunk.run(key, first + final, first + docs.length - 1, 1);
  let id = first;
  statements.entries.run(docs, ({ position, entry, scope, tool, file, record, offset, length }) => [
    ...[id++, key, position, entry, scope, named(statements, tool), named(statements, file)],
    ...[record, offset, length],
  ]);
  return { first, docs };
}

function named(statements: Statements, value: string | undefined): number | null {
  if (value === undefined) return null;
  const known = statements.names.get(value);
  if (known !== undefined) return known;
  statements.name.run(value);
  const { key } = statements.nameKey.get(value) as { key: number };
  if (statements.names.size > 10_000) statements.names.clear();
  statements.names.set(value, key);
  return key;
}

/** The lowest and the highest row number, the last of the early ones, and when the newest session changed. */
interface Bounds {
  low: number;
  high: number;
  early: number;
  newest: number;
}

function boundsOf(statements: Statements): Bounds {
  const { low, high, early } = statements.bounds.get() as Record<"low" | "high" | "early", number | null>;
  const { time } = statements.newest.get() as { time: number | null };
  return {
    low: low ?? MIDDLE,
    high: high ?? MIDDLE,
    early: early ?? FIRST_EARLY,
    newest: time ?? Number.POSITIVE_INFINITY,
  };
}

type Ids = ReturnType<typeof newIds>;

/**
 * The newest session has the greatest ids, so that the newest matches of a word are found first. Within a
 * transaction they only grow: the index would have to be written out each time they do not.
 */
function newIds({ low, high, early, newest }: Bounds, oldestFirst: readonly Addition[]) {
  const placeOf = ({ ref, isEarly }: Addition) =>
    isEarly ? "early" : changedAt(ref) < newest ? "below" : "above";
  const older = oldestFirst.filter((addition) => placeOf(addition) === "below");
  const below = low - older.reduce((sum, { piece }) => sum + piece.docs.length, 0);
  const next = { early: early + 1, below, above: high + 1 };
  return {
    take(addition: Addition): number {
      const place = placeOf(addition);
      const first = next[place];
      next[place] += addition.piece.docs.length;
      return first;
    },
  };
}

function insert(statements: Statements, addition: Addition): number {
  const { id, ref, words, piece } = addition;
  const identity = [id, ref.agent, ref.originalId, ref.thread ?? "", ref.path];
  const values = piece.end ? valuesOf(addition, piece.end, piece.end.header.metadata) : NOT_READ_YET;
  const hidden = piece.end?.hidden ?? null;
  return Number(statements.insert.run(...identity, ...values, words ? 1 : 0, hidden).lastInsertRowid);
}

function update(statements: Statements, key: number, addition: Addition): void {
  const { words, piece } = addition;
  if (!piece.end) {
    statements.progress.run(words ? 1 : 0, key);
    return;
  }
  const { header, hidden, isWhole, problems, isUnread } = piece.end;
  // Of one whose first piece was being read nothing is known yet.
  if (isUnread && noteProblems(statements, key, addition, problems)) return;
  const totals = isWhole ? header.metadata : totalsOf(statements, key, header);
  statements.update.run(...valuesOf(addition, piece.end, totals), words ? 1 : 0, key);
  if (hidden !== undefined) statements.hidden.run(hidden, key);
}

/** Beside what is known of the session; false when that is nothing. */
function noteProblems(
  statements: Statements,
  key: number,
  { ref, piece }: Addition,
  problems: string[],
): boolean {
  const stamp = piece.end?.isLasting === false ? "" : stampOf(ref);
  return statements.problems.run(stamp, JSON.stringify(problems), key).changes > 0;
}

/** What is written of a session that was read to its end. */
const COLUMNS =
  "stamp files size updated created provider title summary project model messages tokens cost cost_place problems parent links".split(
    " ",
  );
const NOT_READ_YET = ["", "[]", 0, 0, "", "", "", "", "", "unknown", 0, null, null, null, "[]", null, null];

type Values = (string | number | null)[];

function valuesOf(
  { adapter, ref }: Addition,
  { header, problems, costPlace, isLasting = true }: NonNullable<Piece["end"]>,
  { tokens, cost }: Pick<Header["metadata"], "tokens" | "cost">,
): Values {
  return [
    isLasting ? stampOf(ref) : "",
    JSON.stringify(ref.files),
    ref.files.find(({ role }) => role === "main")?.size ?? 0,
    changedAt(ref),
    header.metadata.created,
    badgeOf(adapter.badgeOf?.(header) ?? adapter.badge),
    header.title ?? "",
    header.summary ?? "",
    header.project.path,
    header.model.model,
    header.metadata.messageCount ?? 0,
    tokens ? JSON.stringify(tokens) : null,
    cost ?? null,
    costPlace ?? null,
    JSON.stringify(problems),
    ref.parent ?? parentIn(header) ?? null,
    header.links ? JSON.stringify(header.links) : null,
  ];
}

/** A session that names the one that spawned it, where the folder does not tell. */
function parentIn({ links }: Header): string | undefined {
  const link = links?.find(({ type }) => type === "parent");
  return link?.session.slice(link.session.indexOf(":") + 1);
}

function totalsOf(
  statements: Statements,
  key: number,
  header: Header,
): Pick<Header["metadata"], "tokens" | "cost"> {
  const { cost, count, ...tokens } = statements.totals.get(key) as unknown as Totals;
  if (count === 0) return { cost: header.metadata.cost };
  return { tokens, cost: header.metadata.cost ?? cost ?? undefined };
}

type Totals = NonNullable<Header["metadata"]["tokens"]> & { cost: number | null; count: number };

type Statements = ReturnType<typeof prepare>;

const ENTRY = "id session position entry scope tool file record offset length".split(" ");
const COUNTS = "input output cache_read cache_write cache_write_hour reasoning cost estimated".split(" ");
const USAGE = ["session", "message", "model", "provider", "time", ...COUNTS, "place"];

function prepare(shard: DatabaseSync) {
  const sql = (text: string): StatementSync => shard.prepare(text);
  return {
    names: new Map<string, number>(),
    find: sql(
      "SELECT key, stamp, (SELECT value FROM cursor WHERE session = key) AS cursor, searchable FROM session WHERE path = ? AND original_id = ? AND thread = ? AND agent = ?",
    ),
    insert:
      sql(`INSERT INTO session (id, agent, original_id, thread, path, ${COLUMNS.join()}, searchable, hidden)
      VALUES (?, ?, ?, ?, ?, ${COLUMNS.map(() => "?").join()}, ?, ?)`),
    update:
      sql(`UPDATE session SET ${COLUMNS.map((name) => `${name} = ?`).join()}, searchable = ?, gone = NULL
      WHERE key = ?`),
    problems: sql("UPDATE session SET stamp = ?, problems = ?, gone = NULL WHERE key = ? AND files != '[]'"),
    progress: sql("UPDATE session SET searchable = ?, stamp = '' WHERE key = ?"),
    cursor: sql("INSERT OR REPLACE INTO cursor (session, value) VALUES (?, ?)"),
    dropCursor: sql("DELETE FROM cursor WHERE session = ?"),
    drop: sql("DELETE FROM session WHERE key = ?"),
    dropNote: sql("DELETE FROM store WHERE path = ?"),
    hidden: sql("UPDATE session SET hidden = ? WHERE key = ?"),
    chunks: sql("SELECT first, last FROM chunk WHERE session = ?"),
    passing: sql("SELECT first, last FROM chunk WHERE session = ? AND passing = 1"),
    chunk: sql("INSERT INTO chunk (session, first, last, passing) VALUES (?, ?, ?, ?)"),
    dropChunks: sql("DELETE FROM chunk WHERE session = ?"),
    dropPassing: sql("DELETE FROM chunk WHERE session = ? AND passing = 1"),
    dropUsage: sql("DELETE FROM usage WHERE session = ?"),
    dropWords: sql("DELETE FROM words WHERE rowid = ?"),
    dropEntries: sql("DELETE FROM entry WHERE id BETWEEN ? AND ?"),
    bounds: sql(`SELECT (SELECT min(id) FROM entry WHERE id > ${EARLY}) AS low,
      (SELECT max(id) FROM entry WHERE id > ${EARLY}) AS high,
      (SELECT max(id) FROM entry WHERE id < ${EARLY}) AS early`),
    newest: sql("SELECT max(updated) AS time FROM session WHERE stamp != '' AND searchable = 1"),
    entries: inGroups(sql, "INSERT INTO entry", ENTRY),
    words: sql("INSERT INTO words (rowid, text) VALUES (?, ?)"),
    name: sql("INSERT OR IGNORE INTO name (value) VALUES (?)"),
    nameKey: sql("SELECT key FROM name WHERE value = ?"),
    // A message that comes again may have other tokens, but it is where and when it was first.
    usages: inGroups(
      sql,
      "INSERT INTO usage",
      USAGE,
      `ON CONFLICT DO UPDATE SET ${COUNTS.map((name) => `${name} = excluded.${name}`).join()}`,
    ),
    totals: sql(`SELECT sum(input) AS input, sum(output) AS output, sum(cache_read) AS cacheRead,
      sum(cache_write) AS cacheWrite, sum(reasoning) AS reasoning, sum(cost) AS cost, count(*) AS count
      FROM usage WHERE session = ?`),
  };
}
