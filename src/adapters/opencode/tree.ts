// The stores that are files: the JSON tree of 2025 and early 2026 (`storage/{session,message,part}/…`), the one before
// it (`project/<name>/storage/session/{info,message,part}/…`), and the single file that `opencode export` writes and
// `opencode import` takes. All are read as lines of rows.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { withoutMembers } from "../../storage/json-text.ts";
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

/** The folder that holds `session`, and what belongs to it. */
export function storageOf(sessionFile: string): string {
  return dirname(dirname(dirname(sessionFile)));
}

interface Folders {
  messages: string;
  parts(message: string): string;
  /** Of the layout before September 2025, in which all of it lay below `session`. */
  isOlder: boolean;
}

/** `storage/session/<project>/<id>.json`, and `storage/session/info/<id>.json` before. */
export function foldersOf(sessionFile: string): Folders {
  const id = basename(sessionFile, ".json");
  const isOlder = basename(dirname(sessionFile)) === "info";
  const folder = isOlder ? dirname(dirname(sessionFile)) : storageOf(sessionFile);
  return {
    messages: join(folder, "message", id),
    parts: (message) => (isOlder ? join(folder, "part", id, message) : join(folder, "part", message)),
    isOlder,
  };
}

export async function* readTree(path: string, options: PassOptions): AsyncGenerator<NativeRecord[]> {
  yield* lineRecords((first) => treeLines(path, first), options);
}

function* treeLines(path: string, first: number): Generator<string> {
  const folders = foldersOf(path);
  // Ids rise with time, and the CLI of that time went by them.
  const names = namesIn(folders.messages);
  if (first === 0) {
    const columns = folders.isOlder ? { layout: OLDER, ...directoryIn(folders.messages, names) } : {};
    yield rowLine("session", { ...columns, data: readFileSync(path, "utf8") });
  }
  for (const name of names.slice(Math.max(0, first - 1))) yield messageLine(folders, name);
}

/** Marks a session whose messages say less than today's CLI asks for. */
export const OLDER = "session/info";

/** Sessions did not say where they belong, but replies did. */
function directoryIn(folder: string, names: readonly string[]): { directory?: string } {
  for (const name of names) {
    const { path } = objectOf(parsed(fileText(join(folder, name)).raw));
    const directory = word(objectOf(path).cwd) ?? word(objectOf(path).root);
    if (directory !== undefined) return { directory };
  }
  return {};
}

function messageLine({ messages, parts: partsOf }: Folders, name: string): string {
  const message = basename(name, ".json");
  const { raw, ...unread } = fileText(join(messages, name));
  const { parts: inside } = objectOf(parsed(raw));
  const parts = partLines(partsOf(message), message);
  if (!Array.isArray(inside)) return fileLine("message", message, raw, unread, parts);
  // Of July 2025: parts inside the message, in which a call's id was its part's.
  const told = inside.map((part, at) => insidePart(message, part, at));
  return fileLine("message", message, withoutMembers(raw.trim(), ["parts"]), {}, [...told, ...parts]);
}

function partLines(folder: string, message: string): string[] {
  try {
    return namesIn(folder).map((name) => {
      const { raw, ...unread } = fileText(join(folder, name));
      return fileLine("part", basename(name, ".json"), raw, { message_id: message, ...unread });
    });
  } catch (error) {
    const unread = (error as Error).message;
    return [rowLine("part", { id: basename(folder), message_id: message, unread, data: "" })];
  }
}

/** What cannot be read costs only itself: its record says why. */
function fileText(path: string): { raw: string; unread?: string } {
  try {
    // A pipe that lies there would be waited for.
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO())
      return { raw: "", unread: `${basename(path)} is a pipe` };
    return { raw: readFileSync(path, "utf8") };
  } catch (error) {
    return { raw: "", unread: `${basename(path)}: ${(error as Error).message}` };
  }
}

function insidePart(message: string, part: unknown, at: number): string {
  if (!isObject(part)) return rowLine("part", { id: `${message}.${at}`, data: JSON.stringify(part) });
  const { id: call, ...rest } = part;
  const data = rest.type === "tool" && rest.callID === undefined ? { ...rest, callID: call } : part;
  return rowLine("part", { ...objectRow(data), message_id: message, id: `${message}.${at}` });
}

function fileLine(table: string, id: string, raw: string, columns: JsonObject, parts: string[] = []): string {
  const object = objectOf(parsed(raw));
  return rowLine(table, { ...objectRow(object, raw), ...columns, id }, parts);
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
