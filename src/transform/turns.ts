// A session as a list of turns, each with a digest of what was said: tells how far two sessions are the same, even
// where they are of two agents.
import type { Entry } from "../session/session.ts";
import type { Source } from "../session/source.ts";
import { entryText } from "../session/text.ts";
import { visible, visiblePositions } from "./visible.ts";

export interface Turn {
  /** Position of its first entry: what was typed. */
  position: number;
  /** Position of the entry before it in what the model sees, -1 for none. */
  before: number;
  digest: number;
}

/** What comes before the first prompt, a summary maybe, is a turn of its own. */
export async function turnsOf(source: Source): Promise<Turn[]> {
  const order = visiblePositions(source.skeleton);
  const ids = new Map(order.map((position) => [source.skeleton.id(position), position]));
  const turns: Turn[] = [];
  let last = -1;
  for await (const entry of visible(source).entries()) {
    const position = ids.get(entry.id) ?? last;
    // Only one of two sessions that say the same may have been carried.
    if (entry.type === "switch") {
      last = position;
      continue;
    }
    const begins = entry.type === "user" && !entry.injected;
    if (begins || turns.length === 0) turns.push({ position, before: last, digest: 0 });
    const turn = turns.at(-1) as Turn;
    turn.digest = digested(turn.digest, entry);
    last = position;
  }
  return turns;
}

/** How many turns at the beginning are the same. */
export function sameTurns(first: readonly Turn[], second: readonly Turn[]): number {
  const differs = first.findIndex(({ digest }, at) => digest !== second[at]?.digest);
  return differs === -1 ? first.length : differs;
}

/** Calls are left out, because each agent has its own words for them. */
function digested(digest: number, entry: Entry): number {
  if (entry.type === "tool_call" || entry.type === "system") return digest;
  const text = entryText(entry).trim();
  if (text === "") return digest;
  let hash = digest ^ text.length;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
