// Texts that wait to be put into the index, folded, as bytes in a few large blocks: as strings they would outlive the
// engine's young generation, and collecting them took longer and more memory than the blocks do.
import { foldBeyondAscii, foldText, hasColours } from "./words.ts";

export interface Slabs {
  /** The text as the index takes it, in UTF-8, valid until all are let go of. */
  put(text: string): Uint8Array;
  /** How many bytes wait. */
  size(): number;
  /** The blocks can be filled again. */
  clear(): void;
}

const SLAB = 1 << 20;
/** Bytes of UTF-8 that a character of a string takes at the most. */
const WIDEST = 3;

export function newSlabs(): Slabs {
  const slabs: Buffer[] = [];
  let current = 0;
  let used = 0;
  let size = 0;

  /** A block with room for the text behind what is in it; undefined for a text that is longer than a block. */
  const roomFor = (text: string): Buffer | undefined => {
    // Measuring takes about as long as writing, so most are only written.
    const most = WIDEST * text.length;
    const length = used + most > SLAB ? Buffer.byteLength(text) : most;
    if (length > SLAB) return undefined;
    if (used + length > SLAB) {
      current++;
      used = 0;
    }
    slabs[current] ??= Buffer.allocUnsafeSlow(SLAB);
    return slabs[current];
  };
  const keep = (text: string): Uint8Array => {
    const slab = roomFor(text);
    const written = slab?.write(text, used) ?? 0;
    const kept = slab ? new Uint8Array(slab.buffer, used, written) : Buffer.from(text);
    if (slab) used += written;
    size += kept.length;
    return kept;
  };
  return {
    put(text) {
      const slab = hasColours(text) ? undefined : roomFor(text);
      if (!slab) return keep(foldText(text));
      const written = slab.write(text, used);
      // As many bytes as characters are plain ASCII, which nearly everything is: there is nothing to fold.
      if (written !== text.length) return keep(foldBeyondAscii(text));
      const kept = new Uint8Array(slab.buffer, used, written);
      used += written;
      size += written;
      return kept;
    },
    size: () => size,
    clear() {
      current = 0;
      used = 0;
      size = 0;
    },
  };
}
