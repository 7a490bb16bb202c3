// Whether a path lies in an agent's store, by whatever way: through links, or before the file is there.
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import type { Adapter, Home } from "../adapters/adapter.ts";

export function isInStore(adapter: Adapter, home: Home, path: string): boolean {
  return adapter
    .stores(home)
    .some((store) => isInside(store, path) || isInside(realPath(store), realPath(path)));
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split("/", 1)[0] !== "..";
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // What is not there yet will be in its folder; the root is always there.
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path));
  }
}
