// Texts that wait to be put into the index, as bytes in a few large blocks: as strings they would outlive the engine's
// young generation, and collecting them took longer and more memory than the blocks do.

export interface Slabs {
  /** The text as UTF-8, valid until all are let go of. */
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
  return {
    put(text) {
      // Measuring takes about as long as writing, so most are only written.
      const most = WIDEST * text.length;
      const length = used + most > SLAB ? Buffer.byteLength(text) : most;
      if (length > SLAB) {
        size += length;
        return Buffer.from(text);
      }
      if (used + length > SLAB) {
        current++;
        used = 0;
      }
      slabs[current] ??= Buffer.allocUnsafeSlow(SLAB);
      const slab = slabs[current] as Buffer;
      const begin = used;
      const written = slab.write(text, begin);
      used += written;
      size += written;
      return slab.subarray(begin, used);
    },
    size: () => size,
    clear() {
      current = 0;
      used = 0;
      size = 0;
    },
  };
}
