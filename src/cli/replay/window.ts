// The entries around where somebody looks. A session may be larger than memory: what was read is kept only as long as
// there is room for it, and read again when it is looked at again.
import type { Entry } from "../../session/session.ts";
import type { Source } from "../../session/source.ts";
import { entryText } from "../../session/text.ts";

export interface Window {
  /** The entries at these positions. */
  entries(positions: readonly number[]): Promise<Entry[]>;
}

const BEFORE = 16;
const AHEAD = 64;
/** Characters. */
const ROOM = 16 << 20;
const ENOUGH_AHEAD = 2 << 20;

export function newWindow(source: Pick<Source, "entries">): Window {
  const kept = new Map<number, { entry: Entry; size: number }>();
  let held = 0;

  function keep(position: number, entry: Entry): void {
    const size = 200 + entryText(entry).length;
    held += size - (kept.get(position)?.size ?? 0);
    kept.delete(position);
    kept.set(position, { entry, size });
  }

  /** The ones that were read or asked for longest ago go first. */
  function makeRoom(needed: ReadonlySet<number>): void {
    for (const [position, { size }] of kept) {
      if (held <= ROOM) return;
      if (needed.has(position)) continue;
      kept.delete(position);
      held -= size;
    }
  }

  async function read(position: number): Promise<void> {
    let at = Math.max(0, position - BEFORE);
    let ahead = 0;
    for await (const entry of source.entries({ from: at, to: position + AHEAD })) {
      keep(at, entry);
      if (at >= position) ahead += kept.get(at)?.size ?? 0;
      makeRoom(new Set([position]));
      at++;
      if (at > position && ahead > ENOUGH_AHEAD) return;
    }
  }

  return {
    async entries(positions) {
      const found: Entry[] = [];
      for (const position of positions) {
        if (!kept.has(position)) await read(position);
        const one = kept.get(position);
        if (!one) continue;
        keep(position, one.entry);
        found.push(one.entry);
      }
      makeRoom(new Set());
      return found;
    },
  };
}
