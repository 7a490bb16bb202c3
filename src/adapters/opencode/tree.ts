// The stores that are files: the JSON tree of 2025 and early 2026 (`storage/{session,message,part}/…`), and the
// single file that `opencode export` writes and `opencode import` takes. Both are read as lines of rows.
import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { NativeRecord } from "../../storage/records.ts";
import { lineRecords, rowLine } from "../../storage/rows.ts";
import type { PassOptions } from "../open.ts";
import { isObject, type JsonObject, objectOf, word } from "./native.ts";

/** An exported session. */
export interface ExportFile {
  info: JsonObject & { id: string };
  messages: unknown[];
}

export function exportOf(value: unknown): ExportFile | undefined {
  if (!isObject(value) || !isObject(value.info) || !Array.isArray(value.messages)) return undefined;
  const isSession = word(value.info.id)?.startsWith("ses") ?? false;
  return isSession ? (value as unknown as ExportFile) : undefined;
}

export async function* readExport(path: string, options: PassOptions): AsyncGenerator<NativeRecord[]> {
  const file = exportOf(parsed(await readFile(path, "utf8")));
  if (!file) return;
  yield* lineRecords((first) => exportLines(file).slice(first), options);
}

function exportLines({ info, messages }: ExportFile): string[] {
  const lines = [rowLine("session", { data: JSON.stringify(info) })];
  for (const message of messages) {
    const { info: told, parts } = objectOf(message);
    const inside = Array.isArray(parts) ? parts.map((part) => rowLine("part", anyRow(part))) : [];
    lines.push(rowLine("message", anyRow(isObject(told) ? told : message), inside));
  }
  return lines;
}

/** What is no object stays as the text it is: its record says so. */
function anyRow(value: unknown): JsonObject {
  return isObject(value) ? objectRow(value) : { data: JSON.stringify(value) };
}

/** The columns of the row that OpenCode would make of an object. */
function objectRow(object: JsonObject, raw = JSON.stringify(object)): JsonObject {
  const created = objectOf(object.time).created;
  return {
    id: object.id,
    ...(word(object.messageID) !== undefined && { message_id: object.messageID }),
    session_id: object.sessionID,
    ...(typeof created === "number" && { time_created: created }),
    data: raw,
  };
}

/** The folders beside the one that a session's file lies in: `storage/session/<project>/<id>.json`. */
export function storageOf(sessionFile: string): string {
  return dirname(dirname(dirname(sessionFile)));
}

export async function* readTree(path: string, options: PassOptions): AsyncGenerator<NativeRecord[]> {
  yield* lineRecords((first) => treeLines(path, first), options);
}

function* treeLines(path: string, first: number): Generator<string> {
  const storage = storageOf(path);
  const id = basename(path, ".json");
  if (first === 0) yield rowLine("session", { data: readFileSync(path, "utf8") });
  // Ids rise with time, and the CLI of that time went by them.
  const messages = namesIn(join(storage, "message", id));
  for (const name of messages.slice(Math.max(0, first - 1))) {
    const message = basename(name, ".json");
    const folder = join(storage, "part", message);
    const parts = namesIn(folder).map((part) =>
      fileLine("part", join(folder, part), { message_id: message }),
    );
    yield fileLine("message", join(storage, "message", id, name), {}, parts);
  }
}

function fileLine(table: string, path: string, columns: JsonObject, parts: readonly string[] = []): string {
  const raw = readFileSync(path, "utf8");
  const object = objectOf(parsed(raw));
  const row = { ...objectRow(object, raw), ...columns, id: basename(path, ".json") };
  return rowLine(table, row, parts);
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // A file that is cut or damaged; its record says so.
    return undefined;
  }
}
