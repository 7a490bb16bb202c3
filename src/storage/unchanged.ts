// What was found out about files, for as long as they are the same: a search asks the same for every hit.
import { statSync } from "node:fs";

/** More files than a search shows, and few enough to be forgotten. */
const MOST = 1000;

/** Like `find`, which is asked again when the file has changed. */
export function whileUnchanged<T>(find: (path: string) => T): (path: string) => T {
  const known = new Map<string, { stamp: string; found: T }>();
  return (path) => {
    const stamp = stampOf(path);
    const before = known.get(path);
    if (before !== undefined && before.stamp === stamp) return before.found;
    const found = find(path);
    if (known.size >= MOST) known.clear();
    known.set(path, { stamp, found });
    return found;
  };
}

function stampOf(path: string): string {
  const file = statSync(path, { throwIfNoEntry: false });
  return `${file?.ino} ${file?.size} ${file?.mtimeMs}`;
}
