// Looks for a text in a session, from a place on and then from the beginning, without holding any of it.
import type { Entry } from "../../session/session.ts";
import type { Source } from "../../session/source.ts";
import { entryText } from "../../session/text.ts";
import type { Steps } from "../../transform/steps.ts";

/** The next step behind `from` that says this, or -1. */
export async function findStep(
  source: Source,
  steps: Steps,
  text: string,
  from: number,
  isOver: () => boolean,
): Promise<number> {
  const wanted = text.toLowerCase();
  const start = Math.max(0, ...steps.positions(from)) + 1;
  const ranges = [
    { from: start, to: source.skeleton.length },
    { from: 0, to: start },
  ];
  for (const range of ranges) {
    let position = range.from;
    for await (const entry of source.entries(range)) {
      if (isOver()) return -1;
      const step = steps.at(position++);
      if (step !== -1 && says(entry, wanted)) return step;
    }
  }
  return -1;
}

function says(entry: Entry, wanted: string): boolean {
  if (entryText(entry).toLowerCase().includes(wanted)) return true;
  if (entry.type === "assistant" && entry.thinking?.toLowerCase().includes(wanted)) return true;
  const thoughts = entry.parts?.filter((part) => part.type === "thinking") ?? [];
  return thoughts.some(({ text }) => text.toLowerCase().includes(wanted));
}
