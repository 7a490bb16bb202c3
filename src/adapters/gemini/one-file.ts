// Sessions of the first generation: one JSON object per file, {sessionId, projectHash, messages: […]}, printed over
// many lines. The whole file is one record.
import { readFile, stat } from "node:fs/promises";
import { type Loss, loss } from "../../session/losses.ts";
import { beginningOf } from "../../storage/beginning.ts";
import type { Position } from "../../storage/position.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { isObject } from "../json.ts";

const LARGEST = 1 << 28;

/** Enough for a log's first line, and for most. */
const BEGINNING = 1 << 11;
const MORE = 1 << 16;

/** Lines that are objects, or begin as such. */
const LOG = /^\{.+\}[ \r]*\n\s*\{/;

/**
 * By its content, because a copy may have any name: a log's first line is an object of its own, without messages.
 * Where that line cannot be read, the name decides.
 */
export function isOneFile(path: string): boolean {
  const few = beginningOf(path, BEGINNING).trimStart();
  const start = LOG.test(few) ? few : beginningOf(path, MORE).trimStart();
  const end = start.indexOf("\n");
  const first = end === -1 ? start : start.slice(0, end);
  const isAlone = end === -1 || start.slice(end).trim() === "";
  try {
    const value: unknown = JSON.parse(first);
    return isAlone && isObject(value) && Array.isArray(value.messages);
  } catch {
    // Its lines are no objects, or it is longer than what was read, or damaged.
    return first.trim() === "{" || (isAlone && /"messages"\s*:\s*\[/.test(start)) || path.endsWith(".json");
  }
}

export async function* readOneFile(path: string, from: Position): AsyncGenerator<NativeRecord[]> {
  if (from.index > 0) return;
  const { size } = await stat(path);
  if (size > LARGEST) yield [unreadable(Buffer.alloc(0), `${size} bytes are too many to parse at once`)];
  else yield [recordOf(await readFile(path))];
}

/** The file as its only record. */
function recordOf(bytes: Buffer): NativeRecord {
  try {
    return record(bytes, JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, "")), []);
  } catch (error) {
    return unreadable(bytes, error instanceof Error ? error.message : String(error));
  }
}

function record(bytes: Buffer, value: unknown, losses: readonly Loss[]): NativeRecord {
  const { length } = bytes;
  return { index: 0, line: 1, offset: 0, length, value, whole: true, terminated: true, losses, bytes };
}

function unreadable(bytes: Buffer, reason: string): NativeRecord {
  return record(bytes, undefined, [
    loss("record_unreadable", { record: 0, line: 1 }, reason.slice(0, 200), "error"),
  ]);
}
