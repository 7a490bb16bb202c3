// Whether rows that are archived again still hold what they held: rows change in place, and what is deleted or
// replaced in them must not take the archived version with it.
import { isDeepStrictEqual } from "node:util";
import { jsonIn } from "../../session/json.ts";

export interface OlderFrame {
  /** Undefined where it is lost. */
  hash: string | undefined;
  /** What stands in it; undefined where it cannot be read any more. */
  read(): Promise<Buffer | undefined>;
}

export interface Growth {
  /** The next frame of how it is now. */
  add(hash: string, bytes: Buffer): Promise<void>;
  /** Nothing of what was there has gone. */
  isGrown(): Promise<boolean>;
}

/** Frames hold whole lines. The first is the session's own row, which changes with every change, and is passed over. */
export function growthOf(older: readonly OlderFrame[]): Growth {
  let at = 0;
  let lines: AsyncGenerator<Buffer> | undefined;
  let isGrown = true;
  return {
    async add(hash, bytes) {
      const frame = older[at];
      if (!isGrown || frame === undefined) return;
      if (!lines && (at === 0 || frame.hash === hash || frame.hash === undefined)) {
        at++;
        return;
      }
      // From here on the frames are cut differently.
      lines ??= linesFrom(older.slice(at));
      for (const line of linesIn(bytes)) {
        const { value, done } = await lines.next();
        if (done) return;
        isGrown = holds(value, line);
        if (!isGrown) return;
      }
    },
    async isGrown() {
      if (!isGrown) return false;
      return lines ? (await lines.next()).done === true : at >= older.length;
    },
  };
}

async function* linesFrom(older: readonly OlderFrame[]): AsyncGenerator<Buffer> {
  for (const frame of older) {
    const bytes = await frame.read();
    // A line that cannot be read is like no other, so that the older version stays.
    if (bytes) yield* linesIn(bytes);
    else yield Buffer.alloc(0);
  }
}

const NEWLINE = 10;

function* linesIn(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at);
    const next = end === -1 ? bytes.length : end + 1;
    yield bytes.subarray(at, next);
    at = next;
  }
}

function holds(before: Buffer, now: Buffer): boolean {
  if (before.equals(now)) return true;
  const [was, is] = [before, now].map((line) => jsonIn(line.toString("utf8")));
  return was !== undefined && isIn(was, is);
}

/** All text of the one is in the other, at its place; numbers and the like are times, counts and states. */
function isIn(was: unknown, is: unknown): boolean {
  if (typeof was === "string") return typeof is === "string" && is.startsWith(was);
  if (typeof was !== "object" || was === null || isUnderway(was) || isDeepStrictEqual(was, is)) return true;
  if (Array.isArray(was)) return Array.isArray(is) && was.every((one, at) => isIn(one, is[at]));
  if (typeof is !== "object" || is === null) return false;
  const now = is as Record<string, unknown>;
  // What changed in a turn is summed up anew with every step of it.
  return Object.entries(was).every(([key, value]) => key === "summary" || isIn(value, now[key]));
}

/** A tool that still runs: all of its state is told anew when it is done. */
function isUnderway(value: object): boolean {
  return "status" in value && (value.status === "pending" || value.status === "running");
}
