// The shapes of OpenCode's own records, and guards for them. A record is a session, or a message with its parts,
// as a line of rows (storage/rows.ts). Records are untrusted: every field is checked where it is used.
import type { RowLine } from "../../storage/rows.ts";
import { count, isObject, type Json as JsonObject } from "../json.ts";

export { count, filled as word, isObject, type Json as JsonObject, objects, text } from "../json.ts";

/** What the CLI puts in the place of everything that was summarised. */
export const QUESTION = "What did we do so far?";

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function lineOf(value: unknown): (RowLine & { row: JsonObject }) | undefined {
  if (!isObject(value) || typeof value.table !== "string" || !isObject(value.row)) return undefined;
  return value as unknown as RowLine & { row: JsonObject };
}

export interface PartRow {
  id: string;
  data: JsonObject;
}

export function partsOf(line: RowLine): PartRow[] {
  return (line.rows ?? []).flatMap(({ table, row, data }) =>
    table === "part" && isObject(data) ? [{ id: String(row.id), data }] : [],
  );
}

/** Of parts whose data is no object, because they are cut or damaged or their file cannot be read: what is wrong. */
export function unreadableParts(line: RowLine): string[] {
  return (line.rows ?? []).flatMap(({ table, row, data }) =>
    table === "part" && !isObject(data)
      ? [`part ${String(row.id).slice(0, 80)} of message ${String(line.row.id)} lacks its data${why(row)}`]
      : [],
  );
}

/** Why a file of the JSON tree could not be read. */
export function why({ unread }: JsonObject): string {
  return typeof unread === "string" ? ` (${unread.slice(0, 400)})` : "";
}

/** JSON inside a column of text. */
export function columnObject(value: unknown): JsonObject {
  if (isObject(value)) return value;
  if (typeof value !== "string" || !value.startsWith("{")) return {};
  try {
    return objectOf(JSON.parse(value));
  } catch {
    // Cut short in a pass over structure, or damaged: then it says nothing.
    return {};
  }
}

export function isoTime(milliseconds: unknown): string | undefined {
  const time = count(milliseconds);
  if (time === undefined) return undefined;
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
