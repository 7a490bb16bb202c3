// Where conversations lie: in a folder of each project.
import { basename, dirname, join } from "node:path";
import type { Home, Looking, SessionRef, StoreFolder } from "../adapter.ts";
import { entriesOf, fileRef } from "../folder.ts";

const FOLDER = ".conversations";
const ENDING = ".jsonl";

/** There is one in each project, but most have none. */
export function stores({ projects = [] }: Home): readonly string[] {
  return projects.map((project) => join(project, FOLDER));
}

export function watched(home: Home): StoreFolder[] {
  return stores(home).map((path) => ({ path, below: [], files: /\.jsonl$/ }));
}

export function* discover(home: Home, looking?: Looking): Generator<SessionRef> {
  for (const store of stores(home))
    for (const { name } of entriesOf(store, looking)) {
      const ref = name.endsWith(ENDING) ? refOf(join(store, name), looking) : undefined;
      if (ref) yield ref;
    }
}

/** The project that a conversation belongs to; none where it lies elsewhere. */
export function projectOf(path: string): string | undefined {
  const folder = dirname(path);
  return basename(folder) === FOLDER ? dirname(folder) : undefined;
}

export function refOf(path: string, looking?: Looking): SessionRef | undefined {
  const main = fileRef(path, "main", looking);
  return main && { agent: "conversation", originalId: basename(path, ENDING), path, files: [main] };
}
