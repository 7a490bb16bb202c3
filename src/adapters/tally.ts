// Gathers losses that say nothing is missing: one line with a count instead of one for each of a thousand
// calls. Everything above `info` is handed on at once, with its entry.
import type { Loss } from "../session/losses.ts";
import type { Written } from "./adapter.ts";

export function tally() {
  const counted = new Map<string, { first: Loss; count: number }>();
  return {
    /** Returns the loss when it is to be handed on. */
    add(found: Loss): Loss | undefined {
      if (found.severity !== "info") return found;
      const key = `${found.kind} ${found.detail}`;
      const known = counted.get(key);
      if (known) known.count++;
      else counted.set(key, { first: found, count: 1 });
      return undefined;
    },
    *finish(): Generator<Written> {
      for (const { first, count } of counted.values())
        yield {
          type: "loss",
          loss: count === 1 ? first : { ...first, detail: `${first.detail} (${count} times)` },
        };
    },
  };
}
