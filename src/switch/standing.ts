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
  if (!(await endsIn(source, entries, marks))) return -1;
  return head === undefined ? entries - 1 : skeleton.find(head);
}

/** An agent that took turns back and went on has others in their place; outputs it may have cleared since. */
async function endsIn(source: Source, to: number, marks: readonly number[]): Promise<boolean> {
  let at = 0;
  for await (const entry of source.entries({ from: to - marks.length, to })) {
    const isSame = markOf(entry.type, entryText(entry)) === marks[at++];
    if (!isSame && entry.type !== "tool_result") return false;
  }
  return true;
}

async function marksAt(source: Source, to: number): Promise<number[]> {
  const marks: number[] = [];
  for await (const entry of source.entries({ from: Math.max(0, to - MARKED), to }))
    marks.push(markOf(entry.type, entryText(entry)));
  return marks;
}
