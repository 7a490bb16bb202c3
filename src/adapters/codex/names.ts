// The names that users gave to threads: lines of one file for all of them, in which the newest line of a thread counts.
import { join } from "node:path";
import { jsonIn } from "../../session/json.ts";
import type { Looking } from "../adapter.ts";
import { fileRef, textOf } from "../folder.ts";
import { isObject, word } from "./native.ts";

export const INDEX = "session_index.jsonl";

const LONGEST_INDEX = 1 << 26;

export function namesIn(root: string, looking?: Looking): ReadonlyMap<string, string | undefined> {
  const path = join(root, INDEX);
  const file = fileRef(path, "index", looking);
  if (!file || file.size > LONGEST_INDEX) return NONE;
  const stamp = [path, file.size, file.mtimeMs, file.inode].join(" ");
  if (known?.stamp === stamp) return known.names;
  const text = textOf(path, looking);
  const names = parsedNames(text);
  // One that could not be read may be readable the next time.
  if (text !== "") known = { stamp, names };
  return names;
}

const NONE: ReadonlyMap<string, string | undefined> = new Map();

/** The index that was read last: whoever goes through a store asks it for every session. */
let known: { stamp: string; names: ReadonlyMap<string, string | undefined> } | undefined;

function parsedNames(index: string): Map<string, string | undefined> {
  const names = new Map<string, string | undefined>();
  for (const line of index.split("\n")) {
    const value = line === "" ? undefined : jsonIn(line);
    if (isObject(value) && typeof value.id === "string") names.set(value.id, word(value.thread_name));
  }
  return names;
}
