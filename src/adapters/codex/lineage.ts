// The files a thread is made of. A fork, or a reverted thread, names the file whose beginning it goes on from;
// reading starts there.
import { basename } from "node:path";
import { type Loss, loss } from "../../session/losses.ts";
import { type NativeRecord, readRecords } from "../../storage/records.ts";
import { whileUnchanged } from "../../storage/unchanged.ts";
import type { FileRef } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import type { PassOptions } from "../open.ts";
import { count, isObject, type JsonObject, word } from "./native.ts";
import { readOneFile } from "./one-file.ts";
import { beginningIn, findRollout, isOneFile, metaOf } from "./paths.ts";

export interface Segment {
  path: string;
  /** Absent for the thread's own file, which is read to its end. */
  end?: number;
  size: number;
  /** It is one JSON object, not lines. */
  isOneFile?: boolean;
}

export interface Lineage {
  /** Oldest first; the last one is the thread's own file. */
  segments: Segment[];
  files: FileRef[];
  losses: Loss[];
}

const DEEPEST = 100;

export async function lineageOf(
  main: FileRef,
  meta: JsonObject | undefined,
  beginning?: string,
): Promise<Lineage> {
  const lineage: Lineage = {
    segments: [{ path: main.path, size: main.size, isOneFile: isOneFile(main.path, beginning) }],
    files: [],
    losses: [],
  };
  const seen = new Set([main.path]);
  let base = baseOf(meta);
  while (base && lineage.segments.length < DEEPEST) {
    const found = await findRollout(main.path, base.id);
    const file = found && !seen.has(found.path) ? await fileRef(found.path, "parent") : undefined;
    if (!file) {
      const detail = `the rollout ${base.id} that this thread goes on from`;
      lineage.losses.push(loss("file_missing", { file: base.id }, detail));
      break;
    }
    seen.add(file.path);
    lineage.files.push(file);
    const end = base.end ?? (await offsetOf(file.path, base.ordinal));
    lineage.segments.unshift({ path: file.path, end: Math.min(end, file.size), size: file.size });
    base = baseOf(await metaOf(file.path, file.size));
  }
  return lineage;
}

/** Asked for every hit of a search, so most first lines are not parsed. */
export async function isSpread(path: string): Promise<boolean> {
  if (isPlainlyOne(path)) return false;
  return baseOf(await metaOf(path, fileRef(path, "main")?.size ?? 0)) !== undefined;
}

const isPlainlyOne = whileUnchanged((path) => {
  const head = beginningIn(path);
  return head.includes("\n") && !head.includes('"history_base"');
});

/** Where the named file stops being part of the thread: a byte, or else an ordinal. */
interface Base {
  id: string;
  end: number | undefined;
  ordinal: number;
}

function baseOf(meta: JsonObject | undefined): Base | undefined {
  if (!isObject(meta?.history_base)) return undefined;
  const id = word(meta.history_base.thread_id);
  const end = count(meta.history_base.end_byte_offset);
  const ordinal = count(meta.history_base.end_ordinal_exclusive);
  if (id === undefined || (end ?? ordinal ?? -1) < 0) return undefined;
  return { id, end, ordinal: ordinal ?? 0 };
}

async function offsetOf(path: string, ordinal: number): Promise<number> {
  for await (const batch of readRecords(path, { shrink: true }))
    for (const { value, offset } of batch)
      if (isObject(value) && (count(value.ordinal) ?? -1) >= ordinal) return offset;
  return Number.POSITIVE_INFINITY;
}

/** The records of all files as if they stood in one, each with the file it is from. */
export async function* readLineage(segments: readonly Segment[], options: PassOptions) {
  const main = segments.at(-1);
  if (segments.length === 1 && main) {
    if (main.isOneFile) yield await readOneFile(main.path, options.from);
    else yield* readRecords(main.path, options);
    return;
  }
  yield* readSegments(segments, options);
}

async function* readSegments(
  segments: readonly Segment[],
  options: PassOptions,
): AsyncGenerator<NativeRecord[]> {
  let base = 0;
  let next = options.from;
  for (const segment of segments) {
    const length = segment.end ?? Number.POSITIVE_INFINITY;
    if (next.offset < base + length) {
      const from = { offset: next.offset - base, index: next.index, line: next.line };
      const file = segment.end === undefined ? undefined : basename(segment.path);
      const limit = segment.end === undefined ? {} : { end: segment.end };
      for await (const batch of readRecords(segment.path, { ...options, ...limit, from })) {
        for (const record of batch) {
          record.offset += base;
          if (file !== undefined) record.file = file;
        }
        const last = batch.at(-1);
        if (last) next = { offset: last.offset + last.length, index: last.index + 1, line: 1 };
        yield batch;
      }
      next = { offset: base + length, index: next.index, line: 1 };
    }
    base += length;
  }
}
