// How a session stood at some moment, so that it can be told later what has come since and whether the part that
// was known is still there. An operation keeps it for both of its ends.
import { z } from "zod";
import type { SessionRef } from "../adapters/adapter.ts";
import type { Source } from "../session/source.ts";
import { entryText } from "../session/text.ts";
import { markOf } from "./marks.ts";

export const standingSchema = z.object({
  /** The main file, with its inode and size where they were known. */
  path: z.string(),
  inode: z.number().optional(),
  size: z.number().optional(),
  /** How many entries there were, in the order of the file. */
  entries: z.number(),
  /** The newest one of the current branch; absent = the last. */
  head: z.string().optional(),
  /** Marks of the last few, in the same order. */
  marks: z.array(z.number()),
});

export type Standing = z.infer<typeof standingSchema>;

/** Enough to tell one end from another. */
const MARKED = 8;

export async function standingOf(source: Source, { path, files }: SessionRef): Promise<Standing> {
  const { length, head } = source.skeleton;
  const main = files.find(({ role }) => role === "main");
  return {
    path,
    ...(main && { inode: main.inode, size: main.size }),
    entries: length,
    ...(head !== -1 && head !== length - 1 && { head: source.skeleton.id(head) }),
    marks: await marksAt(source, length),
  };
}

/** Of a session that was just written: all of its marks are known. */
export function standingAfter(path: string, entries: number, marks: readonly number[]): Standing {
  return { path, entries, marks: marks.slice(-MARKED) };
}

/** Position of the entry that was the newest then; -1 when the session no longer begins as it did. */
export async function headThen(source: Source, standing: Standing): Promise<number> {
  const { skeleton } = source;
  const { entries, marks, head } = standing;
  if (entries === 0 || skeleton.length < entries) return -1;
  const now = await marksAt(source, entries, marks.length);
  const same = marks.filter((mark, at) => mark === now[at]).length;
  // An agent may have cleared outputs since; another history has hardly anything in common.
  if (same * 2 <= marks.length && marks.length > 0) return -1;
  return head === undefined ? entries - 1 : skeleton.find(head);
}

async function marksAt(source: Source, to: number, count = MARKED): Promise<number[]> {
  const marks: number[] = [];
  for await (const entry of source.entries({ from: Math.max(0, to - count), to }))
    marks.push(markOf(entry.type, entryText(entry)));
  return marks;
}
