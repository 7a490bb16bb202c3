// Whether a file is a conversation, wherever it lies.
import { readRecords } from "../../storage/records.ts";
import type { SessionRef } from "../adapter.ts";
import { isLine } from "./native.ts";
import { refOf } from "./paths.ts";

/** By its first line that says anything. */
export async function recognise(path: string): Promise<SessionRef | undefined> {
  try {
    for await (const batch of readRecords(path, { shrink: true }))
      for (const { value } of batch) if (value !== undefined) return isLine(value) ? refOf(path) : undefined;
  } catch {
    // What cannot be read as lines is none of ours.
    return undefined;
  }
  return undefined;
}
