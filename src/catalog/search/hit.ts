// One hit as it is shown: its session, its entry, and the line that it was found in.
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../../storage/statement.ts";
import type { Catalog } from "../catalog.ts";
import { hiddenBits } from "../index/order.ts";
import { SCOPES, type Scope } from "../schema.ts";
import { type LoadReaders, type RecordPlace, refOf, textsAt } from "./read.ts";
import { cutAround, type Finder, type Snippet, type Spot } from "./snippet.ts";

export interface Hit {
  /** The session's id. */
  session: string;
  agent: string;
  title: string;
  project: string;
  /** When the session last changed. */
  updated: string;
  /** The entry's id, and its place in the session. */
  entry: string;
  position: number;
  scope: Scope;
  /** For a call and its result. */
  tool?: string;
  snippet: string;
  /** Where in the snippet the words are: first character, and the one behind the last. */
  marks: [start: number, end: number][];
  score: number;
  /** It was taken back or compacted away: the model does not see it any more. */
  hidden?: true;
  /** The session's native file is gone. */
  gone?: true;
  /** Why there is no snippet, in a sentence. */
  problem?: string;
}

/** Where the catalog has it. */
export interface HitRow {
  shard: DatabaseSync;
  /** The rows of `entry` and `session`. */
  row: number;
  key: number;
  scope: number;
  score: number;
}

export interface Showing {
  catalog: Catalog;
  finder: Finder;
  readers: LoadReaders;
  width: number | undefined;
  shown: ((text: string) => string) | undefined;
}

/** In the given order; a text that another process has taken out meanwhile is left out. */
export async function hitsOf(page: readonly HitRow[], showing: Showing): Promise<Hit[]> {
  const details = new Map<DatabaseSync, Map<number, Details>>();
  for (const [shard, rows] of Map.groupBy(page, (one) => one.shard))
    details.set(shard, detailsIn(shard, rows));
  // A secret that one hit gives away may stand alone in an earlier one, where it would be hidden behind our marks.
  if (showing.shown) await learn(page, details, { ...showing, shown: showing.shown });
  const hits: Hit[] = [];
  for (const one of page) {
    const found = details.get(one.shard)?.get(one.row);
    if (found) hits.push(await hitOf(one, found, showing));
  }
  return hits;
}

async function learn(
  page: readonly HitRow[],
  details: ReadonlyMap<DatabaseSync, ReadonlyMap<number, Details>>,
  showing: Showing & { shown(text: string): string },
): Promise<void> {
  for (const { shard, row } of page) {
    const found = details.get(shard)?.get(row);
    if (!found) continue;
    showing.shown(found.title);
    showing.shown(found.project);
    await snippetOf(found, showing);
  }
}

function detailsIn(shard: DatabaseSync, rows: readonly HitRow[]): Map<number, Details> {
  const scopes = new Map(rows.map(({ row, scope }) => [row, scope]));
  const named = statement(shard, DETAILS);
  named.setReturnArrays(true);
  const found = named.all(JSON.stringify([...scopes.keys()])) as unknown as DetailColumns[];
  return new Map(found.map((columns) => [columns[0], detailsOf(columns, scopes.get(columns[0]) ?? 0)]));
}

async function hitOf({ shard, key, scope, score }: HitRow, details: Details, showing: Showing): Promise<Hit> {
  const { id, agent, title, project, updated, entry, position, tool, isGone } = details;
  const snippet = await snippetOf(details, showing);
  const hidden = details.hidden ?? (await lookAgain(shard, key, details, showing.readers));
  const hit: Hit = {
    session: id,
    agent,
    title,
    project,
    updated: new Date(updated).toISOString(),
    entry,
    position,
    scope: SCOPES[scope] ?? "context",
    ...(tool !== null && { tool: tool.slice(tool.indexOf("\n") + 1) }),
    snippet: snippet.text,
    marks: snippet.marks,
    score,
  };
  if (bit(hidden, position)) hit.hidden = true;
  if (isGone) hit.gone = true;
  if (snippet.problem !== undefined) hit.problem = snippet.problem;
  return hit;
}

/** Whether a bit of `hidden` is set. */
export function bit(bits: Uint8Array | null, position: number): boolean {
  return (((bits?.[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
}

const DETAILS = `SELECT e.id, e.entry, e.position, e.record, e.offset, e.length, tool.value, file.value, s.id, s.agent,
  s.title, s.project, s.updated, s.original_id, s.thread, s.path, s.files, s.parent, s.gone, s.hidden
  FROM json_each(?) AS wanted JOIN entry e ON e.id = wanted.value JOIN session s ON s.key = e.session
  LEFT JOIN name tool ON tool.key = e.tool LEFT JOIN name file ON file.key = e.file`;

type DetailColumns = [
  row: number,
  entry: string,
  position: number,
  record: number,
  offset: number,
  length: number,
  tool: string | null,
  file: string | null,
  id: string,
  agent: string,
  title: string,
  project: string,
  updated: number,
  originalId: string,
  thread: string,
  path: string,
  files: string,
  parent: string | null,
  gone: number | null,
  hidden: Uint8Array | null,
];

interface Details extends RecordPlace {
  tool: string | null;
  id: string;
  title: string;
  project: string;
  updated: number;
  hidden: Uint8Array | null;
}

/** Rows that come as objects would take several times as long to make and to read. */
function detailsOf(columns: DetailColumns, scope: number): Details {
  const [, entry, position, record, offset, length, tool, file, id, agent, title, project, ...more] = columns;
  const [updated, originalId, thread, path, files, parent, gone, hidden] = more;
  const place = { agent, originalId, thread, path, files, parent, isGone: gone !== null };
  const text = { entry, position, scope, record, offset, length, file };
  return { ...place, ...text, tool, id, title, project, updated, hidden };
}

async function snippetOf(
  place: RecordPlace,
  { catalog, finder, readers, width, shown }: Showing,
): Promise<Snippet & { problem?: string }> {
  let best: Spot | undefined;
  try {
    for await (const texts of textsAt(place, readers, catalog.batonHome)) {
      // Before a piece is cut out of it, which could tear what is to be hidden.
      const spot = bestIn(shown ? Iterator.from(texts).map(shown) : texts, finder);
      if (isBetter(spot, best)) best = spot;
      if (best && best.phrases >= 1) break;
    }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { text: "", marks: [], problem };
  }
  return best
    ? cutAround(best, width)
    : { text: "", marks: [], problem: shown ? HIDDEN : "The text has changed since it was read." };
}

const HIDDEN = "What was found is hidden, or the text has changed since it was read.";

function bestIn(texts: Iterable<string>, finder: Finder): Spot | undefined {
  let best: Spot | undefined;
  for (const text of texts) {
    const spot = finder.find(text);
    if (isBetter(spot, best)) best = spot;
    if (best && best.phrases >= finder.phrases) break;
  }
  return best;
}

function isBetter(spot: Spot | undefined, than: Spot | undefined): spot is Spot {
  return spot !== undefined && (than === undefined || spot.phrases > than.phrases);
}

/** A long session that was added to is not looked at as a whole each time; now somebody wants to know. */
async function lookAgain(
  shard: DatabaseSync,
  key: number,
  place: RecordPlace,
  readers: LoadReaders,
): Promise<Uint8Array | null> {
  const reader = (await readers()).find(({ id }) => id === place.agent);
  if (!reader || place.isGone) return null;
  try {
    const bits = hiddenBits((await reader.open(refOf(place))).skeleton);
    shard.prepare("UPDATE session SET hidden = ? WHERE key = ? AND hidden IS NULL").run(bits, key);
    return bits;
  } catch {
    // What is wrong with the session is in its row; the hit is then shown without the flag.
    return null;
  }
}
