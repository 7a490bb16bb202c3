// The texts of a shard that match, the newest first.
import type { DatabaseSync } from "node:sqlite";
import { statement } from "../../storage/statement.ts";
import type { Conditions } from "./filter.ts";
import type { Kept } from "./kept.ts";

/** The row of `entry`, its session, and what of it the text is. */
export type TextPlace = readonly [row: number, key: number, position: number, scope: number];

export interface Wanted extends Conditions {
  expression: string;
  /** So many of the newest, and no more are visited. */
  most: number;
}

export function textsIn(shard: DatabaseSync, { texts }: Kept, wanted: Wanted): TextPlace[] {
  const { where, values, expression, most } = wanted;
  // A first search has nothing to look them up in, and filters need the rows themselves.
  if (texts.size > 0 && where.length === 0) return lookedUp(shard, texts, wanted);
  const joined = statement(
    shard,
    `SELECT ${PLACE} FROM words CROSS JOIN entry e ON e.id = words.rowid
     WHERE words MATCH ? ${where.map((one) => `AND ${one}`).join(" ")} ORDER BY words.rowid DESC LIMIT ?`,
  );
  joined.setReturnArrays(true);
  const found = joined.all(expression, ...values, most) as unknown as TextPlace[];
  for (const place of found) texts.set(place[0], place);
  return found;
}

const PLACE = "e.id, e.session, e.position, e.scope";

function lookedUp(
  shard: DatabaseSync,
  texts: Map<number, TextPlace>,
  { expression, most }: Wanted,
): TextPlace[] {
  const { rows } = statement(shard, ROWS).get(expression, most) as { rows: string };
  const all = JSON.parse(rows) as number[];
  const missing = all.filter((row) => !texts.has(row));
  if (missing.length > 0) {
    const places = statement(shard, PLACES);
    places.setReturnArrays(true);
    for (const place of places.all(JSON.stringify(missing)) as unknown as TextPlace[])
      texts.set(place[0], place);
  }
  return all.map((row) => texts.get(row)).filter((place) => place !== undefined);
}

/** One value is handed over faster than a row for each. */
const ROWS = `SELECT json_group_array(row) AS rows FROM
  (SELECT rowid AS row FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?)`;

const PLACES = `SELECT ${PLACE} FROM json_each(?) AS wanted CROSS JOIN entry e ON e.id = wanted.value`;
