// Opens a session, wherever it lies: a database, the JSON tree, an exported file, or lines of rows.
import { basename, dirname } from "node:path";
import type { Source } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { readRecords } from "../../storage/records.ts";
import { whileUnchanged } from "../../storage/unchanged.ts";
import type { SessionRef } from "../adapter.ts";
import { openSource, type PassOptions, type Reading } from "../open.ts";
import { generationOf, identityOf, readDatabase, reading as readingStore, sessionRows } from "./database.ts";
import { glanceRows } from "./glance-rows.ts";
import { headOf, ROWS, SQLITE } from "./head.ts";
import { DATABASE, discoverBeside } from "./paths.ts";
import { fold } from "./read.ts";
import type { OpenCodeState } from "./state.ts";
import { readExport, readTree } from "./tree.ts";

export function open(ref: SessionRef): Promise<Source> {
  return openOne(ref, new Set());
}

export type StoreKind = "database" | "tree" | "export" | "lines";

export function kindOf(path: string): StoreKind {
  return /[\\/]storage[\\/]session[\\/][^\\/]+[\\/][^\\/]+\.json$/.test(path) ? "tree" : kindOfFile(path);
}

const kindOfFile = whileUnchanged((path): StoreKind => {
  const head = headOf(path);
  if (head.startsWith(SQLITE)) return "database";
  return ROWS.test(head) ? "lines" : "export";
});

/** The CLI uses one database in its own folder: no tree, no other channel's, nor the Go version's in the project. */
export function isResumable({ path }: SessionRef): boolean {
  return (
    basename(path) === DATABASE && basename(dirname(path)) !== ".opencode" && kindOf(path) === "database"
  );
}

export async function reading(ref: SessionRef): Promise<Reading<OpenCodeState>> {
  return readingOf(ref, new Set());
}

async function openOne(ref: SessionRef, seen: ReadonlySet<string>): Promise<Source> {
  return openSource(readingOf(ref, seen));
}

/** `seen`: the sessions above this one, because a damaged store may name a session as its own child. */
function readingOf(given: SessionRef, seen: ReadonlySet<string>): Reading<OpenCodeState> {
  // The records name the parent themselves.
  const { parent: _, ...ref } = given;
  const kind = kindOf(ref.path);
  return {
    ref,
    fold,
    provider: "opencode",
    read: (options) => read(ref, kind, options),
    children: () => children(given, new Set([...seen, ref.originalId])),
    ...(kind === "database" && {
      identity: async () => identityOf(ref.path, ref.originalId),
      // Where the lines of rows would stand, which a search has to know, takes more than a glance.
      glance: (take, { isWhole, largest }) =>
        !isWhole && sizeOf(ref) <= largest && glanceRows(ref.path, ref.originalId, take),
    }),
  };
}

function sizeOf({ files }: SessionRef): number {
  return files[0]?.size ?? 0;
}

function read(
  { path, originalId }: SessionRef,
  kind: StoreKind,
  options: PassOptions,
): AsyncIterable<NativeRecord[]> {
  switch (kind) {
    case "database":
      return readDatabase(path, originalId, options);
    case "tree":
      return readTree(path, options);
    case "export":
      return readExport(path, options);
    case "lines":
      return readRecords(path, options);
  }
}

async function* children(ref: SessionRef, seen: ReadonlySet<string>): AsyncGenerator<Source> {
  const kind = kindOf(ref.path);
  const refs = kind === "database" ? childrenIn(ref) : kind === "tree" ? await discoverBeside(ref) : [];
  for (const child of refs) if (!seen.has(child.originalId)) yield openOne(child, seen);
}

function childrenIn(ref: SessionRef): SessionRef[] {
  const [file] = ref.files;
  return readingStore(ref.path, (database) => {
    const generation = generationOf(database);
    const rows = generation ? sessionRows(database, generation) : [];
    return rows
      .filter(({ parent, size }) => parent === ref.originalId && size > 0)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .map(({ id, size, updated }) => ({
        agent: "opencode",
        originalId: id,
        path: ref.path,
        files: file ? [{ ...file, size, mtimeMs: updated }] : [],
      }));
  });
}
