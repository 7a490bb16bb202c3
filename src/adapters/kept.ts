// Bringing back the files of a session that its CLI has deleted, for all agents whose sessions are files.
import { existsSync } from "node:fs";
import type { Change } from "../storage/changes.ts";
import type { FileRef, Kept } from "./adapter.ts";

/** The main file first; of the others those that are not there, because sessions share some. */
export async function* restoredFiles(
  kept: Kept,
  placeOf: (file: FileRef) => string = ({ path }) => path,
): AsyncGenerator<Change> {
  for (const file of kept.ref.files) {
    const path = placeOf(file);
    if (file.role === "main" || !existsSync(path)) yield* created(path, kept.bytes(file));
  }
}

async function* created(path: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Change> {
  // An empty file is one too.
  yield { type: "create", path, bytes: "" };
  for await (const bytes of pieces) yield { type: "create", path, bytes };
}
