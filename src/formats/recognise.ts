// Tells the universal encodings apart from other files, from the first line where that is enough.
import { beginningOf } from "../storage/beginning.ts";
import { isObject, type Json } from "./check.ts";

const HEAD = 1 << 20;

export async function isUniversalJsonl(path: string): Promise<boolean> {
  const first = firstObject(await head(path));
  return first?.type === "session" && typeof first.version === "string" && isObject(first.source);
}

/** A native file has one record a line; a universal session is one object, on one line or on many. */
export async function isUniversal(path: string): Promise<boolean> {
  const text = await head(path);
  const first = firstObject(text);
  if (first) return Array.isArray(first.timeline);
  const isMarked = /"timeline"\s*:\s*\[|"source"\s*:\s*\{\s*"cli"/.test(text);
  return /^\s*\{/.test(text) && /"version"\s*:\s*"/.test(text) && isMarked;
}

export async function head(path: string): Promise<string> {
  return beginningOf(path, HEAD);
}

/** The first line's object, when that line is a whole one. */
export function firstObject(text: string): Json | undefined {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
