// One catalog may know the sessions of several homes, or of a store that a variable moves. Those that are elsewhere are
// gone as far as this home can tell, but they are not its own: it neither counts nor finds them.
import { sep } from "node:path";
import type { Home, Place } from "../adapters/adapter.ts";

export interface Kept {
  agent: string;
  path: string;
  /** Since when it is in no store of the home that was looked at last; null = it is. */
  gone: number | null;
}

/** Whether a session is, or was, in a store of this home. */
export type IsHere = (session: Kept) => boolean;

export function hereIn(stores: Stores): IsHere {
  return ({ agent, path, gone }) => {
    const folders = gone === null ? undefined : stores[agent];
    return folders?.some((folder) => path === folder || path.startsWith(folder + sep)) ?? true;
  };
}

/** The folders of each agent's stores in a home, of those that have them at fixed places. */
export type Stores = Readonly<Record<string, readonly string[]>>;

export function storesIn(home: Home, places: readonly Place[]): Stores {
  // Stores that lie in projects move with them: nothing is known of where they were.
  const fixed = places.filter((place) => place.stores({ ...home, projects: [] }).length > 0);
  return Object.fromEntries(fixed.map((place) => [place.id, place.stores(home)]));
}
