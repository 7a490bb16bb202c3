// Gathers losses that say nothing is missing: one line with a count instead of one for each of a thousand
// calls, and the entries that it stands for. Everything above `info` is handed on at once, with its entry.
import type { Loss } from "../session/losses.ts";
import type { Written } from "./adapter.ts";

export function tally() {
  const counted = new Map<string, { first: Loss; count: number; entries: Set<string> }>();
  return {
    /** Returns the loss when it is to be handed on. */
    add(found: Loss): Loss | undefined {
      if (found.severity !== "info") return found;
      const key = `${found.kind} ${found.detail}`;
      const known = counted.get(key) ?? { first: found, count: 0, entries: new Set() };
      counted.set(key, known);
      known.count++;
      if (found.at.entry !== undefined) known.entries.add(found.at.entry);
      return undefined;
    },
    *finish(): Generator<Written> {
      for (const { first, count, entries } of counted.values())
        yield { type: "loss", loss: count === 1 ? first : gathered(first, count, [...entries]) };
    },
  };
}

function gathered(first: Loss, count: number, entries: readonly string[]): Loss {
  const at = entries.length > 0 ? { ...first.at, entries } : first.at;
  return { ...first, at, detail: `${first.detail} (${count} times)` };
}
