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

export function hereIn(home: Home, places: readonly Place[]): IsHere {
  const folders = new Map<string, readonly string[]>();
  for (const place of places) {
    // Stores that lie in projects move with them: nothing is known of where they were.
    const isFixed = place.stores({ ...home, projects: [] }).length > 0;
    if (isFixed) folders.set(place.id, place.stores(home));
  }
  return ({ agent, path, gone }) => {
    const stores = gone === null ? undefined : folders.get(agent);
    return stores?.some((store) => path === store || path.startsWith(store + sep)) ?? true;
  };
}
