// Pieces of text may end in the middle of a character or of a terminal's sequence: the beginning waits for the rest, each
// message's for its own, because messages of subagents come in turns.

const UNFINISHED =
  /(?:\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u001b]{0,500}\u001b?)?|\u009b[0-?]*[ -/]*|[\ud800-\udbff])$/;
/** Messages at once. */
const MOST = 100;

export function newHalves() {
  const rests = new Map<string, string>();
  return {
    /** What can be said of a message now. */
    whole(message: string, piece: string): string {
      const text = (rests.get(message) ?? "") + piece;
      rests.delete(message);
      const start = rests.size < MOST ? text.search(UNFINISHED) : -1;
      if (start === -1) return text;
      rests.set(message, text.slice(start));
      return text.slice(0, start);
    },
    /** Nothing more comes of any of them. */
    clear: () => rests.clear(),
  };
}
