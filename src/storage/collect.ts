// Collects the bytes of several files until there are enough of them for a large write. One buffer for all:
// turning strings into bytes right away is several times faster than keeping and joining them, and it copies
// what comes from a reader's buffer, which is used again.

const SIZE = 1 << 20;

export interface Collector<File> {
  /** True when it is time to take. */
  add(file: File, bytes: string | Uint8Array): boolean;
  /** What has come in so far. It stays valid until `take` is called again. */
  take(): Map<File, Buffer>;
}

export function collector<File>(): Collector<File> {
  let buffer = Buffer.allocUnsafe(SIZE);
  /** Takes turns with the other, so that one can be written while the other is filled. */
  let spare = Buffer.allocUnsafe(SIZE);
  let pieces = new Map<File, Buffer[]>();
  let used = 0;
  let total = 0;
  /** The piece at the end of the buffer, still growing. */
  let current: { file: File; start: number } | undefined;

  function finishPiece(): void {
    if (current) push(current.file, buffer.subarray(current.start, used));
    current = undefined;
  }

  function push(file: File, piece: Buffer): void {
    const known = pieces.get(file);
    if (known) known.push(piece);
    else pieces.set(file, [piece]);
  }

  return {
    add(file, bytes) {
      // A character takes three bytes at most.
      const most = typeof bytes === "string" ? bytes.length * 3 : bytes.length;
      if (current?.file !== file || most > SIZE - used) finishPiece();
      if (most > SIZE - used) {
        const piece = Buffer.from(bytes as string);
        push(file, piece);
        total += piece.length;
      } else {
        current ??= { file, start: used };
        const length = typeof bytes === "string" ? buffer.write(bytes, used) : put(bytes, buffer, used);
        used += length;
        total += length;
      }
      return used > SIZE * 0.75 || total > SIZE;
    },
    take() {
      finishPiece();
      const taken = new Map<File, Buffer>();
      for (const [file, [first, ...more]] of pieces)
        taken.set(file, more.length === 0 ? first! : Buffer.concat([first!, ...more]));
      pieces = new Map();
      [buffer, spare] = [spare, buffer];
      used = 0;
      total = 0;
      return taken;
    },
  };
}

function put(bytes: Uint8Array, buffer: Buffer, at: number): number {
  buffer.set(bytes, at);
  return bytes.length;
}
