// Pieces of text may end in the middle of a character or of a terminal's sequence: the beginning waits for the rest, each
// message's for its own, because messages of subagents come in turns. What waits for too long, or in vain, is text.
import type { Said } from "../adapters/driver.ts";

type Text = Extract<Said, { type: "text" | "thinking" }>;

/** Longer ones are none: of colours and moves, of titles and links, of sets of characters. */
const UNFINISHED =
  /(?:\u001b(?:\[[0-?]{0,200}[ -/]{0,200}|\][^\u0007\u001b]{0,500}\u001b?|[ -/]{1,200})?|\u009b[0-?]{0,200}[ -/]{0,200}|[\ud800-\udbff])$/;
/** Messages at once. */
const MOST = 100;

export function newHalves() {
  const rests = new Map<string, Text>();
  return {
    /** What can be said of a message now. */
    whole(event: Text): string {
      const { type, message, parent_tool_use_id } = event;
      const key = JSON.stringify([type, message, parent_tool_use_id]);
      const text = (rests.get(key)?.text ?? "") + event.text;
      rests.delete(key);
      const start = rests.size < MOST ? text.search(UNFINISHED) : -1;
      if (start === -1) return text;
      rests.set(key, { ...event, text: text.slice(start) });
      return text.slice(0, start);
    },
    /** Of these messages nothing more comes: what waited, without the character that it waited for. */
    letGo(isOver: (event: Text) => boolean): Text[] {
      const over = [...rests].filter(([, event]) => isOver(event));
      for (const [key] of over) rests.delete(key);
      return over.map(([, event]) => ({ ...event, text: event.text.slice(1) }));
    },
  };
}
