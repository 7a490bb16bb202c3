// What is new of a file, or of a session's rows: which of the frames that are archived are still its beginning, and
// the frames behind them.
import type { DatabaseSync } from "node:sqlite";
import { BatonError } from "../../session/error.ts";
import { codeOf } from "../../storage/disk.ts";
import { framesOf, framesOfLines, type OpenedFile, openToFrame } from "../../storage/frames.ts";
import { digestOf } from "../../storage/pack.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { statement } from "../../storage/statement.ts";
import { growthOf } from "./grown.ts";
import type { Version } from "./notes.ts";
import type { Batches } from "./write.ts";

interface Part {
  start: number;
  size: number;
  /** As notes name it; undefined where the frame is lost. */
  hash: string | undefined;
}

interface Known {
  size: number;
  mtimeMs: number;
  inode: number;
  parts: Part[];
}

/** Undefined when it is as it was. */
export async function versionOfFile(
  database: DatabaseSync,
  batches: Batches,
  path: string,
): Promise<Version | undefined> {
  const known = knownVersion(database, path);
  const file = openToFrame(path);
  try {
    const { size, mtimeMs, inode } = file;
    if (known && known.size === size && known.mtimeMs === mtimeMs && known.inode === inode) return undefined;
    const kept = known && keptParts(file, known);
    const keeps = kept ?? 0;
    const from = known?.parts[keeps]?.start ?? 0;
    const frames: [string, number][] = [];
    let end = from;
    for (const bytes of framesOf(file, from)) {
      frames.push([await batches.frame(bytes), bytes.length]);
      end += bytes.length;
    }
    return {
      name: path,
      // As much as there was to read, which is less where it was cut meanwhile.
      size: end,
      mtimeMs,
      inode,
      lines: 0,
      replaces: known !== undefined && kept === undefined,
      keeps,
      frames,
    };
  } finally {
    file.close();
  }
}

/** How many frames at the beginning are looked at again, and at the end. */
const LOOKED_AT_FIRST = 1;
const LOOKED_AT_LAST = 16;

/**
 * How many of the frames stay: all but the last, if all of them are still the file's beginning; otherwise undefined.
 * A very long file is looked at where it begins and where it ended, because agents only ever add to it.
 */
function keptParts(file: OpenedFile, { size, parts }: Known): number | undefined {
  if (file.size < size) return undefined;
  for (const [at, part] of parts.entries()) {
    const isLookedAt = at < LOOKED_AT_FIRST || at >= parts.length - LOOKED_AT_LAST;
    if (part.hash !== undefined && isLookedAt && !isStill(file, part)) return undefined;
  }
  // Where a frame is lost, all of them are made anew.
  const isWhole = parts.every(({ hash }) => hash !== undefined);
  return isWhole ? Math.max(0, parts.length - 1) : 0;
}

function isStill(file: OpenedFile, { start, size, hash }: Part): boolean {
  return digestOf(file.read(start, start + size)).toString("base64") === hash;
}

/** The rows of a session as lines; they have to be read to see whether they changed. */
export async function versionOfLines(
  database: DatabaseSync,
  batches: Batches,
  name: string,
  lines: AsyncIterable<readonly NativeRecord[]>,
): Promise<Version | undefined> {
  const known = knownVersion(database, name);
  const parts = known?.parts ?? [];
  const growth = growthOf(parts.map(({ hash }) => ({ hash, read: () => ifWhole(batches, hash) })));
  const frames: [string, number][] = [];
  let size = 0;
  let count = 0;
  for await (const { bytes, lines: inside } of framesOfLines(bytesOf(lines))) {
    const hash = await batches.frame(bytes);
    await growth.add(hash, bytes);
    frames.push([hash, bytes.length]);
    size += bytes.length;
    count += inside;
  }
  if (known && parts.length === frames.length && parts.every(({ hash }, at) => hash === frames[at]?.[0]))
    return undefined;
  const replaces = known !== undefined && !(await growth.isGrown());
  return { name, size, mtimeMs: 0, inode: 0, lines: count, replaces, keeps: 0, frames };
}

async function ifWhole(batches: Batches, hash: string | undefined): Promise<Buffer | undefined> {
  try {
    return hash === undefined ? undefined : await batches.read(hash);
  } catch (error) {
    if (error instanceof BatonError || codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function* bytesOf(lines: AsyncIterable<readonly NativeRecord[]>): AsyncGenerator<Uint8Array[]> {
  for await (const batch of lines) yield batch.map(({ bytes }) => bytes);
}

function knownVersion(database: DatabaseSync, name: string): Known | undefined {
  const file = statement(
    database,
    "SELECT key, size, mtime, inode FROM file WHERE name = ? AND until IS NULL",
  ).get(name);
  if (!file) return undefined;
  const parts = statement(
    database,
    `SELECT part.start, part.size, frame.hash FROM part LEFT JOIN frame ON frame.key = part.frame
       WHERE part.file = ? ORDER BY part.position`,
  )
    .all(Number(file.key))
    .map(({ start, size, hash }) => ({
      start: Number(start),
      size: Number(size),
      hash: hash instanceof Uint8Array ? Buffer.from(hash).toString("base64") : undefined,
    }));
  return {
    size: Number(file.size),
    mtimeMs: Number(file.mtime),
    inode: Number(file.inode),
    parts,
  };
}
