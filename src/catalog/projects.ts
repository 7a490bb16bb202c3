// The folders that agents are known to have been used in, for stores that lie inside them.
import { isAbsolute, relative } from "node:path";
import type { Home, Place } from "../adapters/adapter.ts";

export interface Looking {
  /** The current folder. */
  here: string;
  /** Whether the user named the home: then nothing outside it is looked at. */
  isNamed: boolean;
  /** Those that are known already: the agents are then not asked. */
  known?: readonly string[] | undefined;
}

export async function projectsOf(
  home: Home,
  places: readonly Place[],
  { here, isNamed, known }: Looking,
): Promise<readonly string[]> {
  const lists = known ? [known] : await Promise.all(places.map((place) => projectsIn(place, home)));
  const all = [...new Set([here, ...lists.flat()])].filter((path) => isAbsolute(path));
  return isNamed ? all.filter((path) => isBelow(home.dir, path)) : all;
}

async function projectsIn(place: Place, home: Home): Promise<readonly string[]> {
  try {
    return (await place.projects?.(home)) ?? [];
  } catch {
    // What is wrong with an agent's settings is the doctor's to say; its projects are then not known.
    return [];
  }
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[\\/]/, 1)[0] !== "..";
}
