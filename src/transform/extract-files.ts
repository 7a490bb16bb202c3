// Which files were created, changed, deleted or read, how often and by how many lines, for a summary.
import type { Section } from "./fit.ts";
import { newest } from "./newest.ts";
import type { Touch } from "./touched.ts";

export interface Changes {
  /** `output`: what the result said. */
  add(touch: Touch, output: string): void;
  section(): Pick<Section, "lines" | "lost">;
}

interface Change {
  path: string;
  how: string;
  times: number;
  added: number | null;
  removed: number | null;
}

const MOST_CHANGED = 1000;
const MOST_READ = 300;

export function newChanges(): Changes {
  const changed = newest<Change>(MOST_CHANGED);
  const read = newest<string>(MOST_READ);
  return {
    add(touch, output) {
      const { path } = touch;
      if (touch.kind === "read") {
        if (!changed.get(path)) read.put(path, path);
        return;
      }
      const before = changed.get(path);
      changed.put(path, {
        path,
        how: howOf(touch, before, read.get(path) !== undefined, output),
        times: (before?.times ?? 0) + 1,
        added: sum(before, "added", touch),
        removed: sum(before, "removed", touch),
      });
      read.remove(path);
    },
    section: () => ({
      // What was only read is the first to go.
      lines: [...read.values().map((path) => `- read ${path}`), ...changed.values().map(changeLine)],
      lost: read.lost + changed.lost,
    }),
  };
}

/** A file that was written may have been there before: only what is known is said. */
function howOf({ how }: Touch, before: Change | undefined, wasRead: boolean, output: string): string {
  if (how === "deleted" || how === "moved" || how === "created") return how === "moved" ? "moved away" : how;
  if (before?.how === "created" || before?.how === "written") return before.how;
  if (how !== "written" || before || wasRead) return "modified";
  return /\b(?:created|new file)\b/i.test(output.slice(0, 200)) ? "created" : "written";
}

function sum(before: Change | undefined, field: "added" | "removed", touch: Touch): number | null {
  const former = before ? before[field] : 0;
  const more = touch[field];
  return former === null || more === null ? null : former + more;
}

function changeLine({ path, how, times, added, removed }: Change): string {
  const lines = [...(added === null ? [] : [`+${added}`]), ...(removed === null ? [] : [`−${removed}`])];
  const facts = [
    ...(times === 1 ? [] : [`${times} changes`]),
    ...(lines.length > 0 ? [lines.join(" ")] : []),
  ];
  return `- ${how} ${path}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
}
