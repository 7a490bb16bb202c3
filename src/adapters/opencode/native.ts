// The shapes of OpenCode's own records, and guards for them. A record is a session, or a message with its parts,
// as a line of rows (storage/rows.ts). Records are untrusted: every field is checked where it is used.
import type { RowLine } from "../../storage/rows.ts";

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A string with something in it. */
export function word(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
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

/** The ids of parts whose data is no object: cut or damaged. */
export function unreadableParts(line: RowLine): string[] {
  return (line.rows ?? []).flatMap(({ table, row, data }) =>
    table === "part" && !isObject(data) ? [String(row.id)] : [],
  );
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
