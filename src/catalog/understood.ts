// Histories that do not say whose they are name tools that some agent has: their calls are understood by those names,
// so that they can be carried on as what they are.
import { commonCall } from "../adapters/common-tools.ts";
import { mapped } from "../session/batches.ts";
import type { Entry } from "../session/session.ts";
import type { Source } from "../session/source.ts";

export function understood(source: Source): Source {
  return {
    ...source,
    entries: (range) => mapped(source.entries(range), (batch) => batch.map(entryOf)),
    async *children() {
      for await (const child of source.children()) yield understood(child);
    },
  };
}

function entryOf(entry: Entry): Entry {
  if (entry.type !== "tool_call" || entry.tool !== "unknown" || entry.originalTool === undefined)
    return entry;
  // Arguments that are JSON in a string stand parsed beside it.
  const isText = typeof entry.originalInput === "string";
  const found = commonCall(entry.originalTool, isText ? entry.input : (entry.originalInput ?? entry.input));
  return found.tool === "unknown" ? entry : { ...entry, ...found };
}
