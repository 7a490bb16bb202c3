// The folders that agents are known to have been used in, for stores that lie inside them.
import { isAbsolute, relative } from "node:path";
import type { Adapter, Home } from "../adapters/adapter.ts";

export interface Looking {
  /** The current folder. */
  here: string;
  /** Whether the user named the home: then nothing outside it is looked at. */
  isNamed: boolean;
}

export async function projectsOf(
  home: Home,
  adapters: readonly Adapter[],
  { here, isNamed }: Looking,
): Promise<readonly string[]> {
  const lists = await Promise.all(adapters.map((adapter) => projectsIn(adapter, home)));
  const known = [...new Set([here, ...lists.flat()])].filter((path) => isAbsolute(path));
  return isNamed ? known.filter((path) => isBelow(home.dir, path)) : known;
}

async function projectsIn(adapter: Adapter, home: Home): Promise<readonly string[]> {
  try {
    return (await adapter.projects?.(home)) ?? [];
  } catch {
    // What is wrong with an agent's settings is the doctor's to say; its projects are then not known.
    return [];
  }
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[\\/]/, 1)[0] !== "..";
}
