// Sessions of the TypeScript CLI: one JSON object {session, items} per file. Its parts are handed out as
// records, each with its own stretch of the file, so that the records put together are the file again.
import { readFile, stat } from "node:fs/promises";
import { type Loss, loss } from "../../session/losses.ts";
import type { Position } from "../../storage/position.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { isObject } from "./native.ts";

const LARGEST = 1 << 28;

export async function readOneFile(path: string, from: Position): Promise<NativeRecord[]> {
  const { size } = await stat(path);
  if (size > LARGEST) return [unreadable(Buffer.alloc(0), size, "it is too large to parse at once")];
  const bytes = await readFile(path);
  return recordsOf(bytes).filter(({ index }) => index >= from.index);
}

/** The values of records that were taken from such a file, or undefined when they are not. */
export function valuesOf(raws: readonly (Uint8Array | string)[]): unknown[] | undefined {
  const found = recordsOf(Buffer.concat(raws.map((raw) => Buffer.from(raw as string))));
  return found.length === raws.length ? found.map(({ value }) => value) : undefined;
}

function recordsOf(bytes: Buffer): NativeRecord[] {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8").replace(/[\0\s]+$/, ""));
  } catch (error) {
    return [unreadable(bytes, bytes.length, error instanceof Error ? error.message : String(error))];
  }
  if (!isObject(value) || !Array.isArray(value.items)) return [record(bytes, 0, 0, bytes.length, value)];
  const values: unknown[] = [{ session: value.session }, ...value.items];
  const ends = itemEnds(bytes);
  // The first record ends where the first item begins; a list that cannot be taken apart goes with the first.
  if (ends.length !== value.items.length) ends.length = 0;
  const stops = [startOf(bytes, ends), ...ends];
  return values.map((item, index) => {
    const start = index === 0 ? 0 : (stops[index - 1] ?? bytes.length);
    const stop = index === values.length - 1 ? bytes.length : (stops[index] ?? bytes.length);
    return record(bytes, index, start, stop, item);
  });
}

function startOf(bytes: Buffer, ends: readonly number[]): number {
  if (ends.length === 0) return bytes.length;
  return bytes.indexOf("[", bytes.indexOf('"items"')) + 1;
}

/** Byte positions after each object in the list of items, which is two levels down. */
function itemEnds(bytes: Buffer): number[] {
  const ends: number[] = [];
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      depth--;
      if (depth === 2 && byte === 0x7d) ends.push(at + 1);
    }
  }
  return ends;
}

function record(
  bytes: Buffer,
  index: number,
  start: number,
  stop: number,
  value: unknown,
  losses: readonly Loss[] = [],
): NativeRecord {
  return {
    index,
    line: 1,
    offset: start,
    length: stop - start,
    value,
    whole: true,
    terminated: true,
    losses,
    bytes: bytes.subarray(start, stop),
  };
}

function unreadable(bytes: Buffer, size: number, reason: string): NativeRecord {
  const found = loss("record_unreadable", { record: 0, line: 1 }, `${size} bytes: ${reason.slice(0, 120)}`);
  return record(bytes, 0, 0, bytes.length, undefined, [found]);
}
